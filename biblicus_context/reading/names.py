"""Names across a project: declared once, and declared at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from biblicus_context.errors import LoadError, nearest
from biblicus_context.reading.kinds import COMPACTOR_NAMES, Kind
from biblicus_context.reading.load import Document
from biblicus_context.reading.uses import Noun, Use, uses

_DECLARED_BY: Mapping[Noun, Sequence[Kind]] = {
    "policy": ["policy"],
    "pack": ["context", "retriever"],
    "corpus": ["corpus"],
    "compactor": ["compactor"],
}
_LISTED = 20


def repeated_names(documents: Sequence[Document]) -> Iterator[LoadError]:
    """A name declared twice, or by a context and a retriever, for plans insert both by name."""
    first: dict[tuple[str, str], Document] = {}
    for document in documents:
        room = "pack" if document.kind in _DECLARED_BY["pack"] else document.kind
        name = document.declaration.name
        other = first.setdefault((room, name), document)
        if other is not document:
            yield document.tree.error(
                f"the name {name!r} is taken by a {other.kind}",
                document.tree.at(["name"]).place,
                fix=f"It stands in {other.file}:{other.line}: rename one of them.",
            )


def unknown_names(documents: Sequence[Document], also: Collection[str]) -> Iterator[LoadError]:
    """A name that nothing declares, where it is used; `also` names what Python declares."""
    declared: dict[Kind, set[str]] = {}
    for document in documents:
        declared.setdefault(document.kind, set()).add(document.declaration.name)
    known = {
        noun: {name for kind in kinds for name in declared.get(kind, ())}.union(also)
        for noun, kinds in _DECLARED_BY.items()
    }
    known["compactor"].update(COMPACTOR_NAMES)
    for document in documents:
        for use in uses(document.declaration):
            if use.name not in known[use.noun]:
                yield _unknown(use, document, known[use.noun])


def _unknown(use: Use, document: Document, known: Collection[str]) -> LoadError:
    others = sorted({*known} - {document.declaration.name} if use.noun == "pack" else known)
    nouns = " or ".join(_DECLARED_BY[use.noun])
    return document.tree.error(
        f"unknown {use.noun}",
        document.tree.at(use.path).place,
        found=use.name,
        valid=_listed(use.name, others),
        fix=None if others else f"Declare a {nouns} of this name, or hand it in from Python.",
    )


def _listed(name: str, known: Sequence[str]) -> Sequence[str]:
    if len(known) <= _LISTED:
        return known
    guess = nearest(name, known)
    return [*filter(None, [guess]), *known[:_LISTED], "..."]
