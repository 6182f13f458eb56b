"""Speed and memory, beside the released analyzer where it can run."""
