"""What is written: one emitter per module."""
