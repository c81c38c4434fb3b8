"""The table of models."""
