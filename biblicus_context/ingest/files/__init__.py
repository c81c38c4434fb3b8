"""Files are found, opened and read."""
