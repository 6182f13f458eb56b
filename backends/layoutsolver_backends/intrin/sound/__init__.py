"""Lowers to sequences of intrinsics that do what an operation means, where one intrinsic does not."""
