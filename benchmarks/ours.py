"""This engine, with the same plan that biblicus gets."""

from __future__ import annotations

import biblicus_context
from benchmarks.child import main
from benchmarks.declared import library

VARIANTS = {"": library(biblicus_context, biblicus_context)}

if __name__ == "__main__":
    main(VARIANTS)
