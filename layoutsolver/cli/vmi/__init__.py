"""The verbs of the command line for programs of VMI; they are imported when such a program is met."""
