"""Measures the engine against its peers and against its own targets: `python -m benchmarks`."""

import os

# What most of them measure is not the embedder; those that measure it name it.
os.environ.setdefault("BIBLICUS_CONTEXT_EMBEDDER", "wordllama")
