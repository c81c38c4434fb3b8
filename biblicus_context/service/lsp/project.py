"""A project as an editor sees it: files on the disk, and texts that are not saved yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from biblicus_context.lint import (
    Declarations,
    LintedFile,
    LintReport,
    LintSettings,
    Plan,
    declarations_of,
    lint,
    load_settings,
    read_file,
)
from biblicus_context.reading import Outline

_FOLDER: Final = "contexts"


@dataclass(frozen=True)
class CheckedProject:
    """What is known of a project at one moment."""

    report: LintReport
    files: dict[str, LintedFile]
    settings: LintSettings

    @property
    def outlines(self) -> Iterator[Outline]:
        """Each document in brief, those with mistakes as far as they could be read."""
        for each in self.files.values():
            yield from (entry.outline for entry in each.entries)

    @cached_property
    def declared(self) -> Declarations:
        """All that the files declare, as rules see it."""
        files = self.files.values()
        return declarations_of(
            [entry for each in files for entry in each.understood_entries],
            self.settings,
            partly_read=[entry for each in files for entry in each.partly_read_entries],
        )

    def plan_at(self, file: str, line: int) -> Plan | None:
        """The document that a line belongs to."""
        before = [each for each in self.plans(file) if each.document.tree.first_line <= line]
        return before[-1] if before else None

    def plans(self, file: str) -> list[Plan]:
        """The documents of a file."""
        return [*self.files[file].plans] if file in self.files else []


class OpenProject:
    """The plans around a file; a file is read again only if it has changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str] = {}
        self._read: dict[str, tuple[bytes | None, LintedFile]] = {}

    @staticmethod
    def root_of(file: Path) -> Path:
        """The nearest folder of contexts above a file, else the file itself."""
        return next((each for each in file.parents if each.name == _FOLDER), file)

    def write(self, file: Path, text: str) -> None:
        """Take a text that is not saved in place of the file."""
        self._texts[str(file)] = text

    def forget(self, file: Path) -> None:
        """Take the file on the disk again."""
        self._texts.pop(str(file), None)

    def text(self, file: Path) -> str:
        """What the editor shows, or what is on the disk."""
        known = self._texts.get(str(file))
        return file.read_text(encoding="utf-8") if known is None else known

    def checked(self) -> CheckedProject:
        """Lint everything as it is now; raises ContextError where nothing can be read."""
        settings = load_settings(self.root)
        seen: dict[str, LintedFile] = {}

        def read(path: Path, roots: Collection[Path]) -> LintedFile:
            seen[str(path)] = found = self._file(path, roots)
            return found

        return CheckedProject(lint([self.root], settings, read=read), seen, settings)

    def _file(self, path: Path, roots: Collection[Path]) -> LintedFile:
        text = self._texts.get(str(path))
        data = _bytes(path) if text is None else text.encode(errors="replace")
        known = self._read.get(str(path))
        if known is None or known[0] != data or data is None or known[1].texts.keys() - {str(path)}:
            known = self._read[str(path)] = data, read_file(path, roots, data)
        return known[1]


def _bytes(path: Path) -> bytes | None:
    """None where it cannot be read, which reading it again reports."""
    try:
        return path.read_bytes()
    except OSError:
        return None
