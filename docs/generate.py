"""Write everything in this repository that is generated: help texts, pages, schemas, pictures.

Run `python docs/generate.py` to update the files, or with `--check` only to list those that are
out of date.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from biblicus_context.cli.help_texts import help_file
from generators import (
    api_reference,
    command_help,
    command_reference,
    page_index,
    plan_reference,
    rooms,
    rule_pages,
)
from generators.pictures import pictures
from generators.schemas import documents

# Its numbers are the same on every machine, which a picture is compared on.
os.environ["BIBLICUS_CONTEXT_EMBEDDER"] = "wordllama"

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python docs/generate.py"
_DOCS = ROOT / "docs"
_CONTRIBUTING = ROOT / "CONTRIBUTING.md"
_RULES = _DOCS / "rules.md"
_HELP = Path(help_file()).parent
_PICTURES = _DOCS / "pictures"
_SCHEMAS = ROOT / "schemas"


def generated() -> dict[Path, str]:
    """Every generated file and its text."""
    manuals = command_help.manuals()
    schemas = documents.published().items()
    pages = {
        _DOCS / "api.md": api_reference.page(),
        _DOCS / "cli.md": command_reference.page(manuals),
        _DOCS / "plan-reference.md": plan_reference.page(),
        _RULES: rule_pages.index(_RULES.read_text(encoding="utf-8")),
    }
    return {
        **{Path(help_file(name)): command_help.text(each) for name, each in manuals.items()},
        **{_SCHEMAS / f"{name}.schema.json": documents.as_json(each) for name, each in schemas},
        _CONTRIBUTING: rooms.contributing(_CONTRIBUTING.read_text(encoding="utf-8")),
        **pages,
        _DOCS / "llms.txt": page_index.page(ROOT / "mkdocs.yml", _DOCS, pages),
    }


def drawn() -> dict[Path, str]:
    """Every picture: apart, because one is made by a command that searches."""
    return {_PICTURES / name: picture for name, picture in pictures().items()}


def obsolete(files: dict[Path, str]) -> set[Path]:
    """Files in the generated folders that nothing generates any more."""
    kept = {*_HELP.glob("*.txt"), *_SCHEMAS.glob("*.json"), *_PICTURES.iterdir()}
    return kept - files.keys()


def main() -> int:
    """Write the files, or report the ones that are out of date."""
    parser = argparse.ArgumentParser(description=__doc__, prog=COMMAND)
    parser.add_argument("--check", action="store_true", help="Change nothing; list stale files.")
    check = parser.parse_args().check
    files = generated() | drawn()
    stale = [file for file, text in files.items() if not _is_current(file, text)]
    gone = obsolete(files)
    for file in sorted([*stale, *gone]):
        sys.stdout.write(f"{'stale' if check else 'written'}: {file.relative_to(ROOT)}\n")
    if check:
        return 1 if stale or gone else 0
    for file in stale:
        file.write_text(files[file], encoding="utf-8")
    for file in gone:
        file.unlink()
    return 0


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
