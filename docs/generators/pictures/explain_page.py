"""The page of `explain --html`, as a browser shows it, inside an SVG that any Markdown can show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from generators.pictures.svg import svg

_ROOT: Final = Path(__file__).resolve().parents[3]
_QUESTION: Final = "question=Can I send back an opened lamp?"
_COMMAND: Final = ("explain", "handbook", "--shipped", "--budget", "187", "--input", _QUESTION)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\+00:00, in [\d.,]+ m?s")
_FIXED_TIME: Final = "2026-01-05 09:00:00+00:00, in 20 ms"
_WIDTH: Final = 860
_HEIGHT: Final = 1290
_WITHOUT_END: Final = frozenset({"meta", "br", "link"})
_HIDDEN: Final = """
.skip, nav, footer, section ~ section { display: none; }
body { padding: 2rem 1.5rem; height: 100%; overflow: hidden; }
article { content-visibility: visible; }
"""


def picture() -> str:
    """The head of the page, and its messages."""
    parser = _Xhtml()
    parser.feed(html())
    style = f"<style><![CDATA[{parser.style}{_HIDDEN}]]></style>"
    body = "".join(parser.body).replace("<body>", '<body xmlns="http://www.w3.org/1999/xhtml">', 1)
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    page = f"<foreignObject {size}>\n{body}\n</foreignObject>"
    return svg(_WIDTH, _HEIGHT, "What is sent to the model, coloured by source", style, page)


def html() -> str:
    """The page, as the command writes it."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        subprocess.run(  # noqa: S603 - our own program, with arguments from this file
            [sys.executable, "-m", "biblicus_context", *_COMMAND, "--html", str(file)],
            env={**os.environ, "XDG_CACHE_HOME": folder, "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
            cwd=folder,
        )
        page = _TIME.sub(_FIXED_TIME, file.read_text(encoding="utf-8"))
        return page.replace(f"{_ROOT}/", "")  # the same on every machine


class _Xhtml(HTMLParser):
    """The body as XML, and the style of the head."""

    def __init__(self) -> None:
        super().__init__()
        self.body: list[str] = []
        self.style = ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in ("style", "body") else self._inside
        if self._inside == "body":
            named = "".join(f' {name}="{escape(value or name)}"' for name, value in attrs)
            self.body.append(f"<{tag}{named}{'/' if tag in _WITHOUT_END else ''}>")

    def handle_endtag(self, tag: str) -> None:
        if self._inside == "body" and tag not in _WITHOUT_END:
            self.body.append(f"</{tag}>")
        if tag in ("style", "body"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.style += re.sub(r"(?m)^\s+|\n$", "", data)
        elif self._inside == "body":
            self.body.append(escape(data, quote=False))
