"""Propagation, decomposition, counting, conflicts."""
