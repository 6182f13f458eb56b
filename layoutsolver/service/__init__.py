"""The verbs as a JSON service: one dispatcher, over HTTP or over standard input and output."""
