"""The contract of repositories of files, references and messages, as a class of pytest tests.

It is the definition of what a prime context may ask: every answer is about one user, and a query is
words, never query syntax.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

import pytest

from biblicus_context import (
    ContextReferenceRepository,
    FileMatch,
    FileRepository,
    MessageRepository,
    ThreadMessage,
    UserFile,
)

T = TypeVar("T")
_NOW = datetime(2026, 5, 8, tzinfo=UTC)
_HOSTILE = (
    "", " ", "\0", "'", '"', "' & ship | '", 'AND OR NOT NEAR("x" 2)', "ship:*", "%", "_", "\\", "ship\ud800",
    "{input.user}", "{{ 7 * 7 }}", "*" * 1000, "ship " * 5000, "); DROP TABLE files; --",
)  # fmt: skip


class UserFiles(Protocol):
    """The repositories under test, and how their test fills them."""

    @property
    def files(self) -> FileRepository: ...
    @property
    def references(self) -> ContextReferenceRepository: ...
    @property
    def messages(self) -> MessageRepository: ...
    async def put(self, *files: UserFile) -> None:
        """Write files; each replaces the one of its id and owner."""

    async def refer(self, thread_id: str, file_id: str, user_id: str) -> None:
        """Let a thread refer to a file of the user."""

    async def say(self, thread_id: str, message: ThreadMessage, user_id: str) -> None:
        """Add a message to a thread of the user."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of async work."""
    return asyncio.run(work)


def paths(found: Sequence[FileMatch]) -> list[str]:
    """The paths of what was found, each once, in order."""
    return [*dict.fromkeys(each.path for each in found)]


class UserFilesContract:
    """A subclass gives the fixture `user_files`: empty repositories."""

    @pytest.fixture
    def filled(self, user_files: UserFiles) -> UserFiles:
        run(self._fill(user_files))
        return user_files

    async def _fill(self, user_files: UserFiles) -> None:
        for owner, day in (("ann", "Friday"), ("bob", "Sunday")):
            await user_files.put(
                UserFile(id="plan", path="docs/timeline.md", content=f"We ship lamps on {day}.", owner_user_id=owner),
                UserFile(id="other", path="notes/tea.md", content="Green tea wants hot water.", owner_user_id=owner),
            )  # fmt: skip
            await user_files.refer("t1", "plan", owner)
            for minute, text in enumerate(("first", "second", "third")):
                said = ThreadMessage(
                    role="user",
                    content=f"{owner} {text}",
                    created_at=_NOW + timedelta(minutes=minute),
                )
                await user_files.say("t1", said, owner)

    def test_full_text_finds_the_file_with_the_words(self, filled: UserFiles) -> None:
        (found,) = run(filled.files.search_content("When do we ship?", "ann"))
        assert (found.path, "Friday" in found.content) == ("docs/timeline.md", True)

    def test_keywords_find_a_file_with_any_of_them(self, filled: UserFiles) -> None:
        found = run(filled.files.search_by_keywords(["lamps", "nowhere", "ship lamps"], "ann"))
        assert paths(found) == ["docs/timeline.md"]

    def test_fuzzy_search_forgives_misspelt_names(self, filled: UserFiles) -> None:
        assert paths(run(filled.files.fuzzy_search("timelne.md", "ann"))) == ["docs/timeline.md"]
        assert paths(run(filled.files.fuzzy_search("timelne.md", "ann", threshold=0.95))) == []

    def test_limits_are_kept(self, user_files: UserFiles) -> None:
        files = [UserFile(id=f"f{n}", path=f"a/{n}.md", content=f"Lamp {n}.", owner_user_id="ann") for n in range(9)]  # fmt: skip
        run(user_files.put(*files))
        assert len(run(user_files.files.search_content("lamp", "ann", limit=4))) == 4
        assert len(run(user_files.files.search_by_keywords(["lamp"], "ann", limit=3))) == 3

    def test_the_longest_names_are_found_again(self, user_files: UserFiles) -> None:
        file, thread, message = ("é" * 399 + end for end in "ftm")
        run(user_files.put(UserFile(id=file, path=f"{file[:-3]}.md", content="Lamp.", owner_user_id="ann")))  # fmt: skip
        run(user_files.refer(thread, file, "ann"))
        run(user_files.say(thread, ThreadMessage(id=message, role="user", content="Lamp."), "ann"))
        run(user_files.files.update_access_time(file, "ann"))
        for found in (
            run(user_files.files.search_content("lamp", "ann")),
            run(user_files.files.search_by_keywords(["lamp"], "ann")),
            run(user_files.files.get_recently_accessed("ann")),
            run(user_files.references.find_by_thread_id(thread, "ann")),
            run(user_files.messages.get_recent(thread, "ann")),
        ):
            (only,) = found
            assert only.content == "Lamp."

    @pytest.mark.parametrize("query", _HOSTILE)
    def test_a_query_is_never_query_syntax(self, filled: UserFiles, query: str) -> None:
        for found in (
            run(filled.files.search_content(query, "ann")),
            run(filled.files.search_by_keywords([query], "ann")),
            run(filled.files.fuzzy_search(query, "ann")),
        ):
            assert not any("Sunday" in each.content for each in found)

    def test_files_that_were_opened_come_last_opened_first(self, filled: UserFiles) -> None:
        assert run(filled.files.get_recently_accessed("ann")) == []
        for name in ("plan", "other", "plan", "unknown"):
            run(filled.files.update_access_time(name, "ann"))
        assert paths(run(filled.files.get_recently_accessed("ann"))) == ["docs/timeline.md", "notes/tea.md"]  # fmt: skip
        assert paths(run(filled.files.get_recently_accessed("ann", limit=1))) == ["docs/timeline.md"]  # fmt: skip
        assert run(filled.files.get_recently_accessed("bob")) == []

    def test_feedback_says_whether_the_user_has_such_an_item(self, filled: UserFiles) -> None:
        said = [
            run(repository.record_feedback(name, user, useful=True))
            for repository in (filled.files, filled.messages)
            for name, user in (("plan", "ann"), ("unknown", "ann"), ("plan", "eve"))
        ]
        assert said == [True, False, False, False, False, False]

    def test_a_thread_has_the_references_of_its_user(self, filled: UserFiles) -> None:
        (found,) = run(filled.references.find_by_thread_id("t1", "ann"))
        assert "Friday" in found.content
        assert run(filled.references.find_by_thread_id("t2", "ann")) == []
        assert run(filled.references.find_by_thread_id("t1", "eve")) == []

    def test_the_last_messages_come_last_first(self, filled: UserFiles) -> None:
        recent = run(filled.messages.get_recent("t1", "ann", limit=2))
        assert [each.content for each in recent] == ["ann third", "ann second"]
        assert [each.role for each in recent] == ["user", "user"]
        assert run(filled.messages.get_recent("t2", "ann")) == []
        assert run(filled.messages.get_recent("t1", "eve")) == []

    def test_what_is_said_twice_is_there_twice(self, user_files: UserFiles) -> None:
        for minute in range(3):
            said = ThreadMessage(role="user", content="Yes.", created_at=_NOW + timedelta(minutes=minute))  # fmt: skip
            run(user_files.say("t1", said, "ann"))
        assert len(run(user_files.messages.get_recent("t1", "ann"))) == 3

    def test_a_write_changes_the_version_of_its_user_alone(self, filled: UserFiles) -> None:
        async def versions(user: str) -> tuple[object, object]:
            return await filled.files.get_version(user), await filled.messages.get_version(user)

        before = {user: run(versions(user)) for user in ("ann", "bob", "eve")}
        assert {user: run(versions(user)) for user in before} == before
        run(filled.put(UserFile(id="new", path="new.md", content="New.", owner_user_id="ann")))
        run(filled.say("t9", ThreadMessage(role="user", content="Hello."), "bob"))
        after = {user: run(versions(user)) for user in before}
        assert after["ann"][0] != before["ann"][0]
        assert after["bob"][1] != before["bob"][1]
        assert (after["ann"][1], after["bob"][0], after["eve"]) == (before["ann"][1], before["bob"][0], before["eve"])  # fmt: skip

    def test_what_was_written_is_found_at_once_and_what_it_replaced_is_not(
        self, filled: UserFiles
    ) -> None:
        run(filled.put(UserFile(id="plan", path="docs/timeline.md", content="We ship on Monday.", owner_user_id="ann")))  # fmt: skip
        (found,) = run(filled.files.search_content("ship", "ann"))
        assert "Monday" in found.content
        (kept,) = run(filled.files.search_content("ship", "bob"))
        assert "Sunday" in kept.content
