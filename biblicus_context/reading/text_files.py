"""Texts that a plan keeps in files of their own: `content: {file: prompts/style.md}`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from biblicus_context.base.paths import path_of, resolved
from biblicus_context.errors import InputError, LoadError
from biblicus_context.reading.files import plan_files, read_plan
from biblicus_context.reading.yaml.decoding import as_text
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Node, Step, Tree

TEXT_KEYS: Final = ("content", "template")
_ROOT_MARKS: Final = (".git", "pyproject.toml", "biblicus-context.toml")
_PROJECT: Final = "contexts"
_ABSOLUTE: Final = re.compile(r"/|\\|~|[A-Za-z]:")
_LINE_END: Final = re.compile(r"\r\n|\r")

Steps = tuple[Step, ...]


class TextFile(NamedTuple):
    """A file that a plan takes a text from."""

    path: str
    text: str


class WithTexts(NamedTuple):
    """The value of a document with its texts from files in place, and where each comes from."""

    value: Mapping[str, Any]
    files: Mapping[Steps, TextFile] = MappingProxyType({})
    """By the path of the text in the document."""
    problems: Sequence[LoadError] = ()


def with_text_files(tree: Tree, roots: Collection[Path] = ()) -> WithTexts:
    """The value of a document in which each `{file: ...}` of a message is the text of that file.

    `roots` are folders that the plans were looked for in: with the folder of the plan, they are the
    project where no mark says what it is.
    """
    assert isinstance(tree.root.value, dict)
    named = [*_named(tree)]
    if not named:
        return WithTexts(tree.root.value)
    files: dict[Steps, TextFile] = {}
    problems: list[LoadError] = []
    for steps, node in named:
        try:
            files[steps] = _read(tree, node, str(node.value), roots)
        except LoadError as error:
            problems.append(error)
    value: Any = tree.root.value
    for steps, file in files.items():
        value = _replaced(value, steps, file.text)
    return WithTexts(value, files, problems)


def text_files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that plans in these files and folders take texts from, whether they exist or not."""
    for plan in plan_files(paths):
        if isinstance(plan, Path):
            with suppress(LoadError):
                yield from map(Path, named_text_files(str(plan), read_plan(plan)))


def named_text_files(plan: str, data: bytes) -> Iterator[str]:
    """The files that a plan takes texts from, whether they exist or not, as paths."""
    for tree in read_trees(data, plan):
        if isinstance(tree, Tree):
            for _, node in _named(tree):
                with suppress(InputError):  # no file can have this name
                    yield str(_target(plan, str(node.value)))


def project_of(plan: Path, roots: Collection[Path] = ()) -> Path:
    """The folder that the files of a plan must be in.

    The nearest one that is marked as the root of a repository or a project, else the nearest one
    named `contexts`, else the folder in which plans were looked for, else the plan's own.
    """
    folder = resolved(plan).parent
    above = (folder, *folder.parents)
    for each in above:
        if any(os.path.exists(each / mark) for mark in _ROOT_MARKS):
            return each
    around = (each for each in above if each.name == _PROJECT)
    given = (each for root in roots if folder.is_relative_to(each := resolved(root)))
    return next(around, None) or next(given, folder)


def _named(tree: Tree) -> Iterator[tuple[Steps, Node]]:
    messages = tree.root.part("messages")
    for number, directive in enumerate(messages.items if messages else ()):
        path: Steps = ("messages", number)
        yield from _named_in(directive, path)
        group = directive.part("first")
        for at, alternative in enumerate(group.items if group else ()):
            yield from _named_in(alternative, (*path, "first", at))


def _named_in(directive: Node, path: Steps) -> Iterator[tuple[Steps, Node]]:
    for key in TEXT_KEYS:
        text = directive.part(key)
        file = text.part("file") if text else None
        if file is not None and isinstance(file.value, str):
            yield (*path, key), file


def _target(plan: str, written: str) -> Path:
    path_of(written)
    joined = os.path.join(Path(plan).parent, written)
    plain = os.path.normpath(joined)
    # With a link in front of "..", the plain path may be another file.
    return Path(plain if os.path.realpath(plain) == os.path.realpath(joined) else joined)


def _read(tree: Tree, node: Node, written: str, roots: Collection[Path]) -> TextFile:
    target = _checked(tree, node, written, roots)
    if not os.path.exists(target):
        problem, fix = (
            "there is no such file",
            "Create it, or correct the path relative to this file.",
        )
        raise tree.error(problem, node.place, found=written, fix=fix, mistake="invalid-text-file")
    try:
        text = as_text(read_plan(target), str(target))
    except LoadError as error:
        where = f"{written}:{error.line}:{error.column}" if error.line else written
        raise tree.error(
            f"{where}: {error.problem}",
            node.place,
            found=error.found,
            fix=error.fix,
            mistake="invalid-text-file",
        ) from None
    # Editors end a file with a line break, which nobody means to send.
    return TextFile(str(target), _LINE_END.sub("\n", text).removesuffix("\n"))


def _checked(tree: Tree, node: Node, written: str, roots: Collection[Path]) -> Path:
    """The file, if it is inside the project; links are followed before this is decided."""
    try:
        if _ABSOLUTE.match(written) or "\\" in written:
            fix = "Write it relative to this file."
            raise InputError("the path of a text must be relative", fix=fix)
        target = _target(tree.file, written)
        _refuse_outside(resolved(target), project_of(Path(tree.file), roots))
    except InputError as error:
        raise tree.error(
            error.problem, node.place, found=written, fix=error.fix, mistake="invalid-text-file"
        ) from None
    return target


def _refuse_outside(file: Path, project: Path) -> None:
    if not file.is_relative_to(project):
        fix = f"Move it into {project.name}/, the folder of the project."
        raise InputError("the file is outside the project", fix=fix)
    if any(part.startswith(".") for part in file.relative_to(project).parts):
        fix = "They often hold secrets: move the text to a file with another name."
        raise InputError("hidden files are not read as texts", fix=fix)


def _replaced(value: Any, steps: Steps, text: str) -> Any:
    """The value with a text at a path; only what is on the way there is copied."""
    if not steps:
        return text
    first, *rest = steps
    copied: Any = dict(value) if isinstance(value, dict) else list(value)
    copied[first] = _replaced(value[first], tuple(rest), text)
    return copied
