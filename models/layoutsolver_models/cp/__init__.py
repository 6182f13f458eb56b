"""CP-SAT models, and the one wrapper around OR-Tools."""
