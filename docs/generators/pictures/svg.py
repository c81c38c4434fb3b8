"""What the pictures share: an SVG that needs nothing from outside, in light and dark."""

from __future__ import annotations

from html import escape
from typing import Final

MONOSPACE: Final = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS: Final = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


def svg(width: int, height: int, title: str, *parts: str) -> str:
    """A picture of this size; the title is what a screen reader says."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def text(x: float, y: float, content: str, **attributes: str | float) -> str:
    """A line of text; `class_` stands for `class`."""
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    others = "".join(f' {name}="{value}"' for name, value in named.items())
    return f'<text x="{x:g}" y="{y:g}"{others}>{escape(content)}</text>'


def box(x: float, y: float, width: float, height: float, class_: str) -> str:
    """A rectangle with round corners."""
    size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect class="{class_}" {size} rx="8"/>'
