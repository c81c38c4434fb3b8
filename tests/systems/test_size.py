"""A system is a thin facade over a plan that a person can read: what is general is a feature of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import biblicus_context.systems
from biblicus_context import shipped_plan

SYSTEMS = Path(biblicus_context.systems.__file__).parent
NAMES = ["learning", "memory", "prime", "workspace"]
MOST = 400
MOST_OF_A_PLAN = 90
WIDTH = 120


@pytest.mark.parametrize("system", NAMES)
def test_a_system_has_few_lines(system: str):
    files = [*(SYSTEMS / system).rglob("*.py")]
    assert files
    assert sum(len(each.read_text("utf-8").splitlines()) for each in files) <= MOST


@pytest.mark.parametrize("system", NAMES)
def test_a_plan_has_few_lines(system: str):
    assert len(shipped_plan(system).read_text("utf-8").splitlines()) <= MOST_OF_A_PLAN


@pytest.mark.parametrize("system", NAMES)
def test_no_line_of_a_plan_or_its_tests_is_long(system: str):
    plan = shipped_plan(system)
    for file in (plan, plan.with_suffix(".test.yaml")):
        long = [line for line in file.read_text("utf-8").splitlines() if len(line) > WIDTH]
        assert not long
