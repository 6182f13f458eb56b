"""Problems and solutions as plain data."""
