"""The VMI interpreter: logical vectors without a layout."""
