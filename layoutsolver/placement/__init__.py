"""Files of placement problems: read, checked, and written back with offsets."""
