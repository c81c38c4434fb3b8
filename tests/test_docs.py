"""The documentation is true: its code runs, its outputs are what is printed, its links lead somewhere.

A page is read from top to bottom in a folder of its own:

- `python`: run, in one namespace for the page; with `>>>` as a doctest, errors included;
- `text`: exactly what the code above it printed;
- `yaml`: loads without a problem; under `# some/path.yaml` in its first line it becomes that file.
  A list of directives, or keys without `kind`, stand for that part of a context;
- `console`: each `$ command` is run, and printed exactly what follows it;
- `sh`: commands whose output is not shown; not run.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import biblicus_context
from biblicus_context import errors
from biblicus_context.errors import ContextError, LoadError
from biblicus_context.reading import read_documents

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = ["biblicus_context"] + [
    module.name
    for module in pkgutil.walk_packages(biblicus_context.__path__, "biblicus_context.")
    if not module.name.endswith("__main__")
]

_FENCE = re.compile(r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_FILE = re.compile(r"# (?P<path>\S+\.ya?ml)\n")
_UV = "uv run --no-dev python "
_WIDTH = "100"


class Block(NamedTuple):
    kind: str
    body: str
    line: int


@dataclass
class Reader:
    """Someone who tries a page from top to bottom."""

    page: Path
    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    printed: str = ""

    def at(self, block: Block) -> str:
        return f"{self.page.relative_to(ROOT)}:{block.line}"

    def python(self, block: Block) -> None:
        if ">>>" in block.body:
            self._doctest(block)
            return
        code = compile("\n" * block.line + block.body, str(self.page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, self.names)
        self.printed = out.getvalue()

    def _doctest(self, block: Block) -> None:
        parser = doctest.DocTestParser()
        name = str(self.page)
        test = parser.get_doctest(block.body, self.names, name, name, block.line)
        said: list[str] = []
        runner = doctest.DocTestRunner()
        runner.run(test, out=said.append, clear_globs=False)
        self.names.update(test.globs)
        assert not said, "".join(said)

    def text(self, block: Block) -> None:
        assert stripped(self.printed) == stripped(block.body), self.at(block)

    def yaml(self, block: Block) -> None:
        found = read_documents(as_plan(block.body), self.at(block))
        assert not [each for each in found if isinstance(each, LoadError)]
        named = _FILE.match(block.body)
        if named:
            file = self.folder / named["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.body, encoding="utf-8")

    def console(self, block: Block) -> None:
        for shown in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
            command, _, expected = shown.partition("\n")
            assert stripped(self._run(command)) == stripped(expected), self.at(block)

    def _run(self, command: str) -> str:
        words = shlex.split(command.removeprefix(_UV).removeprefix("python "))
        finished = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return finished.stdout

    def sh(self, block: Block) -> None:
        """Not run: these commands install things or run this very test."""


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(match["kind"], match["body"], text.count("\n", 0, match.start()) + 1)
        for match in _FENCE.finditer(text)
    ]


def as_plan(text: str) -> str:
    if text.startswith("- "):
        indented = "".join(f"  {line}" for line in text.splitlines(keepends=True))
        return f"kind: context\nname: example\nmessages:\n{indented}"
    if not re.search(r"^kind:", text, re.MULTILINE):
        return f"kind: context\nname: example\n{text}"
    return text


def stripped(text: str) -> str:
    """Without spaces at the ends of lines, which readers do not see."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", _WIDTH)
    reader = Reader(page, tmp_path)
    for block in blocks(page):
        if block.kind:
            getattr(reader, block.kind)(block)


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a file is there, and in a page of ours the heading behind the #."""
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    return file.exists() and (not anchor or anchor in anchors(file))


def anchors(page: Path) -> set[str]:
    """What links call the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_inside_the_repository_leads_somewhere(page):
    targets = [match["target"] for match in _LINK.finditer(page.read_text(encoding="utf-8"))]
    inside = [target for target in targets if "://" not in target]
    assert not [target for target in inside if not leads_somewhere(page, target)]


def test_every_error_is_explained():
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (\w+)$", page, re.MULTILINE))
    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert headings == {name for name in classes if issubclass(getattr(errors, name), ContextError)}


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module):
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for test in finder.find(importlib.import_module(module)):
        runner.run(test, out=said.append)
    assert not said, "".join(said)
