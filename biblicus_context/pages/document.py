"""A page for the browser: a single file that needs no network and no scripts."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.pages.markup import Child, Html, tag

# Nothing may be loaded or run, whatever a text in the page says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = Path(__file__).with_name("style.css")


def document(title: str, *body: Child) -> str:
    """The whole page, with the style of all pages."""
    whole = tag("html", _head(title), tag("body", *body), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _head(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        tag("style", Html(_STYLE.read_text(encoding="utf-8"))),
    )
