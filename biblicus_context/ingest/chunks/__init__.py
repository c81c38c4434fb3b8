"""Sections become chunks."""
