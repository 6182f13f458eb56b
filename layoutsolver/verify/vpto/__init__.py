"""The VPTO interpreter: vector instructions as they are written, on the hardware model."""
