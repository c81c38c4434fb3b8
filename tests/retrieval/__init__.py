"""Tests of retrieval; properties that build many models try a part of the suite's examples."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

sparingly = settings(max_examples=max(10, settings().max_examples // 2))
NEEDED: dict[str, dict[str, Any]] = {
    "field": {"field": "tier", "values": {"gold": 1.0}},
    "found_by": {"priorities": {"references": 1.0}},
    "kind": {"kinds": ["code"]},
    "kinds": {"priorities": {"code": 0.9}},
    "proximity": {"path": "src/net/retry.py"},
    "structure": {"near": ["a"]},
    "source": {"priorities": {"docs/*": 1.0}},
}
"""What a ranking component cannot do without."""
