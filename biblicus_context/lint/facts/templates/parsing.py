"""Parses the texts of a plan: those with placeholders alone, and those with Jinja2."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from biblicus_context.base.deferred import Deferred
from biblicus_context.lint.facts.templates.parsed_template import ParsedTemplate, parse_content
from biblicus_context.text.templates.template import has_jinja

_CACHE_SIZE: Final = 512
# Jinja2 is loaded for the first text that uses it.
_PARSER: Final = "biblicus_context.lint.facts.templates.jinja_parser"
_parse_jinja: Callable[[str], ParsedTemplate] = Deferred(f"{_PARSER}:parse_jinja")
_parse_expression: Callable[[str], ParsedTemplate] = Deferred(f"{_PARSER}:parse_expression")


@lru_cache(maxsize=_CACHE_SIZE)
def parse_template(source: str) -> ParsedTemplate:
    """Parse a text with placeholders and Jinja2."""
    if not has_jinja(source):
        return parse_content(source)
    return _parse_jinja(source)


@lru_cache(maxsize=_CACHE_SIZE)
def parse_condition(source: str) -> ParsedTemplate:
    """Parse the expression of a `when:`."""
    return _parse_expression(source)
