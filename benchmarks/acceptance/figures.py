"""Figures of a system, and the table of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

HERE: Final = Path(__file__).parent


class Figure(NamedTuple):
    """How many of some cases are as expected."""

    what: str
    good: float
    of: float
    aim: float = 1.0
    """The share that is demanded."""
    wrong: tuple[str, ...] = ()
    """The cases that are not."""

    @property
    def share(self) -> float:
        """Of all cases."""
        return self.good / self.of if self.of else 1.0

    @property
    def is_missed(self) -> bool:
        """Whether it is below its aim."""
        return self.share < self.aim


def figure(what: str, cases: Iterable[tuple[str, bool]], aim: float = 1.0) -> Figure:
    """The figure of cases by name, each with whether it is as expected.

    >>> figure("found", [("a", True), ("b", False)])
    Figure(what='found', good=1, of=2, aim=1.0, wrong=('b',))
    """
    known = [*cases]
    wrong = tuple(name for name, is_good in known if not is_good)
    return Figure(what, len(known) - len(wrong), len(known), aim, wrong)


def loaded(file: str) -> list[dict[str, Any]]:
    """The entries of a YAML file next to this module."""
    entries: list[dict[str, Any]] = yaml.safe_load((HERE / file).read_text("utf-8"))
    return entries


def sampled(cases: list[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    """Up to so many cases of each `kind`, in their order."""
    counts: dict[str, int] = {}
    kept = []
    for each in cases:
        counts[each["kind"]] = number = counts.get(each["kind"], 0) + 1
        if most is None or number <= most:
            kept.append(each)
    return kept


def table(system: str, figures: Iterable[Figure], *, verbose: bool = False) -> Iterator[str]:
    """Lines for one system; verbose: with the cases that are not as expected."""
    for each in figures:
        shown = f"{each.good:g} of {each.of:g}"
        missed = "  MISSED" if each.is_missed else ""
        yield f"{system:11}{each.what:44}{shown:>16}{100 * each.share:7.1f} %  aim {100 * each.aim:3.0f} %{missed}"
        if verbose:
            yield from (f"             - {name}" for name in each.wrong)
