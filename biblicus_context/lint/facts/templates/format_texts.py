"""The texts of formats: those of a declared one, and those that packs have in place."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.facts.memoize import once_per_declaration
from biblicus_context.lint.facts.templates.parsing import parse_template
from biblicus_context.lint.facts.templates.texts import FieldText, Steps
from biblicus_context.reading.kinds import Declaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec, FirstSpec
from biblicus_context.spec.format import AROUND_ITEMS, FormatDeclaration, FormatSpec
from biblicus_context.spec.pack import PackOptions


@once_per_declaration
def format_texts(declaration: Declaration) -> tuple[FieldText, ...]:
    """Every template of the formats in a document, with its path."""
    if isinstance(declaration, FormatDeclaration):
        return tuple(_texts(declaration.format, ()))
    return tuple(
        text for path, options in packs_with_paths(declaration) for text in _of_pack(options, path)
    )


def is_around_items(text: FieldText) -> bool:
    """Whether a text of a format is around the blocks, not of one of them."""
    return text.path[-1] in AROUND_ITEMS and text.path[-2:-1] != ("items",)


def packs_with_paths(declaration: object) -> Iterator[tuple[Steps, PackOptions]]:
    """The packs of a context, alternatives included, with their paths."""
    if not isinstance(declaration, ContextDeclaration):
        return
    for number, pack in enumerate(declaration.packs or ()):
        yield ("packs", number), pack
    for number, directive in enumerate(declaration.messages or ()):
        path: Steps = ("messages", number)
        if isinstance(directive, ContextInsertSpec):
            yield path, directive
        elif isinstance(directive, FirstSpec):
            for at, alternative in enumerate(directive.first):
                if isinstance(alternative, ContextInsertSpec):
                    yield (*path, "first", at), alternative


def _of_pack(options: PackOptions, path: Steps) -> Iterator[FieldText]:
    if options.title is not None:
        yield _text(options.title, (*path, "title"))
    if isinstance(options.format, FormatSpec):
        yield from _texts(options.format, (*path, "format"))


def _texts(spec: FormatSpec, path: Steps) -> Iterator[FieldText]:
    for key, source in spec.templates():
        yield _text(source, (*path, *key))


def _text(source: str, path: Steps) -> FieldText:
    return FieldText(path, path[:-1], source, parse_template(source))
