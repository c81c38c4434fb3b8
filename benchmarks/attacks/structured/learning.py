"""Contexts and premortems of a learning memory: sections, items that begin in bold, a footer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.attacks.structured.said import HEADINGS, Said, Written, marks
from biblicus_context.systems.learning import (
    CodeUnit,
    Commit,
    ContextAssembler,
    Experience,
    Memory,
    RelevantItem,
    Value,
)
from biblicus_context.testing.store_samples import day

_MARKS: Final = re.compile(rf"\*\*\w*|\*(?:Category|Files|Based on \d)|\*\d+ items|```|{HEADINGS}")
_TYPES: Final = ("memories", "code", "experiences", "values", "commits")


class _Searcher:
    """Finds one item of each kind, whatever is asked."""

    def __init__(self, said: Said) -> None:
        self._said = said

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem[Any]]:
        say = self._said
        return [
            RelevantItem(
                Memory(id="m", content=say("memory"), category=say("category"), created_at=day(1)),
                0.9,
            )
        ]

    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem[Any]]:
        say = self._said
        unit = CodeUnit(
            unit_type="function",
            qualified_name=say("name of code"),
            file_path=say("path"),
            start_line=1,
            end_line=9,
            language=say("language"),
            signature=say("signature"),
            docstring=say("docstring"),
        )
        return [RelevantItem(unit, 0.9)]

    async def search_experiences(
        self, query: str, limit: int, **where: Any
    ) -> Sequence[RelevantItem[Any]]:
        say = self._said
        experience = Experience(
            id=f"x{where.get('axis')}",
            domain=say("domain"),
            strategy=say("strategy"),
            goal=f"{where.get('axis')} {say('goal')}",
            hypothesis=say("hypothesis"),
            action=say("action"),
            prediction=say("prediction"),
            outcome_status=say("status"),
            outcome_result=say("result"),
            surprise=f"surprise {say('surprise')}",
            root_cause=f"cause {say('cause')}",
            lesson=say("lesson"),
            created_at=day(2),
        )
        return [RelevantItem(experience, 0.9)]

    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem[Any]]:
        return [RelevantItem(Value(id="v", text=self._said("value")), 0.9)]

    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem[Any]]:
        say = self._said
        known: dict[str, Any] = {"files_changed": (say("file"),), "timestamp": day(3)}
        return [
            RelevantItem(
                Commit(sha="0" * 40, author=say("author"), message=say("message"), **known), 0.9
            )
        ]


async def learning(said: Said) -> Written:
    """A context of all sources, and a premortem."""
    assembler = ContextAssembler(_Searcher(said))
    context = await assembler.assemble_context("query", _TYPES, max_tokens=200_000)
    warning = await assembler.get_premortem_context(said("asked"), "reading", max_tokens=200_000)
    one = marks(context.markdown, _MARKS, context.sources_used)
    return Written((*one.structure, *marks(warning.markdown, _MARKS, len(warning.items)).structure))
