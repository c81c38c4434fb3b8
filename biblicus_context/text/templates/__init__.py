"""Texts with placeholders and Jinja2."""
