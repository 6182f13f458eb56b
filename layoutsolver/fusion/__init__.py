"""Fusion of vector functions: regions, loops, what they touch in memory, and how they are put together."""
