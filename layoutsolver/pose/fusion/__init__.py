"""Regions -> FusionProblem: what loops depend on, what keeps them apart, what they load and store."""
