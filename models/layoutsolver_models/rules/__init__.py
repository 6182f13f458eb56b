"""Layout rules as data."""
