"""Templates: text with placeholders and Jinja2, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from biblicus_context.text.templates.placeholders import fill, names_in, with_first_names

if TYPE_CHECKING:
    from biblicus_context.text.templates.jinja import JinjaCompilers

Names: TypeAlias = Mapping[str, object]

_MOST_REMEMBERED: Final = 512


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template; `names` has every dotted path it uses, and their first names."""

    source: str
    names: frozenset[str]
    write: Callable[[Names], str] = field(repr=False, compare=False)

    def render(self, names: Names) -> str:
        """The text with its values; an unknown name is a TemplateError."""
        return self.write(names)


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled `when:`; `names` has every dotted path it uses, and their first names."""

    source: str
    names: frozenset[str]
    decide: Callable[[Names], bool] = field(repr=False, compare=False)

    def holds(self, names: Names) -> bool:
        """Whether the expression is true for these names; an unknown name is a TemplateError."""
        return self.decide(names)


def compile_template(source: str, *, place: str | None = None) -> Template:
    """The template of this source; it is compiled once.

    >>> compile_template("{user.name}: {{ text | upper }}").render(
    ...     {"user": {"name": "Ada"}, "text": "hello"}
    ... )
    'Ada: HELLO'
    """
    return _template(source, place)


def writes_once(source: str, name: str) -> bool:
    """Whether a template with Jinja2 writes this value once, unchanged, and else only tests it.

    >>> writes_once("{% if title %}{{ title }}: {% endif %}{{ content }}", "content")
    True
    """
    return _jinja().writes_once(source, name)


def compile_condition(source: str, *, place: str | None = None) -> Condition:
    """The condition of this source; it is compiled once.

    >>> compile_condition("user.age >= 18").holds({"user": {"age": 36}})
    True
    """
    return _condition(source, place)


def has_jinja(text: str) -> bool:
    """Whether a text has more than placeholders.

    >>> has_jinja("{input.name}"), has_jinja("{{ input.name }}")
    (False, True)
    """
    return "{{" in text or "{%" in text or "{#" in text


@lru_cache(maxsize=_MOST_REMEMBERED)
def _template(source: str, place: str | None) -> Template:
    if has_jinja(source):
        paths, write = _jinja().text(source, place)
    else:
        paths, write = names_in(source), partial(fill, source, place=place, strict=True)
    return Template(source, with_first_names(paths), write)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _condition(source: str, place: str | None) -> Condition:
    paths, decide = _jinja().condition(source, place)
    return Condition(source, with_first_names(paths), decide)


def _jinja() -> JinjaCompilers:
    from biblicus_context.text.templates.jinja import JinjaCompilers  # loads Jinja2

    return JinjaCompilers()
