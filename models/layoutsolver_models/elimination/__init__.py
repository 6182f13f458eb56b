"""Selection problems by dynamic programming over a tree decomposition, with multipliers for what is bounded jointly."""
