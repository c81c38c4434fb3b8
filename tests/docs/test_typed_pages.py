"""Type checkers accept the programs of the pages of systems, with no plugin, as an editor reads them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.reader import ROOT, blocks

PAGES = sorted((ROOT / "docs" / "systems").glob("*.md"))
PROGRAMS = sorted((ROOT / "docs" / "examples" / "workspace").glob("*.py"))


WRONG = """\
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore

engine = ContextEngine(MemoryStore.open("memories"))
Memory(id="m1", contents="Tea.")  # no such field
print(engine.sync.search("tea").unwrap())  # no workspace
print(engine.sync.search("tea", "acme").value)  # it may be a failure
from biblicus_context.corpora import Corpuses  # no such name
"""
FOUND_WRONG = {("wrong.py", line) for line in (4, 5, 6, 7)}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of each page as a module, on the lines that it has in the page; and a wrong one."""
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES:
        lines: list[str] = []
        for block in blocks(page):
            if block.kind == "python":
                assert ">>>" not in block.body
                lines += [""] * (block.line - len(lines)) + block.body.splitlines()
        (folder / f"{page.stem}_page.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for program in PROGRAMS:
        (folder / program.name).write_bytes(program.read_bytes())
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    return folder


def errors(*command: object, cwd: Path) -> set[tuple[str, int]]:
    """The file and line of each error that a type checker reports."""
    words = [sys.executable, "-m", *map(str, command)]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    found = re.findall(r"(\w+\.py):(\d+)\b.* error: ", done.stdout)
    assert found, done.stdout + done.stderr
    return {(file, int(line)) for file, line in found}


def test_mypy_accepts_every_program_in_strict_mode(programs: Path):
    # In this folder, so that what `mypy` knows of the package is not worked out again.
    assert errors("mypy", "--strict", *sorted(programs.glob("*.py")), cwd=ROOT) == FOUND_WRONG


def test_pyright_accepts_every_program(programs: Path):
    settings = {"typeCheckingMode": "standard", "include": ["."]}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = "basedpyright", "--pythonpath", sys.executable, "--project", programs
    assert errors(*command, cwd=programs) == FOUND_WRONG
