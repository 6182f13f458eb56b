"""Static memory placement: buffers with lifetimes are given offsets so that none that live together overlap."""
