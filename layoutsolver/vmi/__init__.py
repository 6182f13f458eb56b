"""VMI programs as the layout question sees them: canonical operations on logical vectors, joins, facts."""
