"""Prime contexts: fences, those of files with the id by which an answer cites what is inside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from benchmarks.attacks.structured.said import Said, Written, marks
from biblicus_context.systems.prime import ContextAssemblyService, Message, SearchResult
from biblicus_context.testing.store_samples import day

_FENCE: Final = re.compile(r'</?evidence-[0-9a-f]{8}(?: id="[0-9a-f]{8}")?>', re.IGNORECASE)
_ITEM: Final = re.compile(
    r'<(evidence-[0-9a-f]{8}) id="[0-9a-f]{8}">\n(\[(?:fil|mes)-[0-9a-f]{8}\]) .*?\n</\1>',
    re.DOTALL,
)
_TALK: Final = re.compile(r"<(evidence-[0-9a-f]{8})>\n(.*?)\n</\1>", re.DOTALL)
"""The conversation: a line begins a turn, unless it is indented."""


class _Files:
    def __init__(self, said: Said) -> None:
        self._said = said

    async def search_content(
        self, query: str, user_id: str, *, limit: int = 10
    ) -> list[SearchResult]:
        say = self._said
        hostile = SearchResult(
            id=say("id"), path=say("path"), content=say("content"), excerpt=say("excerpt"), rank=0.9
        )
        usual = SearchResult(
            id="f0", path="a.md", content="Usual file.", rank=0.5, created_at=day(2)
        )
        return [hostile, usual]

    async def search_by_keywords(
        self, keywords: Sequence[str], user_id: str, *, limit: int = 10
    ) -> Any:
        return []

    async def fuzzy_search(
        self, query: str, user_id: str, *, limit: int = 5, threshold: float = 0.3
    ) -> Any:
        return []

    async def get_recently_accessed(self, user_id: str, *, limit: int = 5) -> Any:
        return []

    async def update_access_time(self, file_id: str, user_id: str) -> None: ...

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> None: ...

    async def get_version(self, user_id: str) -> int:
        return 1

    async def find_by_thread_id(self, thread_id: str, user_id: str) -> list[SearchResult]:
        path, text = self._said("referred path"), self._said("referred content")
        return [SearchResult(id="r0", path=path, content=text, rank=1.0)]


class _Messages:
    def __init__(self, said: Said) -> None:
        self._said = said

    async def get_recent(self, thread_id: str, user_id: str, *, limit: int = 20) -> list[Message]:
        role, text = self._said("role"), self._said("message")
        return [Message(id="m0", role=role, content=text, created_at=day(3))]

    async def get_version(self, user_id: str) -> int:
        return 1


async def prime(said: Said) -> Written:
    """A context of two found files, a referred one and a message."""
    files = _Files(said)
    service = ContextAssemblyService(files, files, _Messages(said))
    built = await service.build_prime_context("thread", "word of content", "ann")
    outside = _ITEM.sub(lambda item: item[2][:4], built.text)
    outside = _TALK.sub(lambda talk: f"{_turns(talk[2])} turns", outside)
    fences = len(_FENCE.findall(built.text))
    counts = fences, len(built.items), len(built.citations)
    # What is found is ranked by its words, so the order differs.
    return Written(tuple(sorted(marks(outside, re.compile(r".+"), *counts).structure)))


def _turns(talk: str) -> int:
    return sum(not line.startswith("  ") for line in talk.splitlines())
