"""Searches of a workspace: words, vectors and the columns of both."""
