"""A system is models and a thin facade: what is general is a feature of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import biblicus_context.systems

SYSTEMS = Path(biblicus_context.systems.__file__).parent
MOST = 400


@pytest.mark.parametrize("system", ["learning", "memory", "prime", "workspace"])
def test_a_system_has_few_lines(system: str):
    files = [*(SYSTEMS / system).rglob("*.py")]
    assert files
    assert sum(len(each.read_text("utf-8").splitlines()) for each in files) <= MOST
