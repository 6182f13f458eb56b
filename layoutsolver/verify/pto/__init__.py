"""Running programs of `pto` and comparing them: what logical VMI and physical VPTO have in common."""
