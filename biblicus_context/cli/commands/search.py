"""The command `search`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.completing import corpus_names, retriever_names
from biblicus_context.cli.input.corpus_options import Who
from biblicus_context.cli.input.options import FormatOption, Place
from biblicus_context.cli.output.terminal import Format, console, sayable, show, warn, write_json
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.corpora import Evidence


_LIMIT = 5


class By(StrEnum):
    """How blocks are found and ranked."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"
    FUZZY = "fuzzy"
    RECENT = "recent"


@dataclass(frozen=True)
class Page:
    """Which blocks of a ranking are shown."""

    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            show_default=False,
            help="Blocks at most. Without it: 5, or what the retriever says.",
        ),
    ] = None
    offset: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            show_default=False,
            help="Blocks passed over. Without it: none, or what the retriever says.",
        ),
    ] = None


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What is looked for.")],
    place: Place,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            metavar="NAME",
            show_default=False,
            help="A declared corpus, or one that was indexed here; may be left out if it is the "
            "only one, or the retriever's.",
            autocompletion=corpus_names,
        ),
    ] = None,
    retriever: Annotated[
        str | None,
        typer.Option(
            "--retriever",
            metavar="NAME",
            show_default=False,
            help="A declared retriever, asked with its settings; its query template is not used.",
            autocompletion=retriever_names,
        ),
    ] = None,
    by: Annotated[
        By | None,
        typer.Option(
            show_default=False, help="How blocks are found and ranked. Without it: hybrid."
        ),
    ] = None,
    *,
    page: Page,
    who: Who,
    output: FormatOption = Format.TEXT,
) -> None:
    """Search a corpus: each block with its place, the parts of its score, tokens and a snippet.

    Examples:
      biblicus-context search "conversation history" --corpus plans
      biblicus-context search "house stile" --corpus plans --by fuzzy --limit 1
      biblicus-context search "house style" --corpus plans --retriever words
      biblicus-context search "order" --corpus plans --format json
    """
    from biblicus_context.cli.input.corpora import indexed_corpus, project_of  # noqa: PLC0415
    from biblicus_context.cli.input.retrievers import declared_retriever, plain  # noqa: PLC0415
    from biblicus_context.cli.output.nothing_found import why_nothing  # noqa: PLC0415

    project = project_of(place)
    if retriever is None:
        how = plain((by or By.HYBRID).value, limit=_LIMIT)
    elif by is None:
        how = declared_retriever(retriever, project)
    else:
        raise InputError("--by and --retriever exclude each other", fix="Keep one of them.")
    with indexed_corpus(corpus or how.corpus, project, who.principal) as found:
        asked = how.over(found)
        start = asked.spec.offset if page.offset is None else page.offset
        hits = asked.evidence(query, offset=start, limit=page.limit or asked.spec.limit)
        if output is Format.JSON:
            write_json([_as_json(hit) for hit in hits])
        elif hits:
            _print(query, hits, first=start + 1)
        else:
            warn(f"nothing was found: {why_nothing(found, asked, query, start)}")


def _print(query: str, hits: list[Evidence], *, first: int) -> None:
    from rich.text import Text  # noqa: PLC0415 - slower than the rest of the command

    from biblicus_context.cli.output.snippets import snippet  # noqa: PLC0415
    from biblicus_context.retrieval.analysis import query_terms  # noqa: PLC0415

    screen = console()
    terms = query_terms(query)
    for number, hit in enumerate(hits, first):
        parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items())
        head = Text.assemble(
            (f"{number}. {sayable(one_line(hit.where))}", "bold"),
            f"  {hit.score:.2f} = {parts}; {hit.block.tokens:,} tokens",
        )
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
