"""Formats at work: how blocks are written, and the texts around them."""
