"""A folder that is made files of a user: edits and deletions are followed, and nothing else is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from biblicus_context.errors import InputError
from biblicus_context.systems.prime import ContextAssemblyService, File, Message, StoredService

T = TypeVar("T")


def run(work: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await work

    return asyncio.run(awaited())


@pytest.fixture
def service(tmp_path: Path) -> StoredService:
    return ContextAssemblyService.open(tmp_path / "prime")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "plans").mkdir(parents=True)
    (folder / "plans" / "launch.md").write_text(
        "# Launch\n\nWe ship the lamp on Friday.\n", "utf-8"
    )
    (folder / "team.txt").write_text("Ann leads the team.\n", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    return folder


def test_a_folder_is_followed(service: StoredService, notes: Path):
    run(service.files.put(File(id="own", path="own.md", content="Mine.", owner_user_id="ann")))
    done = run(service.files.sync(notes, "ann"))
    assert sorted(done.written) == ["notes/plans/launch.md", "notes/team.txt"]
    assert [each.name for each in done.skipped] == ["picture.png"]
    context = run(service.build_prime_context("t", "When do we ship the lamp?", "ann"))
    assert context.items[0].path == "plans/launch.md"
    assert run(service.build_prime_context("t", "When do we ship the lamp?", "bob")).items == ()

    again = run(service.files.sync(notes, "ann"))
    assert (again.written, again.unchanged, again.removed) == ((), 2, ())

    (notes / "plans" / "launch.md").write_text("We ship the lamp on Monday.\n", "utf-8")
    (notes / "team.txt").unlink()
    third = run(service.files.sync(notes, "ann"))
    assert (third.written, third.removed) == (("notes/plans/launch.md",), ("notes/team.txt",))
    text = run(service.build_prime_context("t", "When do we ship the lamp?", "ann")).text
    assert "Monday" in text
    assert "Friday" not in text
    assert run(service.files.remove("own", user_id="ann")).documents == 1


def test_a_file_that_cannot_be_read_now_stays(
    service: StoredService, notes: Path, monkeypatch: pytest.MonkeyPatch
):
    run(service.files.sync(notes, "ann"))
    from biblicus_context.ingest.files.walking import SkippedFile
    from biblicus_context.ingest.imports import folder_files

    locked = lambda found, _: SkippedFile(found.name, "cannot be read: busy", for_now=True)  # noqa: E731
    monkeypatch.setattr(folder_files, "read", locked)
    assert run(service.files.sync(notes, "ann")).removed == ()


def test_patterns_choose_and_two_folders_do_not_meet(service: StoredService, notes: Path):
    assert run(service.files.sync(notes, "ann", include=("*.md",))).written == (
        "notes/plans/launch.md",
    )
    other = run(service.files.sync(notes, "ann", source="copy", exclude=("plans/",)))
    assert other.written == ("copy/team.txt",)
    assert run(service.files.sync(notes, "ann", source="copy")).removed == ()
    with pytest.raises(InputError, match="no such file or folder"):
        run(service.files.sync(notes / "gone", "ann"))


def test_a_user_who_is_forgotten_gets_a_certificate_without_a_word_of_theirs(
    service: StoredService, notes: Path
):
    run(service.files.sync(notes, "ann"))
    run(service.references.add("launch", "notes/team.txt", user_id="ann"))
    said = Message(id="m1", role="user", content="Let us plan the launch.")
    run(service.messages.add("launch", said, user_id="ann"))
    done = run(service.forget_user("ann"))
    assert done.removed == {
        "files": ("notes/plans/launch.md", "notes/team.txt"),
        "threads": ("launch",),
        "messages": ("6:launch/m1",),
    }
    assert done.remains_until is None
    assert run(service.forget_user("ann")).removed == {}
    assert run(service.build_prime_context("launch", "Who leads the team?", "ann")).text == ""
