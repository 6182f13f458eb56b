"""VPTO from solved VMI programs: one module for each kind of operation, small passes, and the text."""
