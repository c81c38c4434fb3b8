"""Tests of retrieval; properties that build many models try a part of the suite's examples."""

from __future__ import annotations

from hypothesis import settings

sparingly = settings(max_examples=max(10, settings().max_examples // 2))
