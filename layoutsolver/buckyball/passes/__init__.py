"""The passes of the Buckyball path, each from one stage to the next."""
