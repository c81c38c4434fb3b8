"""HTML by construction: a text becomes part of a page only escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from biblicus_context.base.surrogates import replaced

_WITHOUT_END = frozenset({"meta", "br", "link"})
# Control characters have no place in a page; Unicode has pictures of the old ones.
_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"
Attribute: TypeAlias = "str | int | bool | None"


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element; `class_` and `aria_label` stand for `class` and `aria-label`.

    >>> tag("p", "1 < 2", class_="sum", hidden=False)
    '<p class="sum">1 &lt; 2</p>'
    """
    opening = f"<{name}{''.join(_attribute(*each) for each in attributes.items())}>"
    if name in _WITHOUT_END:
        return Html(opening)
    return Html(f"{opening}{fragment(*children)}</{name}>")


def fragment(*children: Child) -> Html:
    """Markup in a row; texts are escaped, nothing is left out."""
    return Html("".join(map(_child, children)))


def shown(text: str) -> str:
    """A text as a page may hold it.

    >>> shown("a\\x1bb")
    'a␛b'
    """
    return replaced(text).translate(_PICTURES)


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, str | int):
        return escape(shown(str(child)), quote=False)
    return fragment(*child)


def _attribute(name: str, value: Attribute) -> str:
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(shown(str(value)))}"'
