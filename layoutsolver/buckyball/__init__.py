"""Programs of Buckyball: read into an IR of their own, lowered stage by stage, written as text."""
