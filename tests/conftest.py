"""Settings of the whole suite: no network, and two hypothesis profiles."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "gate",
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("nightly", parent=settings.get_profile("gate"), max_examples=4_000)
settings.register_profile("quick", parent=settings.get_profile("gate"), max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
