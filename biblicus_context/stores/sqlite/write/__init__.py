"""Writes to a workspace."""
