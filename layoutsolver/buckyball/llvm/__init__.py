"""LLVM text, as far as programs of Buckyball are written in it: read, printed, and nothing else."""
