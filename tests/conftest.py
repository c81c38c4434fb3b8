"""Settings of the whole suite: no network, and two hypothesis profiles."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.nightly import NIGHTLY

# Hundreds of tests index a few files and do not care by which model: the default one is loaded in most of a
# second, and embeds a hundred blocks in one. Tests of the default itself remove this.
os.environ.setdefault("BIBLICUS_CONTEXT_EMBEDDER", "wordllama")
# No test leaves a process behind that answers later ones; tests of it start their own.
os.environ.setdefault("BIBLICUS_CONTEXT_RESIDENT_SECONDS", "0")

settings.register_profile(
    "gate",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("nightly", parent=settings.get_profile("gate"), max_examples=1_000)
settings.register_profile("quick", parent=settings.get_profile("gate"), max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


HERE: Final = Path(__file__).parent
MEASURING: Final = (
    *("bounded_time", "ends_soon", "within_seconds", "a_moment", "time_that_grows"),
    *("costs_the_same", "does_not_grow", "needs_little_memory"),
)
"""What the names of tests say that measure time or memory."""
ATTACKING: Final = (HERE / "hostile", HERE / "lint" / "test_growth.py")
"""Where every test measures time, or tries something a hundred times."""


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """In a worker, pytest-cov starts a second time, and to pause the second resumes the first."""
    plugin = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and plugin and plugin.cov_controller:
        plugin.cov_controller.cov.stop()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """A million objects of tests and libraries live until the end: no collection looks through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lines are covered by examples alone: tracing would double the time of what runs for long."""
    if not NIGHTLY:
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    for item in items:
        is_property = hasattr(getattr(item, "obj", None), "hypothesis")
        measures = any(name in item.name for name in MEASURING)
        attacks = any(item.path.is_relative_to(place) for place in ATTACKING)
        if is_property or measures or attacks:
            item.add_marker(pytest.mark.no_cover)
