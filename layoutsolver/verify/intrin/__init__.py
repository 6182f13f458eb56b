"""Runs register intrinsics: the interpreter of what a program becomes when its vector operations are lowered."""
