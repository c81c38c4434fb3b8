"""Retrievers over what is not a corpus of this package, such as a table that people already have."""
