"""Texts with placeholders and Jinja2, and the inputs and packs they name."""
