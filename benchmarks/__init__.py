"""Measures the engine against its peers and against its own targets: `python -m benchmarks`."""
