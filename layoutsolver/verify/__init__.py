"""Runs a program before and after layouts are decided, on the hardware model, and compares what memory holds."""
