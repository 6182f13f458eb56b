"""Stores that are loaded again: values handed on in registers, and stores that nobody reads."""
