"""Parts of retrieval by name: built in, installed, or added by the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.base.registry import Registry
from biblicus_context.errors import PlanError, UnknownNameError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.fusion import FUSIONS, ReciprocalRank, StandardScores
from biblicus_context.retrieval.rank import COMPONENTS
from biblicus_context.retrieval.select import SELECTIONS, DiverseKinds, RankOrder, ValuePerToken
from tests.retrieval import NEEDED

PACKAGE = '''
"""A package that adds a selection."""

def nothing(candidates, budget):
    return []
'''

every_family = pytest.mark.parametrize(
    "family", [FUSIONS, COMPONENTS, SELECTIONS], ids=lambda family: family.noun
)


def first_only(candidates: list[Candidate], budget: int) -> list[Candidate]:
    return [each for each in candidates[:1] if each.tokens <= budget]


@every_family
def test_every_name_of_a_family_can_be_built(family: Registry[Any]) -> None:
    assert family.default in family.names
    for name in family.names:
        assert callable(family.build({"type": name, **NEEDED.get(name, {})}))
    assert family.build() == family.build(family.default) == family.build({})


@every_family
def test_an_unknown_name_is_answered_with_the_nearest_one(family: Registry[Any]) -> None:
    with pytest.raises(UnknownNameError, match=f"Did you mean '{family.default}'"):
        family.build(family.default + "x")


def test_settings_are_the_fields_of_the_part() -> None:
    assert SELECTIONS.build({"type": "diverse_kinds", "share": 0.25, "by": "source"}) == (
        DiverseKinds(share=0.25, by="source")
    )
    assert FUSIONS.build({"type": "reciprocal_rank", "constant": 20}) == ReciprocalRank(
        constant=20.0
    )
    assert FUSIONS.build() == StandardScores()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"type": "diverse_kinds", "sahre": 1}, "selection 'diverse_kinds': unknown option: found"),
        ({"type": "diverse_kinds", "sahre": 1}, "Did you mean 'share'"),
        ({"type": "diverse_kinds", "share": 2}, "option 'share': Input should be less than"),
        (
            {"type": "diverse_kinds", "by": "size"},
            "option 'by': Input should be 'kind' or 'source'",
        ),
        ({"type": "rank_order", "share": 1}, "there are no options: found 'share'"),
        ({"type": 3}, "Selection '3' not defined"),
        (["knapsack"], "a selection is a name or settings"),
    ],
)
def test_wrong_settings_are_named(settings: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        SELECTIONS.build(settings)


def test_a_caller_adds_parts_to_a_copy_of_the_family() -> None:
    more = SELECTIONS.adding({"first_only": first_only, "rank_order": ValuePerToken})
    assert more.build("first_only") is first_only
    assert more.build("rank_order") == ValuePerToken()
    assert SELECTIONS.build("rank_order") == RankOrder()
    assert "first_only" not in SELECTIONS.names


def test_a_plain_function_takes_no_settings() -> None:
    more = SELECTIONS.adding({"first_only": first_only})
    with pytest.raises(PlanError, match="selection 'first_only': there are no options: found 'n'"):
        more.build({"type": "first_only", "n": 2})


class NoDataclass:
    def __call__(self, candidates: list[Candidate], budget: int) -> list[Candidate]:
        return candidates


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (7, "a selection is a callable, or a model or dataclass that makes one: found 'int'"),
        (
            NoDataclass,
            "a selection is a callable, or a model or dataclass that makes one: found 'NoDataclass'",
        ),
    ],
)
def test_an_invalid_part_is_refused_by_name(entry: Any, said: str) -> None:
    with pytest.raises(PlanError, match=rf"selection 'mine': {said}"):
        SELECTIONS.adding({"mine": entry}).build("mine")
    assert SELECTIONS.adding({"mine": NoDataclass()}).build("mine")([], 3) == []


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Installs a package with this entry point in the group of selections."""

    def installed(point: str) -> None:
        about = tmp_path / "other_selections-1.0.dist-info"
        about.mkdir()
        (about / "entry_points.txt").write_text(f"[{SELECTIONS.group}]\n{point}\n")
        (about / "METADATA").write_text("Name: other-selections\nVersion: 1.0\n")
        (tmp_path / "other_selections.py").write_text(PACKAGE)
        monkeypatch.syspath_prepend(str(tmp_path))

    yield installed
    sys.modules.pop("other_selections", None)


def test_installed_packages_add_parts(install: Callable[[str], None]) -> None:
    install("nothing = other_selections:nothing")
    assert "nothing" in SELECTIONS.names
    assert SELECTIONS.build("nothing")([], 10) == []


@pytest.mark.parametrize("point", ["no_such_module:nothing", "other_selections:something"])
def test_a_part_that_cannot_be_loaded_names_its_entry_point(
    install: Callable[[str], None], point: str
) -> None:
    install(f"nothing = {point}")
    with pytest.raises(PlanError, match=rf"selection 'nothing': .*entry point '{point}' .*Error: "):
        SELECTIONS.build("nothing")
    assert SELECTIONS.build("rank_order") == RankOrder()
