"""What is true of Buckyball: its instructions, their fields, tile sizes and latencies."""
