"""Rules about what providers can reuse."""
