"""Pictures as self-contained SVG: lanes, candidate spaces, dataflow, live ranges, fusion; light and dark."""
