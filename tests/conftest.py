"""Settings of the whole suite: no network, and two hypothesis profiles."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "gate",
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("nightly", parent=settings.get_profile("gate"), max_examples=2_000)
settings.register_profile("quick", parent=settings.get_profile("gate"), max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lines are covered by examples alone: tracing would double the time of what runs for long."""
    for item in items:
        is_property = hasattr(getattr(item, "obj", None), "hypothesis")
        if is_property or "bounded_time" in item.name:
            item.add_marker(pytest.mark.no_cover)
