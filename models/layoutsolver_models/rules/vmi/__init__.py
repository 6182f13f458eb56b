"""Layout rules of VMI as data: one file for each kind of operation, `table` for all of them."""
