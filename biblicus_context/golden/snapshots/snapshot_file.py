"""Snapshot files: one for each file of tests, a section for each call, replaced whole or not at all.

A section begins with `---` in a line of its own; everything in it is indented or begins with a key,
so sections can be split and compared as text, and unchanged ones are never rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from biblicus_context.base.file_content import file_content
from biblicus_context.base.rewrite import replace_file
from biblicus_context.errors import LoadError

FOLDER = "__snapshots__"
_BREAK = "---\n"
_HEAD = """\
# Results of contexts, written by `biblicus-context test --update`.
# Review a change here as you review code.
"""


@dataclass(frozen=True)
class Snapshots:
    """The sections of one snapshot file, by the name in their first line."""

    file: Path
    before: bytes | None
    head: str
    sections: Mapping[str, str]

    def updated(self, written: Mapping[str, str], names: Iterable[str]) -> bytes | None:
        """The file's content with new sections, in the order of `names` and without any others."""
        sections = {**self.sections, **written}
        kept = [sections[name] for name in names if name in sections]
        if not kept:
            return None
        return "".join([self.head, *(f"{_BREAK}{section}" for section in kept)]).encode()

    def write(self, content: bytes | None) -> None:
        """Replace the file's content; None deletes the file."""
        if content == self.before:
            return
        self._refuse_links()
        try:
            if content is None:
                self.file.unlink()
                return
            self.file.parent.mkdir(exist_ok=True)
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            raise LoadError(problem, file=str(self.file)) from None
        replace_file(self.file, self.before, content)

    def _refuse_links(self) -> None:
        """A link could lead out of the project, to a file that is not ours to write or delete."""
        for each in (self.file.parent, self.file):
            if each.is_symlink():
                fix = "Replace it with a file or folder of its own."
                raise LoadError(
                    "this is a link; snapshots are not written through links",
                    file=str(each),
                    fix=fix,
                )


def snapshot_file(test: Path) -> Path:
    """Where the snapshots of a file of tests are kept.

    >>> print(snapshot_file(Path("contexts/support.test.yaml")).as_posix())
    contexts/__snapshots__/support.yaml
    """
    return test.parent / FOLDER / test.name.replace(".test.", ".")


def read_snapshots(test: Path) -> Snapshots:
    """The snapshots of a file of tests; raises LoadError where they cannot be read."""
    file = snapshot_file(test)
    try:
        before = file_content(file)
        text = before.decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        return Snapshots(file, None, _HEAD, {})
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except UnicodeDecodeError:
        fix = "Restore it, or delete it and write it again with --update."
        raise LoadError("the file is not valid UTF-8", file=str(file), fix=fix) from None
    head, *sections = f"\n{text}".split(f"\n{_BREAK}")
    named = ((section.partition("\n")[0], section) for section in _ended(sections))
    return Snapshots(file, before, f"{head[1:]}\n" if head[1:] else "", dict(named))


def orphans(folder: Path) -> Iterator[Path]:
    """Snapshot files of a folder whose tests no longer exist."""
    for file in sorted((folder / FOLDER).glob("*.y*ml")):
        test = folder / f"{file.stem}.test{file.suffix}"
        if not test.exists() and not (folder / file.name).exists():
            yield file


def _ended(sections: list[str]) -> Iterator[str]:
    """Sections as they were written: splitting took the line break off all but the last."""
    for number, section in enumerate(sections, 1):
        yield section if number == len(sections) else f"{section}\n"
