"""The verbs on programs of tiles and banks."""
