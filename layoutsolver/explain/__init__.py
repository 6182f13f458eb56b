"""Why a problem has no solution."""
