"""A file of golden tests, typed."""
