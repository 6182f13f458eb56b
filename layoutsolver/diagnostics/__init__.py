"""Messages: the record, its text, and the pages of the codes."""
