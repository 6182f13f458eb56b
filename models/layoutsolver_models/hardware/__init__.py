"""A bit-exact numpy model of the vector unit: registers, predicates, memory, number formats and instructions."""
