"""Someone who tries a page of the documentation from top to bottom, in a folder of its own.

- `python`: run, in one namespace for the page; with `>>>` as a doctest, errors included; under
  `# with NAME VERSION` in its first line run where that peer of the benchmarks is installed;
  under `# some/path.py` not run, but that file, which a command runs;
- `text`: exactly what the code above it printed;
- `yaml`: loads without a problem; under `# some/path.yaml` in its first line it becomes that file.
  A list of directives, or keys without `kind`, stand for that part of a context; a golden test
  is read as one; under a path that begins with a dot it is configuration of another tool, and under
  `# service.yaml` settings of the service;
- `json`: is JSON;
- `toml`: is TOML, and becomes the file in its first line;
- `console`: each `$ command` is run, and printed exactly what follows it; one that ends in a
  backslash goes on in the next line; `cd` holds from then on;
- `sh`: commands whose output is not shown; not run;
- `nginx`, `ini` (a unit of systemd), `dockerfile`: checked for their syntax;
- `diff`: an example of a rule, which the tests of the linter read.

A block under a tab (`=== "pip"`) is indented, and read like any other.

A page with `lua` is read in `tests/integrations/tactus`, where Tactus is installed, and a recipe
with a program in `tests/docs/test_recipes.py`, where a model answers.
"""

from __future__ import annotations

import configparser
import contextlib
import doctest
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import yaml

from benchmarks.environments import REQUIREMENTS, python_of
from biblicus_context.errors import LoadError
from biblicus_context.golden.suite.suite import read_suite
from biblicus_context.reading import read_documents
from biblicus_context.spec.contexts_test import TEST_KIND
from tests.docs.forked import commands

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_INSTRUCTIONS = {"FROM", "COPY", "RUN", "USER", "WORKDIR", "EXPOSE", "ENTRYPOINT", "CMD", "ENV"}
PROGRAM = "support.py"
"""What the recipes call theirs."""

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_FILE = re.compile(r"# (?P<path>\S+\.(?:ya?ml|toml|py))\n")
_PEER = re.compile(r"# with (?P<name>[\w-]+) (?P<version>[\d.]+)\n")
_UV = re.compile(r"\buv run --no-dev (--extra \w+ )?")


class Block(NamedTuple):
    """One fenced part of a page."""

    kind: str
    body: str
    line: int

    @property
    def file(self) -> str | None:
        """The path in its first line."""
        named = _FILE.match(self.body)
        return named["path"] if named else None


@dataclass
class Reader:
    """Reads one page; what its code defines and prints lasts until the end of the page."""

    page: Path
    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    printed: str = ""

    def try_all(self) -> None:
        """Every block of the page, in order."""
        for block in blocks(self.page):
            if block.kind:
                getattr(self, block.kind)(block)

    def at(self, block: Block) -> str:
        return f"{self.page.relative_to(ROOT)}:{block.line}"

    def python(self, block: Block) -> None:
        peer = _PEER.match(block.body)
        if block.file:
            self._keep(block)
        elif peer:
            self.printed = self._run([str(installed(**peer.groupdict())), "-c", block.body])
        elif ">>>" in block.body:
            self._doctest(block)
        else:
            code = compile(
                "\n" * block.line + block.body, str(self.page), "exec", dont_inherit=True
            )
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
        if block.file and block.file.startswith("."):
            assert isinstance(yaml.safe_load(block.body), dict), self.at(block)
        elif block.file == "service.yaml":
            from biblicus_context.service import (
                ServiceSettings,
            )  # the tests of Tactus have no Starlette

            ServiceSettings.of(yaml.safe_load(block.body))
        elif f"kind: {TEST_KIND}" in block.body:
            read_suite(block.body, Path(self.at(block)))
        else:
            found = read_documents(as_plan(block.body), block.file or self.at(block))
            assert not [each for each in found if isinstance(each, LoadError)]
        self._keep(block)

    def toml(self, block: Block) -> None:
        assert tomllib.loads(block.body), self.at(block)
        self._keep(block)

    def json(self, block: Block) -> None:
        json.loads(block.body)

    def jsonl(self, block: Block) -> None:
        assert all(json.loads(line) for line in block.body.splitlines()), self.at(block)
        self._keep(block)

    def console(self, block: Block) -> None:
        for shown in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
            command, expected = re.split(r"(?<!\\)\n", shown, maxsplit=1)
            printed = self.shell(command)
            assert stripped(printed) == stripped(expected), f"{self.at(block)} printed:\n{printed}"

    def shell(self, command: str) -> str:
        """What a command prints; `cd` holds for the rest of the page."""
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            os.chdir(self.folder)
            return ""
        return self._run(["bash", "-c", _UV.sub("", command)])

    def sh(self, block: Block) -> None:
        """Not run: these commands install things or run this very test."""

    def nginx(self, block: Block) -> None:
        """Every block of it is closed, and every directive ends."""
        assert block.body.count("{") == block.body.count("}"), self.at(block)
        for line in filter(None, (each.strip() for each in block.body.splitlines())):
            assert line.endswith(("{", "}", ";")), f"{self.at(block)}: {line}"

    def ini(self, block: Block) -> None:
        known = configparser.RawConfigParser(strict=False)
        known.read_string(block.body)
        assert {"Unit", "Service", "Install"} <= {*known.sections()}, self.at(block)

    def dockerfile(self, block: Block) -> None:
        for line in filter(None, block.body.splitlines()):
            assert line.split()[0] in _INSTRUCTIONS, f"{self.at(block)}: {line}"

    def diff(self, block: Block) -> None:
        """Not run: the tests of the linter read the examples of its rules."""

    def _keep(self, block: Block) -> None:
        if block.file:
            file = self.folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.body, encoding="utf-8")

    def _run(self, command: list[str]) -> str:
        finished = subprocess.run(
            command,
            cwd=self.folder,
            env={**with_quick_commands(), "XDG_CACHE_HOME": str(self.folder / ".cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return finished.stdout


def environment() -> dict[str, str]:
    """The programs of this environment first, and this package as it is here."""
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    return {
        **os.environ,
        "PATH": os.pathsep.join(programs),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
        "COLUMNS": "100",
    }


def with_quick_commands() -> dict[str, str]:
    """The same, where the commands of this package need no start of Python each."""
    known = environment()
    return {**known, "PATH": os.pathsep.join([str(commands()), known["PATH"]])}


def installed(name: str, version: str) -> Path:
    """The interpreter of a peer of the benchmarks, if that is the version they have."""
    peer = name.replace("-", "_")
    pinned = (REQUIREMENTS / f"{peer}.txt").read_text(encoding="utf-8").splitlines()
    assert f"{name}=={version}" in pinned, f"{name} {version} is not what benchmarks/peers has"
    return python_of(peer)


def blocks(page: Path) -> list[Block]:
    """All fenced parts of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(match["kind"], dedent(match["body"]), text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
    ]


def in_lua(page: Path) -> bool:
    """Whether a page has procedures of Tactus, which only its own environment can run."""
    return any(block.kind == "lua" for block in blocks(page))


def asks_a_model(page: Path) -> bool:
    """Whether a page has a program that does."""
    return page.parent.name == "recipes" and any(block.file == PROGRAM for block in blocks(page))


def as_plan(text: str) -> str:
    """A part of a context as a whole one."""
    if text.startswith("- "):
        indented = "".join(f"  {line}" for line in text.splitlines(keepends=True))
        return f"kind: context\nname: example\nmessages:\n{indented}"
    if not re.search(r"^\{?kind:", text, re.MULTILINE):
        return f"kind: context\nname: example\n{text}"
    return text


def stripped(text: str) -> str:
    """Without spaces at the ends of lines, which readers do not see."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
