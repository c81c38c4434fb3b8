"""The engine: declarations in, a model call out."""
