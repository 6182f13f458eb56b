"""Where every element of a vector lies in its registers, and how registers are turned from one layout into another."""
