"""Retrieval without I/O: requests, ranking, fusion, selection, and packs of evidence."""
