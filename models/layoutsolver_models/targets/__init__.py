"""Chips as data files."""
