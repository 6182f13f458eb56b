"""Decides vector layouts of NPU compiler IR by constraint solving, and explains what cannot be decided."""

__version__ = "0.1.0"
