"""Graph to problem, one file per question."""
