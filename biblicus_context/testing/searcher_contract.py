"""The contract of a `Searcher` of the learning system, for authors of their own."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from biblicus_context.systems.learning import Experience, Memory, RelevantItem, Searcher, Value

_WHEN: Final = datetime(2026, 5, 1, tzinfo=UTC)
MEMORIES: Final = tuple(
    Memory(id=f"m{number}", content=text, created_at=_WHEN)
    for number, text in enumerate(
        ["Tests run in UTC.", "The import takes a second.", "Ann reviews releases."]
    )
)
EXPERIENCES: Final = tuple(
    Experience(
        id=f"g{number}",
        domain=domain,
        strategy=strategy,
        goal=goal,
        hypothesis="A race",
        action="Added a lock",
        prediction="Green",
        outcome_status=outcome,
        outcome_result="Done",
        surprise=surprise,
        root_cause=surprise and f"Nobody expected it: {surprise}",
        created_at=_WHEN,
    )
    for number, (domain, strategy, goal, outcome, surprise) in enumerate(
        [
            ("debugging", "bisection", "Find the flaky test", "falsified", "It was the clock"),
            ("debugging", "elimination", "Find the slow import", "confirmed", ""),
            ("feature", "bisection", "Write the export", "falsified", "No disk was left"),
        ]
    )
)
VALUES: Final = (Value(id="v0", text="Suspect the clock first.", created_at=_WHEN),)


class SearcherContract(ABC):
    """What every searcher keeps; subclass it, and pytest runs it."""

    @abstractmethod
    def searcher(self) -> Searcher:
        """One that knows MEMORIES, EXPERIENCES and VALUES, and neither code nor commits."""

    def test_a_search_finds_what_is_meant_first(self) -> None:
        """By its words."""
        memories = asyncio.run(self.searcher().search_memories("Tests in UTC", 5))
        assert memories[0].item == MEMORIES[0]
        values = asyncio.run(self.searcher().search_values("clock", 5))
        assert [hit.item for hit in values] == [*VALUES]

    def test_relevance_is_from_0_to_1_and_falls(self) -> None:
        """So that sources can be compared."""
        memories = asyncio.run(self.searcher().search_memories("test import", 5))
        experiences = asyncio.run(self.searcher().search_experiences("test import", 5))
        for figures in ([hit.relevance for hit in found] for found in (memories, experiences)):
            assert figures == sorted(figures, reverse=True)
            assert all(0 <= figure <= 1 for figure in figures)

    def test_a_limit_is_kept(self) -> None:
        """Also a limit of one."""
        assert len(asyncio.run(self.searcher().search_memories("test import release", 1))) == 1

    def test_an_axis_holds_experiences_that_have_something_to_say_on_it(self) -> None:
        """A surprise or a root cause may be missing."""
        assert self._found("clock disk", axis="surprise") == {"g0", "g2"}
        assert self._found("clock disk", axis="root_cause") == {"g0", "g2"}
        assert self._found("find write", axis="strategy") == {"g0", "g1", "g2"}

    def test_domain_strategy_and_outcome_all_hold(self) -> None:
        """Each that is passed."""
        assert self._found("find", domain="debugging") == {"g0", "g1"}
        assert self._found("find", strategy="bisection") == {"g0", "g2"}
        assert self._found("find", domain="debugging", outcome="falsified") == {"g0"}
        assert self._found("find", domain="gardening") == set()

    def test_what_is_not_there_is_not_an_error(self) -> None:
        """No code, no commits."""
        searcher = self.searcher()
        assert not asyncio.run(searcher.search_code("clock", 5))
        assert not asyncio.run(searcher.search_commits("clock", 5))

    def _found(self, query: str, **where: str) -> set[str]:
        search = self.searcher().search_experiences
        # Keywords as texts: which of them are literals differs by their name, which mypy cannot see.
        hits: Sequence[RelevantItem[Experience]] = asyncio.run(search(query, 9, **where))  # type: ignore[arg-type]
        return {hit.item.id for hit in hits}
