"""What operations look like: one table per dialect."""
