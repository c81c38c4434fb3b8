"""Snapshots of results."""
