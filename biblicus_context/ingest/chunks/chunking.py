"""Sections become chunks of a few hundred tokens, cut at paragraphs, lines or sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.ingest.chunks import splitters as seams
from biblicus_context.ingest.chunks.chunk import Chunk, ChunkCutter, ChunkSettings
from biblicus_context.ingest.chunks.headings import is_heading_only
from biblicus_context.ingest.chunks.section import Section
from biblicus_context.ingest.chunks.small_chunks import joined
from biblicus_context.text.counters import Counter
from biblicus_context.text.cutting.sentences import sentences

_PROBABLY_MORE: Final = 5
"""Characters for each token; a section with more of them is cut before it is counted."""
_PROSE: Final = frozenset({"prose", "turn"})
_Limits: TypeAlias = Mapping[int, int]
"""The tokens up to which each section is one chunk, by its id."""


class _Span(NamedTuple):
    """A part of a section's text, and its tokens; None until they are counted."""

    section: Section
    start: int
    end: int
    tokens: int | None

    @property
    def text(self) -> str:
        return self.section.text[self.start : self.end]


def chunks(sections: Iterable[Section], settings: ChunkSettings, counter: Counter) -> list[Chunk]:
    """The sections in chunks; everything but white space between chunks is in exactly one.

    All sections of a document go through each stage together, as counting many texts at once costs
    a fraction of counting them one by one.
    """
    whole = [_Span(section, 0, len(section.text), None) for section in sections]
    trimmed = [each for span in whole if (each := _trimmed(span)) is not None]
    is_alone = len(whole) == 1
    limits = {
        id(span.section): settings.most_of(span.section, is_alone=is_alone) for span in trimmed
    }
    spans = _cut_down(trimmed, settings, limits, counter)
    packed = chain.from_iterable(_packed(each, settings) for _, each in groupby(spans, _identity))
    return joined(_cut_out([*packed], settings, limits, counter), settings, counter)


def _identity(span: _Span) -> int:
    return id(span.section)


def _cut_down(
    spans: Sequence[_Span], settings: ChunkSettings, limits: _Limits, counter: Counter
) -> Sequence[_Span]:
    """Spans that are not too large, those of one section in their order."""
    by_words = seams.words(settings.most, counter)
    prose = (seams.paragraphs, seams.items, sentences, seams.lines, by_words)
    other = (seams.paragraphs, seams.lines, sentences, by_words)
    spans = _counted(spans, _PROBABLY_MORE * max(settings.target, settings.whole), counter)
    for level in range(len(prose)):
        finer: list[_Span] = []
        least = settings.most if level else 0
        for span in spans:
            if span.tokens is not None and span.tokens <= max(limits[id(span.section)], least):
                finer.append(span)
            else:
                cuts = prose if span.section.kind in _PROSE else other
                finer += _apart(span, cuts[min(level, len(cuts) - 1)])
        if len(finer) == len(spans) and None not in (span.tokens for span in finer):
            break  # nothing was cut, and later levels allow as much
        spans = _counted(finer, seams.SURELY_MORE * settings.most, counter)
    return spans


def _apart(span: _Span, cut: seams.Cut) -> Iterator[_Span]:
    start = span.start
    for part in cut(span.text):
        yield _Span(span.section, start, start + len(part), None)
        start += len(part)


def _counted(spans: Sequence[_Span], longest: int, counter: Counter) -> list[_Span]:
    """The spans with their tokens, counted together; one with too many characters has none."""
    new = [span for span in spans if span.tokens is None and span.end - span.start <= longest]
    counts = iter(counter.count_many([span.text for span in new]) if new else ())
    return [
        _Span(span.section, span.start, span.end, next(counts))
        if span.tokens is None and span.end - span.start <= longest
        else span
        for span in spans
    ]


def _packed(spans: Iterable[_Span], settings: ChunkSettings) -> Iterator[_Span]:
    """Adjacent spans of a section joined while they stay within the target.

    A heading is joined with what it is above even if that has more than the target.
    """
    held: _Span | None = None
    for span in spans:
        if held is None:
            held = span
            continue
        tokens = (held.tokens or 0) + (span.tokens or 0)
        if (
            tokens <= settings.target
            or not span.text.strip()
            or (tokens <= settings.most and is_heading_only(held.section, held.text))
        ):
            held = _Span(held.section, held.start, span.end, tokens)
        else:
            yield held
            held = span
    if held is not None:
        yield held


def _cut_out(
    spans: Sequence[_Span], settings: ChunkSettings, limits: _Limits, counter: Counter
) -> Iterator[Chunk]:
    """The chunks with exact token counts."""
    # Sums of counts are estimates, since tokens may span two parts, so every chunk is counted here
    # and cut again at words if it is too large after all.
    trimmed = [each for span in spans if (each := _trimmed(span)) is not None]
    counts = counter.count_many([span.text for span in trimmed]) if trimmed else []
    cutter = ChunkCutter()
    for span, tokens in zip(trimmed, counts, strict=True):
        if tokens <= max(settings.most, limits[id(span.section)]):
            yield cutter.chunk(span.section, span.start, span.end, tokens)
            continue
        for part in _apart(span, seams.words(settings.most, counter)):
            if (each := _trimmed(part)) is not None:
                yield cutter.chunk(each.section, each.start, each.end, counter.count(each.text))


def _trimmed(span: _Span) -> _Span | None:
    """Without blank lines at both ends; the indentation of the first line stays."""
    section, start, end, tokens = span
    stretch = section.text[start:end]
    begun = stretch.lstrip()
    if not begun:
        return None
    first = stretch.rfind("\n", 0, len(stretch) - len(begun)) + 1
    return _Span(section, start + first, end - len(begun) + len(begun.rstrip()), tokens)
