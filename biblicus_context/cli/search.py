"""The command `search`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biblicus_context.cli.options import FormatOption, Place
from biblicus_context.cli.terminal import (
    Format,
    console,
    one_line,
    sayable,
    show,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from biblicus_context.corpora import Evidence


class By(StrEnum):
    """How blocks are found and ranked."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"
    FUZZY = "fuzzy"
    RECENT = "recent"


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
            "only one.",
        ),
    ] = None,
    by: Annotated[By, typer.Option(help="How blocks are found and ranked.")] = By.HYBRID,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Blocks at most.")] = 5,
    offset: Annotated[int, typer.Option(metavar="N", min=0, help="Blocks passed over.")] = 0,
    output: FormatOption = Format.TEXT,
) -> None:
    """Search a corpus: each block with its place, the parts of its score, tokens and a snippet.

    Examples:
      biblicus-context search "conversation history" --corpus plans
      biblicus-context search "house stile" --corpus plans --by fuzzy --limit 1
      biblicus-context search "order" --corpus plans --format json
    """
    from biblicus_context.cli.corpora import indexed_corpus, project_of  # noqa: PLC0415

    with indexed_corpus(corpus, project_of(place)) as found:
        hits = found.search(query, limit=limit, offset=offset, retriever_id=by.value)
    if output is Format.JSON:
        write_json([_as_json(hit) for hit in hits])
    elif hits:
        _print(query, hits, first=offset + 1)
    else:
        warn("nothing was found")


def _print(query: str, hits: list[Evidence], *, first: int) -> None:
    from rich.text import Text  # noqa: PLC0415 - slower than the rest of the command

    from biblicus_context.cli.snippets import snippet  # noqa: PLC0415
    from biblicus_context.retrieval.analysis import query_terms  # noqa: PLC0415

    screen = console()
    terms = query_terms(query)
    for number, hit in enumerate(hits, first):
        parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items())
        head = Text.assemble(
            (f"{number}. {sayable(one_line(_where(hit)))}", "bold"),
            f"  {hit.score:.2f} = {parts}; {hit.block.tokens:,} tokens",
        )
        if hit.block.heading:
            head.append(f"\n   {sayable(one_line(' > '.join(hit.block.heading)))}", "dim")
        show(screen, head, *snippet(hit.block.text, terms, screen.width), Text())


def _where(hit: Evidence) -> str:
    if hit.block.lines is None:
        return hit.source
    first, last = hit.block.lines
    return f"{hit.source}:{first}-{last}"


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
