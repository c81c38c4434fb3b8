"""`llms.txt`, every page of the documentation with its first sentence, for programs that read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

_FIRST = re.compile(r".+?\.(?=\s|$)", re.DOTALL)
_SKIPPED = re.compile(r"<!--.*?-->|^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def page(config: Path, docs: Path, generated: Mapping[Path, str]) -> str:
    """The index, in the order of the navigation; generated pages are read from memory."""
    site = yaml.safe_load(config.read_text(encoding="utf-8"))

    def text(path: str) -> str:
        file = docs / path
        return generated[file] if file in generated else file.read_text(encoding="utf-8")

    listed = [
        f"- [{title}]({path}): {_summary(text(path))}" for title, path in _entries(site["nav"])
    ]
    head = f"# {site['site_name']}\n\n> {site['site_description']}\n\n## Pages\n\n"
    return head + "\n".join(listed) + "\n"


def _entries(nav: Any, group: str = "") -> Iterator[tuple[str, str]]:
    for entry in nav:
        for title, target in entry.items():
            named = f"{group}: {title}" if group else title
            if isinstance(target, str):
                yield named, target
            else:
                yield from _entries(target, named)


def _summary(text: str) -> str:
    """The first sentence of a page after its title."""
    paragraphs = re.split(r"\n\s*\n", _SKIPPED.sub("", text).strip())
    plain = next((each for each in paragraphs if each.strip()[:1] not in ("#", "|", "")), "")
    plain = _LINK.sub(r"\1", " ".join(plain.split()))
    first = _FIRST.match(plain)
    return first[0] if first else plain.rstrip(":")
