"""The documentation built as a site, and what its pages say to a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.docs.reader import ROOT

_LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "link": "href"}


@dataclass(frozen=True)
class Page:
    """What one page links to, loads, and can be linked at."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value for name, value in attrs if value}
        if "id" in said:
            self.page.anchors.add(said["id"])
        if tag == "a" and "href" in said:
            self.page.links.append(said["href"])
        if tag in _LOADED and _LOADED[tag] in said:
            self.page.loaded.append(said[_LOADED[tag]])


def built(folder: Path) -> Path:
    """The site, built strictly in a folder that gets copies of configuration and pages."""
    shutil.copy(ROOT / "mkdocs.yml", folder / "mkdocs.yml")
    shutil.copytree(ROOT / "docs", folder / "docs")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder / "site"


def pages(site: Path) -> dict[Path, Page]:
    """Every page, read once."""
    return {file: _read(file) for file in sorted(site.rglob("*.html")) if file.name != "404.html"}


def inside(link: str) -> bool:
    """Whether a link stays in the site."""
    return not urlsplit(link).scheme and not urlsplit(link).netloc


def goal(page: Path, link: str) -> tuple[Path, str]:
    """The file that a link of a page leads to, and the place in it."""
    parts = urlsplit(link)
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return file, unquote(parts.fragment)


def lost(read: dict[Path, Page]) -> list[str]:
    """Links inside the site that lead to no file, or to no place in a page."""
    return [
        f"{file.name}: {link}"
        for file, page in read.items()
        for link in filter(inside, page.links)
        if not _leads_somewhere(*goal(file, link), read)
    ]


def _leads_somewhere(file: Path, anchor: str, read: dict[Path, Page]) -> bool:
    return file.is_file() and (not anchor or (file in read and anchor in read[file].anchors))


def _read(file: Path) -> Page:
    parser = _Parser()
    parser.feed(file.read_text(encoding="utf-8"))
    return parser.page
