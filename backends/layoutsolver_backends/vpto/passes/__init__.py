"""What is made of the instructions once all are there: each pass takes some away, or makes one cheaper."""
