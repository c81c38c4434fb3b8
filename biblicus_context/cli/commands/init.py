"""The command `init`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from biblicus_context.base.file_content import file_content
from biblicus_context.base.rewrite import replace_file
from biblicus_context.base.yaml_additions import with_items
from biblicus_context.cli.options.reference import InitArguments
from biblicus_context.cli.output.terminal import write
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.errors import ContextError, LoadError, closest
from biblicus_context.installation import install_command
from biblicus_context.reading import read_documents
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.kinds import Declaration
from biblicus_context.starter import systems
from biblicus_context.starter.files import is_earlier, starter_files

_NEXT = (
    "biblicus-context render support --examples",
    "biblicus-context lint",
    "biblicus-context test",
)

_SEARCHING = "corpus"
"""The extra that every search needs; installing it is the first step where numpy is missing."""
_BY_WORDS = (
    "The handbook is searched by words. To search by meaning as well: {command}, "
    "then follow contexts/handbook.yaml."
)

_HOOKS = ".pre-commit-config.yaml"
_IGNORED = ".gitignore"
_EXTENDED = (_IGNORED, _HOOKS)
"""Most projects have these already."""


def init(args: InitArguments) -> None:
    if args.system is not None:
        _init_system(args.folder, args.system)
        return
    can_search = find_spec("numpy") is not None
    words_only = can_search and find_spec("wordllama") is None
    files = starter_files(words_only=words_only)
    if not _missing(args.folder, files):
        raise _all_there(args.folder)
    _refuse_other_plans(args.folder, files)
    hooks = args.folder / _HOOKS
    before = _content(hooks)
    # Worked out before anything is written: the file may be one that cannot be added to.
    after = (
        None
        if before is None
        else with_items(_text(before, hooks), "repos", files[_HOOKS], file=str(hooks))
    )
    _write(args.folder, {path: files[path] for path in files if path != _HOOKS or after is None})
    if after is not None:
        replace_file(hooks, before, after.encode())
    if is_quiet():
        return
    _write_what_was_done(
        args.folder, files, _NEXT if can_search else (install_command(_SEARCHING), *_NEXT)
    )
    if words_only:
        write(_BY_WORDS.format(command=install_command(_SEARCHING)))


def _init_system(folder: Path, system: str) -> None:
    files = systems.system_files(system)
    is_complete = not _missing(folder, files)
    if not is_complete:
        _refuse_used_names(folder, files, system)
    _write(folder, files)
    filled = [*systems.fill(folder, system)]
    if is_complete and not filled:
        raise _all_there(folder)
    if is_quiet():
        return
    render = f"biblicus-context render {systems.first_context(folder, system)} --examples"
    tested = any(path.endswith(".test.yaml") for path in files)
    _write_what_was_done(folder, files, (render, *_NEXT[1 : 3 if tested else 2]))
    for each in filled:
        records = f"{each.records} record{'' if each.records == 1 else 's'}"
        several = f" in each of the workspaces {', '.join(each.workspaces)}"
        write(f"corpus {each.corpus}: {records}{several if len(each.workspaces) > 1 else ''}")


def _refuse_other_plans(folder: Path, files: Mapping[str, str]) -> None:
    """The example has names of its own: next to other plans, one of them may be used twice."""
    others = [each.relative_to(folder).as_posix() for each in _other_plans(folder, files)]
    if others:
        raise ContextError(
            f"there are plans already: {', '.join(closest(others[0], others))}",
            place=str(folder),
            fix="Nothing was written. Try the example in a folder of its own: "
            "biblicus-context init example. A system is added to plans with init --system.",
        )


def _refuse_used_names(folder: Path, files: Mapping[str, str], system: str) -> None:
    """A name that two files declare would break every command."""
    added = {(type(each), each.name) for each in systems.declarations(system)}
    both = [
        f"'{found.name}' ({place})"
        for plan in _other_plans(folder, files)
        for found, place in _declared_in(plan)
        if (type(found), found.name) in added
    ]
    if both:
        fix = "Nothing was written. Rename them, or choose another folder."
        problem = f"the plan of this system uses names that are here already: {', '.join(both)}"
        raise ContextError(problem, place=str(folder), fix=fix)


def _declared_in(plan: Path) -> Iterator[tuple[Declaration, str]]:
    for document in read_documents(read_plan(plan), str(plan)):
        if not isinstance(document, LoadError):
            yield document.declaration, f"{document.file}:{document.line}"


def _other_plans(folder: Path, files: Mapping[str, str]) -> list[Path]:
    own = {folder / path for path in files}
    plans = (each for end in ("yaml", "yml") for each in folder.glob(f"contexts/**/*.{end}"))
    return sorted(each for each in plans if each not in own)


def _write_what_was_done(folder: Path, files: Iterable[str], following: Iterable[str]) -> None:
    write(f"written to {folder}:" if folder != Path() else "written:")
    for path in files:
        write(f"  {path}")
    write("next:")
    for command in [
        *([f"cd {shlex.quote(str(folder))}"] if folder != Path() else []),
        *following,
    ]:
        write(f"  {command}")


def _content(file: Path) -> bytes | None:
    """The bytes of a file, none of a link that leads nowhere, or None where nothing is."""
    if not os.path.lexists(file):
        return None
    try:
        return file_content(file)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ContextError(f"cannot be read: {error.strerror}", place=str(file)) from None


def _text(content: bytes, file: Path) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        fix = "Save it as UTF-8; nothing was written."
        raise ContextError("the file is not UTF-8 text", place=str(file), fix=fix) from None


def _missing(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What is still to be written, so that a run that was stopped can be finished by another one.

    An error names the files that are there with another content.
    """
    own = {path: text for path, text in files.items() if path not in _EXTENDED}
    found = {path: _content(folder / path) for path in own}
    others = [
        path
        for path, there in found.items()
        if there not in (None, own[path].encode()) and not is_earlier(path, there or b"")
    ]
    if others:
        raise ContextError(
            f"these files already exist: {', '.join(others)}",
            place=str(folder),
            fix="Nothing was written. Choose another folder, or move these files.",
        )
    return [path for path, there in found.items() if there != own[path].encode()]


def _all_there(folder: Path) -> ContextError:
    fix = "Nothing was written. Choose another folder for another project."
    return ContextError("the whole project is there already", place=str(folder), fix=fix)


def _write(folder: Path, files: Mapping[str, str]) -> None:

    for path, text in files.items():
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if path == _IGNORED:
                _extend(target, text)
            elif (before := _content(target)) != text.encode():
                replace_file(target, before, text.encode())
        except OSError as error:
            problem = f"cannot be written: {error.strerror}"
            raise ContextError(problem, place=str(target)) from None


def _extend(target: Path, text: str) -> None:
    """Add what a file lacks, as lines of their own at its end."""
    with target.open("a+", encoding="utf-8", errors="surrogateescape") as file:
        file.seek(0)
        before = file.read()
        known = before.splitlines()
        missing = [line for line in text.splitlines() if line not in known]
        if missing:
            begin = "" if not before or before.endswith("\n") else "\n"
            file.write(begin + "\n".join(missing) + "\n")
