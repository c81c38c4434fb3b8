"""Reads of a workspace: documents, blocks and relations by key."""
