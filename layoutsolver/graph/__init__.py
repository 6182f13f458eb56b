"""The dataflow graph of a program."""
