"""The outline of a document: its title, its headings, and the first lines below them."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Final, NamedTuple

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import meeting_filters
from biblicus_context.spec.retriever_settings import OutlineSize
from biblicus_context.stores import Block, Document
from biblicus_context.text.counters import Counter
from biblicus_context.text.headings import without_heading_marks

_DEEPEST: Final = 6


class _Line(NamedTuple):
    text: str
    is_heading: bool


def outlined(
    found: Sequence[Evidence],
    query: SearchQuery,
    size: OutlineSize,
    counter: Counter,
    *,
    escapes_headings: bool = False,
) -> list[Evidence]:
    """The evidence with the outlines of its documents as its texts.

    An outline is evidence of its own, unless it has every line of its document: then it takes its
    place.
    """
    ids = [*dict.fromkeys(each.document.id for each in found)]
    parents, blocks = _read(query, ids, size)
    below = _first_blocks(query, parents)
    own: dict[str, list[Block]] = {each: [] for each in ids}
    for block in blocks:
        own[block.document_id].append(block)
    write = _Outlines(size, counter, escapes_headings)
    return [write(each, own[each.document.id], below.get(each.document.id, ())) for each in found]


class _Outlines(NamedTuple):
    """Writes outlines of one size."""

    size: OutlineSize
    counter: Counter
    escapes_headings: bool

    def __call__(
        self, evidence: Evidence, blocks: Sequence[Block], below: Sequence[Block]
    ) -> Evidence:
        title = evidence.document.title
        text = outline_of(title, blocks, self.size.tokens, self.counter, below)
        own = evidence.block.id if _has_all(text, blocks) else f"{evidence.block.id}#outline"
        lines = {*text.splitlines()}
        shown = [
            each.document_id
            for each in below
            if any(line.text in lines for line in _first_lines([each]))
        ]
        if self.escapes_headings:
            text = without_heading_marks(text)
        tokens = self.counter.count(text)
        block = replace(evidence.block, id=own, text=text, tokens=tokens, lines=None)
        passage = tuple(each.id for each in blocks)
        return replace(evidence, block=block, passage=passage, contains=tuple(shown))


def _has_all(outline: str, blocks: Sequence[Block]) -> bool:
    lines = {*map(str.strip, outline.splitlines())}
    return len(blocks) == 1 and lines.issuperset(_words(blocks[0]))


def _words(block: Block) -> Iterator[str]:
    """The lines of a block that are not empty."""
    return filter(None, map(str.strip, block.text.splitlines()))


def read_ahead(query: SearchQuery, documents: Sequence[str], size: OutlineSize) -> None:
    """Read what outlines of documents will be made of, where that saves a trip."""
    if query.view.travels:
        _read(query, documents, size)


def _read(
    query: SearchQuery, documents: Sequence[str], size: OutlineSize
) -> tuple[Mapping[str, str | None], Sequence[Block]]:
    """The children whose first lines are shown, with their parents, and the blocks of the documents."""
    view, down = query.view, size.after + size.children if size.children else 0
    if not documents:
        return {}, ()
    if not view.travels:
        found = view.tree(documents, down=down).below if down else ()
        return _parents(found, size.after), view.blocks_of(documents)
    # One by one, as a view knows what it has read, and in one trip.
    trees, blocks = view.together(
        lambda: view.together(*(partial(view.tree, [each], down=down) for each in documents)),
        lambda: view.together(*(partial(view.blocks_of, [each]) for each in documents)),
    )
    children = chain.from_iterable(each.below for each in trees)
    return _parents(children, size.after), [*chain.from_iterable(blocks)]


def _parents(children: Iterable[Document], after: int) -> Mapping[str, str | None]:
    """The parents of children, without the first ones of each."""
    seen = Counts[str | None]()
    parents: dict[str, str | None] = {}
    for child in children:
        seen[child.parent] += 1
        if seen[child.parent] > after:
            parents[child.id] = child.parent
    return parents


def read_first_blocks(query: SearchQuery, size: OutlineSize, documents: Sequence[str]) -> None:
    """Read the first blocks of the children of documents, whose outlines will have them."""
    parents, _ = _read(query, documents, size)
    _first_blocks(query, parents)


def _first_blocks(
    query: SearchQuery, parents: Mapping[str, str | None]
) -> Mapping[str, Sequence[Block]]:
    """The first block of each child that has one and meets the filters, by document."""
    known = query.outlined if query.view.travels else {}
    unknown = [child for child, parent in parents.items() if parent not in known]
    below: dict[str, list[Block]] = {parents[each] or "": [] for each in unknown}
    for block in _meeting_filters(query, unknown):
        below[parents[block.document_id] or ""].append(block)
    known |= below
    return known


def _meeting_filters(query: SearchQuery, documents: Sequence[str]) -> list[Block]:
    """The first block of each document that matches the filters."""
    view = query.view
    if not view.travels:
        found = meeting_filters(query, documents)
        return [*view.blocks_of(found, most=1)] if found else []
    found, blocks = view.together(
        lambda: meeting_filters(query, documents),
        lambda: view.blocks_of(documents, most=1) if documents else (),
    )
    met = frozenset(found)
    return [each for each in blocks if each.document_id in met]


def outline_of(
    title: str,
    blocks: Sequence[Block],
    most: int,
    counter: Counter,
    below: Iterable[Block] = (),
) -> str:
    """As many headings as fit, then as many first lines as fit, all in the order of the document.

    The first lines of what is `below` it come last.
    """
    lines = [*_lines(title, blocks), *_first_lines(below)]
    chosen: set[int] = set()
    for wanted in (lambda line: line.is_heading, lambda line: not line.is_heading):
        _choose(lines, wanted, chosen, most, counter)
    return "\n".join(lines[at].text for at in sorted(chosen))


def _choose(
    lines: Sequence[_Line],
    wanted: Callable[[_Line], bool],
    chosen: set[int],
    most: int,
    counter: Counter,
) -> None:
    """Add lines from the first on, until one does not fit; the title is always there."""
    for at, line in enumerate(lines):
        if not wanted(line):
            continue
        text = "\n".join(lines[each].text for each in sorted({*chosen, at}))
        if chosen and counter.count(text) > most:
            return
        chosen.add(at)


def _lines(title: str, blocks: Sequence[Block]) -> Iterator[_Line]:
    """The title, then each heading once with the first line below it."""
    if title:
        yield _Line(f"# {title}", is_heading=True)
    known = {title}
    wants_text = True
    for block in blocks:
        for heading, text in _parts(block):
            if heading is not None and heading not in known:
                known.add(heading)
                yield _Line(text, is_heading=True)
                wants_text = True
            elif heading is None and wants_text:
                yield _Line(text, is_heading=not title and not block.heading)
                wants_text = False


def _first_lines(blocks: Iterable[Block]) -> Iterator[_Line]:
    for block in blocks:
        yield from (_Line(line, is_heading=False) for line in islice(_words(block), 1))


def _parts(block: Block) -> Iterator[tuple[str | None, str]]:
    """The headings above a block and its lines; each line that is a heading with its words."""
    for depth, heading in enumerate(block.heading):
        yield heading, f"{'#' * (depth + 1)} {heading}"
    for line in block.text.splitlines():
        words = line.strip()
        marked = words.lstrip("#")
        if 0 < len(words) - len(marked) <= _DEEPEST and marked.startswith(" "):
            yield marked.strip().rstrip("#").rstrip(), words
        elif words and not set(words) <= {"=", "-"} and words not in block.heading:
            yield None, words
