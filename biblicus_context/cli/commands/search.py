"""The command `search`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.chosen_retriever import declared_retriever, plain
from biblicus_context.cli.input.corpora import (
    allowed_keys,
    declaring_project,
    indexed_corpus,
    principal_of,
)
from biblicus_context.cli.options.corpora import By, SearchArguments
from biblicus_context.cli.output.search_hits import snippet, why_nothing
from biblicus_context.cli.output.terminal import Format, console, note, sayable, show, write_json
from biblicus_context.corpora import Evidence
from biblicus_context.errors import InputError
from biblicus_context.retrieval.analysis import query_terms

_LIMIT = 5
_DEFAULT = By.HYBRID if find_spec("numpy") else By.KEYWORD


def search(args: SearchArguments) -> None:
    project = declaring_project(args.place, needs=args.retriever or args.corpus)
    if args.retriever is None:
        how = plain((args.by or _DEFAULT).value, limit=_LIMIT)
    elif args.by is None:
        how = declared_retriever(args.retriever, project)
    else:
        raise InputError("--by and --retriever cannot be used together", fix="Keep one of them.")
    with indexed_corpus(
        args.corpus or how.corpus, project, principal_of(args.who), allowed_keys(args.allow_key)
    ) as found:
        asked = how.over(found)
        start = asked.spec.offset if args.page.offset is None else args.page.offset
        limit = args.page.limit or asked.spec.limit or _LIMIT
        hits = asked.evidence(args.query, offset=start, limit=limit)
        if args.output is Format.JSON:
            write_json([_as_json(hit) for hit in hits])
        elif hits:
            _print(args.query, hits, first=start + 1)
        else:
            note(f"no results: {why_nothing(found, asked, args.query, start)}")


def _print(query: str, hits: list[Evidence], *, first: int) -> None:
    screen = console()
    terms = query_terms(query)
    for number, hit in enumerate(hits, first):
        parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items())
        name = f"{number}. {sayable(one_line(hit.where))}"
        score = f"{hit.score:.2f} = {parts}; {hit.block.tokens:,} tokens"
        fits = cell_len(name) + len(score) + 2 <= screen.width
        head = Text.assemble((name, "bold"), f"  {score}" if fits else f"\n   {score}")
        if hit.block.heading:
            head.append(f"\n   {sayable(one_line(' > '.join(hit.block.heading)))}", "dim")
        show(screen, head, *snippet(hit.block.text, terms, screen.width), Text())


def _as_json(hit: Evidence) -> dict[str, Any]:
    block, document = hit.block, hit.document
    return {
        "id": block.id,
        "source": hit.source,
        "lines": list(block.lines) if block.lines else None,
        "title": document.title,
        "heading": list(block.heading),
        "score": hit.score,
        "parts": dict(hit.parts),
        "tokens": block.tokens,
        "text": block.text,
    }
