"""Requests to retrievers, and their answers."""
