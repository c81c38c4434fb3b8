"""Names across a project: declared once, declared at all, and in what can still be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from biblicus_context.errors import LoadError
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.listed_names import listed
from biblicus_context.reading.mistakes import Mistake
from biblicus_context.reading.outline import LocatedName, Noun, Outline
from biblicus_context.reading.yaml.tree import Place
from biblicus_context.spec.format import FormatSpec
from biblicus_context.text.compaction import COMPACTORS

DECLARED_BY: Mapping[Noun, Sequence[Kind]] = {
    "policy": ["policy"],
    "format": ["format"],
    "pack": ["context", "retriever"],
    "corpus": ["corpus"],
    "compactor": ["compactor"],
}
"""The kinds of document that declare what a noun means."""
NOUN_OF: Mapping[Kind, Noun] = {kind: noun for noun, kinds in DECLARED_BY.items() for kind in kinds}
"""What a kind of document declares a name of."""
_UNKNOWN: Mapping[Noun, Mistake] = {
    "policy": "unknown-policy",
    "format": "unknown-format",
    "pack": "unknown-pack",
    "corpus": "unknown-corpus",
    "compactor": "unknown-compactor",
}


def repeated_names(outlines: Sequence[Outline]) -> Iterator[LoadError]:
    """Names declared twice, or by a context and a retriever, because plans insert both by name."""
    first: dict[tuple[str, str], Outline] = {}
    for outline in outlines:
        room = "pack" if outline.kind in DECLARED_BY["pack"] else outline.kind
        other = first.setdefault((room, outline.name), outline)
        if other is not outline:
            mistake: Mistake = (
                "duplicate-name" if other.kind == outline.kind else "conflicting-name"
            )
            yield outline.place.error(
                outline.file,
                f"the name {outline.name!r} is already used by a {other.kind}",
                mistake=mistake,
                fix=f"Rename one of them; the other is declared at {other.file}:{other.line}.",
            )


def declared_names(outlines: Sequence[Outline]) -> dict[Noun, set[str]]:
    """Every name that can be used for each noun, the built-in ones included."""
    known: dict[Noun, set[str]] = {noun: set() for noun in DECLARED_BY}
    known["compactor"].update(COMPACTORS.without_settings())
    for outline in outlines:
        known[NOUN_OF[outline.kind]].add(outline.name)
    return known


def unknown_names(
    outlines: Sequence[Outline],
    known: Mapping[Noun, Collection[str]],
    claimed: Collection[str] = frozenset(),
) -> Iterator[LoadError]:
    """Names that are used but not declared, at the place of use.

    A file with errors seems to declare the `claimed` names, nobody knows as what: they are not
    reported, and not offered.
    """
    names = cache(lambda noun: sorted(known[noun]))
    contexts = {outline.name for outline in outlines if outline.kind == "context"}
    reported: set[tuple[str, Place]] = set()
    for outline in outlines:
        for use in outline.uses:
            if use.name in claimed or use.name in known[use.noun]:
                continue
            # A name that several retrievers take over is one mistake.
            if not is_installed(use) and (outline.file, use.place) not in reported:
                reported.add((outline.file, use.place))
                no_source = contexts if outline.kind == "retriever" else ()
                yield _unknown(use, outline, names(use.noun), no_source)


def is_installed(use: LocatedName) -> bool:
    """Whether another package adds this name; asked last, as finding entry points is slow."""
    return use.noun == "compactor" and use.name in COMPACTORS.added_names


def _unknown(
    use: LocatedName, outline: Outline, known: Sequence[str], unfit: Collection[str]
) -> LoadError:
    """The error offers what fits: not contexts as sources of a retriever, and nothing inside itself."""
    valid = listed(use.name, known)
    if use.noun == "pack":
        valid = tuple(name for name in valid if name != outline.name and name not in unfit)
    nouns = " or ".join(DECLARED_BY[use.noun])
    fix = None if valid else f"Declare a {nouns} with this name, or pass it from Python."
    if use.noun == "format" and use.name in FormatSpec.model_fields:
        fix = f"Write format: {{{use.name}: ...}}."
    return use.place.error(
        outline.file,
        f"unknown {use.noun}",
        mistake=_UNKNOWN[use.noun],
        found=use.name,
        valid=valid,
        fix=fix,
    )


def usable_places(outlines: Sequence[Outline], also: Collection[str] = ()) -> set[int]:
    """The places of those whose name is declared once and whose uses can all be used.

    What is known grows from the declarations that use nothing, so that no cycle is ever in it.
    """
    declared = Counter((NOUN_OF[each.kind], each.name) for each in outlines)
    known = {noun: {*names, *also} for noun, names in declared_names(()).items()}
    usable: set[int] = set()
    waiting = {
        place: each
        for place, each in enumerate(outlines)
        if declared[NOUN_OF[each.kind], each.name] == 1
    }
    while True:
        ready = [
            place
            for place, each in waiting.items()
            if all(use.name in known[use.noun] or is_installed(use) for use in each.uses)
        ]
        if not ready:
            return usable
        usable.update(ready)
        for place in ready:
            each = waiting.pop(place)
            known[NOUN_OF[each.kind]].add(each.name)
