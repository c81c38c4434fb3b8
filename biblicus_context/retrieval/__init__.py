"""Retrieval: requests, packs of evidence, how blocks are written, ordered and fitted."""
