"""Small chunks are merged with their neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise, takewhile

from biblicus_context.ingest.chunks.chunk import Chunk, ChunkSettings
from biblicus_context.ingest.chunks.headings import is_heading_only
from biblicus_context.ingest.chunks.section import Section
from biblicus_context.text.counters import Counter


def joined(chunks: Iterable[Chunk], settings: ChunkSettings, counter: Counter) -> list[Chunk]:
    """The chunks, with small ones merged into the next of the same document."""
    groups = [*_groups(chunks, settings)]
    texts = {id(group): _text(group) for group in groups if len(group) > 1}
    counts = dict(zip(texts, counter.count_many([*texts.values()]), strict=True)) if texts else {}
    found: list[Chunk] = []
    for group in groups:
        tokens = counts.get(id(group), settings.most + 1)
        if tokens <= settings.most:
            found.append(_as_one(group, texts[id(group)], tokens))
        else:  # a single chunk, or too large: joined text may have more tokens than its parts
            found += group
    return found


def _groups(chunks: Iterable[Chunk], settings: ChunkSettings) -> Iterator[list[Chunk]]:
    group: list[Chunk] = []
    tokens = 0
    for chunk in chunks:
        together = tokens + chunk.tokens + 1  # one for the line breaks between them
        if group and together <= _limit(group, tokens, chunk, settings) and _alike(group[0], chunk):
            group.append(chunk)
            tokens = together
            continue
        if group:
            yield group
        group, tokens = [chunk], chunk.tokens
    if group:
        yield group


def _limit(group: Sequence[Chunk], tokens: int, chunk: Chunk, settings: ChunkSettings) -> int:
    """Up to how many tokens a chunk joins the group before it."""
    if all(map(_is_heading, group)):  # it joins what it is above, however large that is
        return settings.most
    return settings.target if min(tokens, chunk.tokens) < settings.least else 0


def _is_heading(chunk: Chunk) -> bool:
    return is_heading_only(chunk.section, chunk.text)


def _alike(one: Chunk, other: Chunk) -> bool:
    here, there = one.section, other.section
    return (
        here.joins
        and there.joins
        and here.kind == there.kind
        and here.session == there.session
        and here.metadata == there.metadata
    )


def _text(group: list[Chunk]) -> str:
    parts = [group[0].text]
    for one, other in pairwise(group):
        parts += (_gap(one, other), other.text)
    return "".join(parts)


def _gap(one: Chunk, other: Chunk) -> str:
    """The line breaks between two chunks in the source."""
    if one.lines is None or other.lines is None or one.section.last_line is not None:
        return "\n\n"
    breaks = other.lines[0] - one.lines[1]
    return "\n" * breaks if breaks > 0 else " "


def _as_one(group: list[Chunk], text: str, tokens: int) -> Chunk:
    first, last = group[0].lines, group[-1].lines
    lines = (first[0], last[1]) if first and last else None
    told = [each for each in group if not _is_heading(each)] or group
    return Chunk(reduce(_common, (each.section for each in told)), text, tokens, lines)


def _common(one: Section, other: Section) -> Section:
    """What two sections that share a chunk have in common; of two sibling headings, the first."""
    if one is other:
        return one
    pairs = zip(one.heading, other.heading, strict=False)
    shared = tuple(here for here, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return replace(
        one,
        heading=shared or one.heading,
        summary="\n".join(filter(None, (one.summary, other.summary))),
        name=" ".join(filter(None, (one.name, other.name))),
    )
