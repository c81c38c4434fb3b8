"""Cutting a text to a number of tokens, and the places where it may be cut."""
