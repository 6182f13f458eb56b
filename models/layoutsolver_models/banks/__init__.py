"""Banks of a program: orders and places that fit, levels that allow more and more, and why nothing fits."""
