"""Packs of evidence: how they are built, written and fitted."""
