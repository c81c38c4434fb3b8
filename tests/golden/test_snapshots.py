"""Snapshots: written with --update, compared exactly, and touched only where something changed."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
import yaml

from biblicus_context.errors import LoadError
from biblicus_context.golden import GoldenOptions
from biblicus_context.golden.snapshots.snapshot_file import read_snapshots, snapshot_file
from tests.golden.projects import Folder, said

UPDATE = GoldenOptions(update=True)
TWO = """\
  - {name: first, expect: {snapshot: true}}
  - {name: "second: with a colon", packs: {handbook: ["One.\\nTwo."]}, expect: {snapshot: true}}
"""


def stored(folder: Folder) -> Path:
    return folder.path / "contexts" / "__snapshots__" / "x.yaml"


def test_a_missing_snapshot_fails_with_the_line_to_run(folder: Folder) -> None:
    verdict = folder.verdict("expect: {snapshot: true}")
    file = folder.path / "contexts" / "x.test.yaml"
    (failure,) = verdict.failures
    assert failure.problem == "the snapshot is missing"
    assert failure.expected == f"a snapshot; write it with: biblicus-context test {file} --update"
    assert not stored(folder).exists()


def test_update_writes_what_is_sent_and_what_was_left_out(folder: Folder) -> None:
    folder.test_file(TWO)
    report = folder.run(UPDATE)
    assert report.files[0].written == ("first", "second: with a colon")
    assert report.failed == 0
    first, second = yaml.safe_load_all(stored(folder).read_text(encoding="utf-8"))
    assert list(first) == ["case", "tokens", "budget", "messages", "left_out"]
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert first["left_out"] == ["handbook block gifts dropped"]
    assert second["case"] == "second: with a colon"
    assert "One.\nTwo." in second["messages"][0]["content"]
    assert folder.run().counts == {"passed": 2, "failed": 0, "error": 0, "skipped": 0}


def test_a_change_is_shown_as_a_small_difference(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    plans = folder.path / "contexts" / "plans.yaml"
    text = plans.read_text(encoding="utf-8")
    plans.write_text(text.replace("from the handbook", "from the book"), encoding="utf-8")
    (failure,) = folder.run().files[0].verdicts[1].failures
    assert failure.problem == "the result differs from the snapshot"
    assert "-      You are a support agent. Answer from the handbook." in failure.diff
    assert "+      You are a support agent. Answer from the book." in failure.diff
    assert len(failure.diff) < 12


def test_an_update_without_a_change_writes_nothing(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    before = stored(folder).stat()
    report = folder.run(UPDATE)
    after = stored(folder).stat()
    assert report.files[0].written == ()
    # The time of access changes by reading, in the second in which that happens.
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_update_rewrites_only_the_sections_that_changed(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    commented = (
        stored(folder)
        .read_text(encoding="utf-8")
        .replace("case: first\n", "case: first\n# a remark\n")
    )
    stored(folder).write_text("# Mine.\n" + commented, encoding="utf-8")
    folder.test_file(TWO.replace("One.", "Won."))
    report = folder.run(GoldenOptions(update=True, filter="second"))
    assert report.files[0].written == ("second: with a colon",)
    text = stored(folder).read_text(encoding="utf-8")
    assert text.startswith("# Mine.\n")
    assert "# a remark" in text
    assert "Won." in text


def test_sections_stand_in_the_order_of_the_cases(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    first, second = TWO.splitlines(keepends=True)
    folder.test_file(second + first)
    folder.run(UPDATE)
    sections = yaml.safe_load_all(stored(folder).read_text(encoding="utf-8"))
    assert [section["case"] for section in sections] == ["second: with a colon", "first"]


def test_an_obsolete_snapshot_is_told_and_an_update_removes_it(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    folder.test_file(TWO.splitlines(keepends=True)[0])
    (report,) = folder.run().files
    assert report.obsolete == ("second: with a colon",)
    (report,) = folder.run(UPDATE).files
    assert (report.removed, report.obsolete, report.written) == (("second: with a colon",), (), ())
    assert "second" not in stored(folder).read_text(encoding="utf-8")


def test_the_file_goes_with_its_last_snapshot(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    folder.test_file("  - {name: first}\n")
    folder.run(UPDATE)
    assert not stored(folder).exists()


def test_the_snapshot_of_a_skipped_or_filtered_case_is_kept(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    before = stored(folder).read_bytes()
    folder.test_file(TWO.replace("{name: first,", "{name: first, skip: later,"))
    assert folder.run(GoldenOptions(update=True, filter="second")).files[0].obsolete == ()
    assert stored(folder).read_bytes() == before


def test_a_file_of_snapshots_whose_tests_are_gone_is_told(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    (folder.path / "contexts" / "x.test.yaml").rename(folder.path / "contexts" / "y.test.yaml")
    assert folder.run(UPDATE).orphans == (str(stored(folder)),)


def test_each_call_and_each_variant_has_a_snapshot_of_its_own(folder: Folder) -> None:
    folder.test_file(
        """\
          - {name: it, turns: [{}, {budget: 60}], matrix: {budget: [80, 90]}, expect: {snapshot: true}}
        """
    )
    assert folder.run(UPDATE).files[0].written == (
        "it [budget 80], turn 1",
        "it [budget 80], turn 2",
        "it [budget 90], turn 1",
        "it [budget 90], turn 2",
    )
    assert folder.run().failed == 0


def test_a_case_that_fails_otherwise_still_fails_on_update(folder: Folder) -> None:
    folder.test_file("  - {name: it, expect: {snapshot: true, contains: Nowhere}}\n")
    report = folder.run(UPDATE)
    assert [said(verdict) for verdict in report.files[0].verdicts] == [
        ["expect.contains: the text is not there: 'Nowhere'"]
    ]
    assert report.files[0].written == ("it",)


def test_everything_left_out_is_in_the_snapshot(folder: Folder) -> None:
    folder.test_file(
        """\
          - name: it
            budget: 60
            history: {messages: [{role: user, content: What about the lamp?}], times: 30}
            expect: {snapshot: true}
          - name: nested
            context: outer
            packs: {handbook: {fails: gone}}
            expect: {snapshot: true}
        """
    )
    folder.run(UPDATE)
    first, second = yaml.safe_load_all(stored(folder).read_text(encoding="utf-8"))
    assert any(line.startswith("history messages 0 to ") for line in first["left_out"])
    assert second["left_out"] == ["inner/handbook (messages[1]) failed"]


def test_line_endings_of_windows_are_the_same_text(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    stored(folder).write_bytes(stored(folder).read_bytes().replace(b"\n", b"\r\n"))
    assert folder.run().failed == 0


def test_what_is_no_text_stops_the_file_with_what_to_do(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    stored(folder).write_bytes(b"\xff\xfe")
    (trouble,) = folder.run().files[0].troubles
    assert trouble.text == (
        f"{stored(folder)}: the file is not valid UTF-8. "
        "Restore it, or delete it and write it again with --update."
    )


def test_a_folder_in_its_place_stops_the_file(folder: Folder) -> None:
    folder.test_file(TWO)
    stored(folder).mkdir(parents=True)
    (trouble,) = folder.run(UPDATE).files[0].troubles
    assert "cannot be read: Is a directory" in trouble.text


def test_a_file_in_place_of_the_folder_is_told_and_nothing_is_lost(folder: Folder) -> None:
    folder.test_file(TWO)
    stored(folder).parent.write_text("mine", encoding="utf-8")
    (trouble,) = folder.run(UPDATE).files[0].troubles
    assert "cannot be" in trouble.text
    assert stored(folder).parent.read_text(encoding="utf-8") == "mine"


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(folder: Folder) -> None:
    test = folder.test_file(TWO)
    folder.run(UPDATE)
    snapshots = read_snapshots(test)
    stored(folder).write_text("mine", encoding="utf-8")
    with pytest.raises(LoadError, match="changed since it was read"):
        snapshots.write(b"new")
    assert stored(folder).read_text(encoding="utf-8") == "mine"


def test_an_update_keeps_the_mode_of_the_file_and_leaves_no_other_file(folder: Folder) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    os.chmod(stored(folder), 0o640)
    folder.test_file(TWO.replace("One.", "Won."))
    folder.run(UPDATE)
    assert stat.S_IMODE(stored(folder).stat().st_mode) == 0o640
    assert [file.name for file in stored(folder).parent.iterdir()] == ["x.yaml"]


def test_a_name_too_long_for_the_file_system_is_told(folder: Folder) -> None:
    folder.test_file(TWO, f"contexts/{'x' * 243}.test.yaml")
    (trouble,) = folder.run(UPDATE).files[0].troubles
    assert "cannot be written: File name too long" in trouble.text


def test_a_full_disk_is_told(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder.test_file(TWO)
    monkeypatch.setattr(Path, "mkdir", full)
    (trouble,) = folder.run(UPDATE).files[0].troubles
    assert trouble.text == f"{stored(folder)}: cannot be written: No space left on device"


def test_the_file_is_named_after_the_tests() -> None:
    assert snapshot_file(Path("a/b.test.yml")) == Path("a/__snapshots__/b.yml")
    assert snapshot_file(Path("plain.yaml")) == Path("__snapshots__/plain.yaml")


@pytest.mark.parametrize("linked", ["__snapshots__", "__snapshots__/x.yaml"])
@pytest.mark.parametrize("cases", [TWO, "  - {name: first}\n"], ids=["written", "deleted"])
def test_update_writes_through_no_link(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, linked: str, cases: str
) -> None:
    folder.test_file(TWO)
    folder.run(UPDATE)
    outside = tmp_path_factory.mktemp("outside") / "kept"
    place = folder.path / "contexts" / linked
    place.rename(outside)
    place.symlink_to(outside)
    file = outside if outside.is_file() else outside / "x.yaml"
    file.write_text(file.read_text().replace("A", "B") + "\n")
    before = file.read_bytes()
    folder.test_file(cases)
    report = folder.run(UPDATE)
    assert file.read_bytes() == before
    assert place.is_symlink()
    assert "this is a link; snapshots are not written through links" in str(report)


def test_a_pipe_as_a_snapshot_file_is_an_error(folder: Folder) -> None:
    folder.test_file(TWO)
    stored(folder).parent.mkdir()
    os.mkfifo(stored(folder))
    assert "it is not a regular file" in str(folder.run())
