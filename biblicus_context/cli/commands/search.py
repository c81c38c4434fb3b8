"""The command `search`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.combinations import is_combined, without_queries
from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.chosen_retriever import declared_retriever, plain
from biblicus_context.cli.input.corpora import (
    allowed_keys,
    declaring_project,
    indexed_corpus,
    principal_of,
    ready_corpora,
)
from biblicus_context.cli.input.recorded_answers import FallbackRetriever
from biblicus_context.cli.options.corpora import By, SearchArguments
from biblicus_context.cli.output.search_hits import snippet, why_nothing
from biblicus_context.cli.output.terminal import Format, console, note, sayable, show, write_json
from biblicus_context.errors import InputError
from biblicus_context.reading import Project
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.facts import facts_of

_LIMIT = 5
_DEFAULT = By.HYBRID


def search(args: SearchArguments) -> None:
    project = declaring_project(args.place, needs=args.retriever or args.corpus)
    if project and args.retriever and args.by is None:
        declared = project.retrievers.get(args.retriever)
        if declared is not None and is_combined(declared):
            _combined(args, project, args.retriever)
            return
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
        _show(args, [hit.candidate() for hit in hits], first=start + 1)
        foreign = asked.language_warning(args.query)
        if foreign is not None and args.output is not Format.JSON:
            note(foreign)
        if not hits and args.output is not Format.JSON:
            note(f"no results: {why_nothing(found, asked, args.query, start)}")


def _combined(args: SearchArguments, project: Project, name: str) -> None:
    """A combined retriever asks others of the project; what Python passes cannot be asked here."""
    retrievers = {each: without_queries(one) for each, one in project.retrievers.items()}
    over = ready_corpora(
        replace(project, retrievers=retrievers),
        (),
        allowed_keys(args.allow_key),
        principal_of(args.who),
    )
    fallback = FallbackRetriever(None, over)
    assembler = ContextAssembler({}, retrievers, project.corpora, project.compactors, fallback)
    start, limit = args.page.offset or 0, args.page.limit or _LIMIT
    found = assembler.retrieve(name, args.query, limit=start + limit).blocks[start:]
    _show(args, [facts_of(block) for block in found], first=start + 1)
    if not found and args.output is not Format.JSON:
        note("no results: no source of the retriever found anything")


def _show(args: SearchArguments, hits: Sequence[Candidate], *, first: int) -> None:
    if args.output is Format.JSON:
        write_json([_as_json(hit) for hit in hits])
    else:
        _print(args.query, hits, first=first)


def _print(query: str, hits: Sequence[Candidate], *, first: int) -> None:
    screen = console()
    terms = query_terms(query)
    for number, hit in enumerate(hits, first):
        parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items())
        name = f"{number}. {sayable(one_line(hit.where or hit.id))}"
        score = f"{hit.score:.2f} = {parts}; {hit.tokens:,} tokens"
        fits = cell_len(name) + len(score) + 2 <= screen.width
        head = Text.assemble((name, "bold"), f"  {score}" if fits else f"\n   {score}")
        if hit.heading:
            head.append(f"\n   {sayable(one_line(' > '.join(hit.heading)))}", "dim")
        show(screen, head, *snippet(hit.text, terms, screen.width), Text())


def _as_json(hit: Candidate) -> dict[str, Any]:
    return {
        "id": hit.id,
        "source": hit.source,
        "lines": list(hit.lines) if hit.lines else None,
        "title": hit.title,
        "heading": list(hit.heading),
        "score": hit.score,
        "parts": dict(hit.parts),
        "tokens": hit.tokens,
        "text": hit.text,
    }
