"""Programs of tiles and banks on the hardware model, at any stage, and what they should come to."""
