"""A query becomes ranked evidence."""
