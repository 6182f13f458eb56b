"""Lowers AVE text to the register intrinsics: normalised as the compiler does it, then one operation after another."""
