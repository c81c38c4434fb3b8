"""The text of a query is words, never query syntax, on every way that a message is searched for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TypeVar

import pytest
from hypothesis import example, given, settings, strategies as st

from biblicus_context import Corpus
from biblicus_context.systems.prime import (
    ContextAssemblyService,
    File,
    Message,
    UserFile,
    UserLibrary,
)
from biblicus_context.testing.memory_store import InMemoryStore
from tests.pace import within

T = TypeVar("T")
TEXTS = {
    "plan": "We ship lamps on Friday. See NEAR the docs, or not.",
    "tea": "Green tea wants water, and text is a title: heading.",
    "code": 'def ship(): return "lamp" AND True',
}
SYNTAX = st.sampled_from([
    '"', "'", "*", "^", ":", "(", ")", "{", "}", "[", "]", "-", "+", "~", "|", "&", "!", "\\", "%", "_", ";", "--", "\0", "\n",
    "AND", "OR", "NOT", "NEAR", "NEAR(", "NEAR/2", ", 3)", "text:", "title:", "{title text}:", "- title:", "rank", "bm25()",
    "{{ 7 * 7 }}", "{input.user}", "\ud800", "\udfff", "\u202e", "ship*", "^ship", '"ship lamps" *', "'; DROP TABLE blocks; --",
])  # fmt: skip
WORDS = st.sampled_from(["ship", "lamps", "tea", "friday", "docs/plan.md", "shp", "lampz", "title"])
QUERIES = st.lists(SYNTAX | WORDS | st.text(max_size=4), max_size=12).flatmap(
    lambda parts: st.sampled_from(["".join(parts), " ".join(parts)])
)


def run(work: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await work

    return asyncio.run(awaited())


@cache
def libraries() -> tuple[UserLibrary, UserLibrary]:
    """The same files in a database with a query language, and in plain Python without any."""
    made = (
        UserLibrary.open(mkdtemp()),
        UserLibrary(*(Corpus.open_records(InMemoryStore()) for _ in range(2))),
    )
    for library in made:
        for owner in ("ann", "bob"):
            files = (
                UserFile(id=name, path=f"docs/{name}.md", content=text, owner_user_id=owner)
                for name, text in TEXTS.items()
            )
            run(library.files.put(*files))
    return made


async def found(library: UserLibrary, query: str) -> list[set[str]]:
    """The files that each of the searches finds."""
    files = library.files
    searches = [
        await files.search_content(query, "ann"),
        await files.search_by_keywords([query], "ann"),
        await files.search_by_keywords(query.split(), "ann"),
    ]
    return [{each.path for each in search} for search in searches]


@example('"ship" NEAR/2 "lamps"')
@example('title: "tea" OR NOT ship*')
@given(QUERIES)
def test_a_query_finds_what_it_finds_where_there_is_no_syntax(query: str):
    database, plain = libraries()
    assert run(found(database, query)) == run(found(plain, query))
    spelt_alike = run(database.files.fuzzy_search(query, "ann", threshold=0.1))
    assert {each.path for each in spelt_alike} <= {f"docs/{name}.md" for name in TEXTS}


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(SYNTAX, max_size=4))
def test_what_a_context_quotes_from_a_message_is_nothing(words: list[str], syntax: list[str]):
    """A message is searched for, and never written: only evidence is in a context."""
    service, message = filled(), " ".join([*words, *syntax])
    context = run(service.build_prime_context("t1", message, "ann"))
    assert {each.source for each in context.items if each.type == "reference"} == {"docs/plan.md"}
    assert all(each.type == "message" or each.source.startswith("docs/") for each in context.items)
    assert "{" not in context.text
    assert "Bob" not in context.text


@cache
def filled() -> ContextAssemblyService:
    service = ContextAssemblyService.open(Path(mkdtemp()))

    async def fill() -> None:
        for name, text in TEXTS.items():
            own = File(id=name, path=f"docs/{name}.md", content=text, owner_user_id="ann")
            await service.files.put(own)
        await service.files.put(
            File(id="b", path="docs/b.md", content="Bob ships lamps.", owner_user_id="bob")
        )
        await service.references.add("t1", "plan", user_id="ann")
        await service.messages.add("t1", Message(role="user", content="Let us go."), user_id="ann")

    run(fill())
    return service


LARGE = {
    "one word": "a" * 100_000,
    "words": "ship " * 20_000,
    "different words": " ".join(f"word{number}" for number in range(12_000)),
    "quotes": '"' * 100_000,
    "open phrases": '"ship ' * 16_000,
    "brackets": "(" * 100_000,
    "operators": "ship AND NOT NEAR(" * 5_500,
    "stars": "s* " * 33_000,
    "file names": "docs/plan.md " * 7_700,
    "dots": "a." * 50_000,
    "slashes": "a/" * 50_000,
    "surrogates": "\ud800" * 100_000,
    "null characters": "\0" * 100_000,
    "combining marks": "e" + "\u0301" * 100_000,
    "no spaces": "東京" * 50_000,
    "placeholders": "{input.question}" * 6_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_message_takes_bounded_time(name: str):
    service = filled()
    with within(20):  # what grows with the square takes minutes
        context = run(service.build_prime_context("t1", LARGE[name], "ann"))
    assert context.stats.explicit_count == 1
    assert context.total_tokens <= 3500
