"""Every public name, with one wrong argument at a time: a result, or an error of this package."""

from __future__ import annotations

import inspect
from pathlib import Path

from benchmarks.attacks import Extent
from benchmarks.attacks.doors import WRONG, Attack, Door, attack, doors, doors_campaign


def test_a_sample_of_the_campaign_ends_with_no_foreign_error():
    figures = [*doors_campaign(Extent(0.01))]
    assert [figure.name for figure in figures if not figure.holds] == []
    assert figures[0].measured >= 400


def test_most_doors_can_be_reached(tmp_path: Path, monkeypatch):
    """What has no sample is not attacked: the list must not grow unseen."""
    monkeypatch.chdir(tmp_path)
    known = doors()
    attacker = Attack(tmp_path)
    reached = {door.name for door in known if attacker.reaches(door, known[door])}
    assert len(known) > 1_000
    assert len(reached) > 0.75 * len({door.name for door in known})


def test_a_foreign_error_is_seen(tmp_path: Path):
    def public(text: str) -> str:
        return text.strip()

    attacker = Attack(tmp_path)
    found = attacker.call(Door("public", "text"), public, "5")
    assert found is not None
    assert found.error.startswith("AttributeError")
    assert attacker.call(Door("public", "text"), public, "x").error == ""  # type: ignore[union-attr]


def test_the_same_calls_are_made_each_time():
    once, again = ([(call.door, call.wrong) for call in attack(Extent(0.001))] for _ in range(2))
    assert once == again
    assert len({wrong for _, wrong in once}) > len(WRONG) / 3
    assert all(inspect.signature(each) for each in doors().values())
