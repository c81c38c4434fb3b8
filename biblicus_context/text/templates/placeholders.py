"""Placeholders: `{input.question}` in a text is replaced by a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from biblicus_context.errors import TemplateError, nearest
from biblicus_context.text.templates.render_limits import (
    MOST_WORK,
    TooMuchWorkError,
    bounded_work,
    spend_on,
)
from biblicus_context.text.templates.values import NoSuchPartError, as_text, part_of

PLACEHOLDER: Final = re.compile(r"(?<!\{)\{([^\W\d_]\w*+(?:\.(?:[^\W\d_]\w*+|[0-9]++))*+)\}")
"""A dotted path between single braces; no part of it starts with `_`."""

_MOST_LISTED: Final = 20


def fill(
    text: str,
    names: Mapping[str, object],
    *,
    place: str | None = None,
    strict: bool = False,
    written: Callable[[object], str] = as_text,
) -> str:
    """The text with its placeholders replaced; placeholders in values are not replaced.

    A path whose first name is unknown stays as it is, unless `strict`. `written` turns a value into
    text.

    >>> fill('{input.name} likes {"json": {}} and {other}', {"input": {"name": "Ada"}})
    'Ada likes {"json": {}} and {other}'
    """

    written_so_far = 0

    def filled(match: re.Match[str]) -> str:
        nonlocal written_so_far
        path = match[1]
        first, *rest = path.split(".")
        if first not in names and not strict:
            return match[0]
        try:
            found = part_of(names, first)
            for part in rest:
                found = part_of(found, part)
            if not isinstance(found, str):
                with bounded_work():
                    spend_on(found)
            value = written(found)
        except NoSuchPartError as error:
            at = located(place, text.count("\n", 0, match.start()) + 1)
            raise unknown_name(error.part, error.known, where=match[0], place=at) from None
        except (ValueError, TypeError, RecursionError, TooMuchWorkError) as error:
            raise TemplateError(
                f"the value of {match[0]} cannot be written: {error}", place=place
            ) from error
        written_so_far += len(value)
        if written_so_far > MOST_WORK:
            raise TemplateError(
                f"the values of this text have more than {MOST_WORK:,} characters", place=place
            )
        return value

    return PLACEHOLDER.sub(filled, text) if "{" in text else text


def names_in(text: str) -> frozenset[str]:
    """The dotted paths of all placeholders in a text.

    >>> sorted(names_in("{input.question} {}, {{no}}, {context.kb}"))
    ['context.kb', 'input.question']
    """
    return frozenset(PLACEHOLDER.findall(text)) if "{" in text else frozenset()


def quote_of(pack: str) -> str:
    """How a text quotes a pack of this name.

    >>> quote_of("kb"), quote_of("our-kb")
    ('{context.kb}', '{{ context["our-kb"] }}')
    """
    placeholder = f"{{context.{pack}}}"
    return placeholder if PLACEHOLDER.fullmatch(placeholder) else f'{{{{ context["{pack}"] }}}}'


def with_first_names(paths: Iterable[str]) -> frozenset[str]:
    """The dotted paths, and the top-level names they start with."""
    return frozenset(name for path in paths for name in (path, path.split(".")[0]))


def unknown_name(
    name: str, known: Iterable[str], *, where: str | None = None, place: str | None = None
) -> TemplateError:
    """The error for an unknown name, with the known names."""
    names = sorted(known)
    listed = names[:_MOST_LISTED]
    guess = nearest(name, names)
    if guess is not None and guess not in listed:
        listed.append(guess)
    problem = f"unknown name in {where}" if where else "unknown name"
    fix = None if listed else "No names are known here."
    return TemplateError(problem, place=place, found=name, valid=listed, fix=fix)


def located(place: str | None, line: int) -> str:
    """A place with a line of its text."""
    return f"{place}, line {line}" if place else f"line {line}"
