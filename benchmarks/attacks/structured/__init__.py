"""Contexts of each system, with any text in any field, and the structure that they have."""
