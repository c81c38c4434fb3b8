"""Links of a text become relations between documents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from biblicus_context.ingest.files.content import Content
from biblicus_context.stores import Batch, Principal, Relation, Store

_TARGET: Final = r"([^\s<>\"']{1,1000})"
_INLINE: Final = re.compile(r"\]\([ \t]*((?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,1000})")
_BRACKETED: Final = re.compile(r"\]\([ \t]*<([^<>\n]{1,1000})>")
_DEFINED: Final = re.compile(rf"\]:[ \t]*<?{_TARGET}")
# Anchored at `=`, which is found much faster than a word in either case.
_ATTRIBUTE: Final = re.compile(
    rf"=(?:(?<=[hH][rR][eE][fF]=)|(?<=[hH][rR][eE][fF] =))[ \t]*[\"']{_TARGET}"
)
_NAMED: Final = re.compile(r"\[\[([^\[\]|#\n]{1,200})")
_PHRASE: Final = re.compile(rf"<{_TARGET}>`_")
_ROLE: Final = re.compile(r":doc:`(?:[^`<\n]{0,200}<)?([^`<>\n]{1,1000})")
_EXPLICIT: Final = re.compile(rf"^\.\. _[^:\n]{{1,200}}:[ \t]+{_TARGET}", re.MULTILINE)

_MARKDOWN: Final = (_INLINE, _BRACKETED, _DEFINED, _ATTRIBUTE)
_PLACES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), (_ATTRIBUTE,)),
    ".rst": (_PHRASE, _ROLE, _EXPLICIT),
}


_MOST: Final = 10_000
"""Links that are read of one text; people do not write more."""


class Links(NamedTuple):
    """The links of a text: to paths, and to notes by their names (`[[Name]]`)."""

    places: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def links_of(content: Content) -> Links:
    """The links of Markdown, HTML and reStructuredText, each once.

    >>> links_of(Content("a.md", b"See [tea](tea.md#water), [[Coffee]] and [us](/us.md).", None))
    Links(places=('tea.md#water', '/us.md'), names=('Coffee',))
    """
    suffix = PurePosixPath(content.name).suffix.lower()
    patterns = _PLACES.get(suffix)
    if patterns is None:
        return Links()
    text = content.text()
    return Links(_found(patterns, text), _found((_NAMED,), text) if patterns is _MARKDOWN else ())


def _found(patterns: tuple[re.Pattern[str], ...], text: str) -> tuple[str, ...]:
    matches = chain.from_iterable(pattern.finditer(text) for pattern in patterns)
    return tuple(dict.fromkeys(match[1].strip() for match in islice(matches, _MOST)))


LINKS: Final = "links"
"""The type of the relations that an ingest writes, and removes when a link is gone."""
_ENDINGS: Final = ("", ".md", ".rst", "/index.md", "/README.md", "/index.html", "/index.rst")
"""Suffixes that a link may leave out."""

_NOTES: Final = (".md", ".markdown", ".mdx")


def link(
    store: Store, principal: Principal, links: Mapping[str, Links], there: Collection[str]
) -> None:
    """Relate each document to the documents among `there` that its links lead to, and to no others."""
    sources = [name for name in links if name in there]
    with store.view(principal) as view:
        known = view.relations(sources)
    had = {(each.source, each.target) for each in known if each.type == LINKS}
    names = LinkTargets(there)
    wanted = {(name, target) for name in sources for target in names.led_to(name, links[name])}
    if had != wanted:
        changes = Batch(relate=_relations(wanted - had), unrelate=_relations(had - wanted))
        store.write(principal, changes, erase=False)


def _relations(pairs: Collection[tuple[str, str]]) -> tuple[Relation, ...]:
    return tuple(Relation(source, target, LINKS) for source, target in sorted(pairs))


class LinkTargets:
    """Finds documents by the paths and names in links."""

    def __init__(self, there: Collection[str]) -> None:
        self._there = there

    def led_to(self, source: str, links: Links) -> Iterator[str]:
        """The documents that the links of one document lead to, except itself."""
        for found in (
            *(self._at(source, place) for place in links.places),
            *(self._named(source, name) for name in links.names),
        ):
            if found is not None and found != source:
                yield found

    def _at(self, source: str, place: str) -> str | None:
        try:
            parts = urlsplit(place)
        except ValueError:  # such as a bracket in the host of an address
            return None
        if parts.scheme or parts.netloc or not parts.path:
            return None
        path = unquote(parts.path)
        bases = [posixpath.dirname(source)]
        if path.startswith("/"):  # from the root; with several of them, from that of the source
            bases, path = ["", source.partition("/")[0]], path.lstrip("/")
        wanted = (posixpath.normpath(posixpath.join(base, path)) for base in bases)
        tried = (f"{name}{ending}" for name in wanted for ending in _ENDINGS)
        return next((name for name in tried if name in self._there), None)

    def _named(self, source: str, name: str) -> str | None:
        """The nearest note of this name: in the same folder, else the one least deep."""
        wanted, folder = _note(name), posixpath.dirname(source)
        found = self._notes.get(posixpath.basename(wanted), ())
        return min(
            (each for each in found if f"/{_note(each)}".endswith(f"/{wanted}")),
            key=lambda each: (posixpath.dirname(each) != folder, each.count("/"), each),
            default=None,
        )

    @cached_property
    def _notes(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._there:
            if name.casefold().endswith(_NOTES):
                found.setdefault(posixpath.basename(_note(name)), []).append(name)
        return found


def _note(name: str) -> str:
    """A note's name as people write it, in whatever case."""
    lowered = name.casefold()
    ending = next((each for each in _NOTES if lowered.endswith(each)), "")
    return lowered.removesuffix(ending)
