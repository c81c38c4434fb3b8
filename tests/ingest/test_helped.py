"""Who cuts a file, this process or a helper, makes no difference but to the clock."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.errors import EmbedderError
from biblicus_context.ingest import (
    ChunkSettings,
    Content,
    IngestSettings,
    Parsed,
    Readers,
    Section,
    Skipped,
    Summary,
    ingest,
)
from biblicus_context.ingest.chunks.cutting import Cutting, Item
from biblicus_context.ingest.helper import helped
from biblicus_context.ingest.helper import process as helper_room
from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.text.counters import Counters
from tests.ingest.build import ANN, TOKENS, blocks, embedder, known, run, written
from tests.ingest.helpers import CUTTING, FILES, Watched, at_once, cuts, job, jobs, program

__all__ = ["at_once"]
LATER = "# Later\n\n" + "word " * 400
TEXTS: list[Item] = [job(f"{n}.md", f"# {n}\n\n" + "word " * 200) for n in range(60)]
GREETED = "#!{python}\nimport sys\nfrom biblicus_context.ingest.helper.program import GREETING\n"


def here(items: list[Item], cutting: Cutting = CUTTING) -> list[object]:
    return [cutting.of(item) for item in items]


def test_a_helper_makes_of_every_format_what_this_process_does(at_once: list[Watched]):
    assert cuts(jobs()) == here(jobs())
    (helper,) = at_once
    assert helper.answered == len(FILES) - 2, "all but those that were cut while it started"


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from([".md", ".txt", ".py", ".html", ".csv", ".jsonl", ".json", ".pdf"]),
            st.text(max_size=300) | st.binary(max_size=300),
        ),
        min_size=2,
        max_size=12,
    )
)
@example([(".md", "a"), (".md", "b"), (".txt", b"\xff")])
def test_a_helper_makes_of_any_text_what_this_process_does(
    at_once: list[Watched], files: list[tuple[str, str | bytes]]
):
    items: list[Item] = [
        job(f"{n}{suffix}", text.encode(errors="replace") if isinstance(text, str) else text)
        for n, (suffix, text) in enumerate(files)
    ]
    assert cuts(items) == here(items)


def test_a_store_holds_the_same_with_a_helper_and_without(tmp_path: Path, at_once, monkeypatch):
    with_helper = ingested_twice(tmp_path / "with")
    assert len(at_once) == 2
    monkeypatch.setattr(helped, "can_help", lambda _: False)
    assert ingested_twice(tmp_path / "without") == with_helper
    assert len(at_once) == 2


def ingested_twice(folder: Path) -> list[object]:
    root = written(folder / "files", FILES)
    (root / "05.md").symlink_to(root / "00.md")
    with open_store(folder / "store") as store:
        first = [ingested(store, root), *everything(store)]
        written(root, {"00.md": LATER, "08.csv": "a,b\n1,2\n"})
        (root / "09.ipynb").unlink()
        return [*first, ingested(store, root), *everything(store)]


def ingested(store: Store, root: Path) -> Summary:
    for path in root.iterdir():
        os.utime(path, (1e9, 1e9), follow_symlinks=False)
    summary = ingest(store, ANN, [root], counter=TOKENS, embedder=embedder())
    return replace(summary, seconds=0.0)


def everything(store: Store) -> list[object]:
    vectors = store.vectors(ANN, "tiny", [block.id for block in blocks(store)])
    return [
        store.fingerprints(ANN),
        store.documents(ANN, known(store)),
        [(block, vectors[block.id]) for block in blocks(store)],
    ]


def test_what_could_not_be_opened_keeps_its_place(at_once: list[Watched]):
    lost = Skipped("lost.md", "cannot be read")
    items: list[Item] = [lost, *jobs()[:3], lost, *jobs()[3:5], lost]
    assert cuts(items) == here(items)


def test_a_reader_that_was_added_runs_in_this_process_and_in_order(at_once: list[Watched]):
    seen: list[tuple[str, int]] = []

    def read(content: Content) -> Parsed:
        seen.append((content.name, os.getpid()))
        return Parsed("note", (Section(content.text()),))

    cutting = replace(CUTTING, readers=Readers({"note": read}))
    items: list[Item] = [
        job(f"{n}.note" if n % 3 else f"{n}.md", f"text {n} " * 100) for n in range(20)
    ]
    assert cuts(items, cutting) == here(items, cutting)
    once = [(f"{n}.note", os.getpid()) for n in range(20) if n % 3]
    assert seen == once * 2
    assert at_once[0].answered == 6, "the others, but for the first"


def test_what_a_helper_leaves_open_is_cut_here(at_once: list[Watched], monkeypatch):
    monkeypatch.setattr(Watched, "answer", lambda _, jobs: [None for _ in jobs])
    assert cuts(jobs()) == here(jobs())


def test_no_more_is_read_ahead_than_said(at_once: list[Watched]):
    taken = 0

    def coming() -> Iterator[Item]:
        nonlocal taken
        for n in range(100):
            taken += 1
            yield job(f"{n}.md", "word " * 200)

    with closing(helped.HelpedCutting(CUTTING, 0)) as cut:
        ahead = [taken - given for given, _ in enumerate(cut(coming()), 1)]
    assert max(ahead) <= (9_000 + 2 * 3_000) / 1_000


def test_settings_that_cannot_cross_stay_here(at_once: list[Watched]):
    class Own(ChunkSettings):
        pass

    cutting = replace(CUTTING, chunks=Own())
    assert cuts(TEXTS, cutting) == here(TEXTS, cutting)
    assert not at_once[0].wait()


def test_many_empty_files_take_no_longer_each(at_once: list[Watched]):
    items: list[Item] = [job("0.md", "a"), *(job(f"{n}.md", "") for n in range(20_000))]
    began = time.monotonic()
    assert len(cuts(items)) == len(items)
    assert time.monotonic() - began < 20


def test_a_small_ingest_and_one_of_unchanged_files_start_nothing(tmp_path: Path, monkeypatch):
    def started(cutting: Cutting) -> None:
        raise AssertionError("a helper was started")

    root = written(tmp_path / "files", {f"{n}.md": LATER for n in range(200)})
    monkeypatch.setattr(helped, "Helper", started)
    with open_store(tmp_path / "store") as store:
        assert run(store, root).bytes < 500_000
        written(root, {f"{n}.md": LATER for n in range(200, 300)})
        monkeypatch.setattr(helped, "_MANY", 500_000)
        run(store, root)
        written(root, {f"{n}.png": b"\x89PNG\0" * 50_000 for n in range(5)})
        summary = run(store, root)
        assert (summary.unchanged, len(summary.skipped)) == (300, 5)
    with open_store(tmp_path / "other") as store, pytest.raises(AssertionError, match="started"):
        run(store, root)
    monkeypatch.undo()
    with open_store(tmp_path / "third") as store:
        monkeypatch.setattr(helped, "Helper", started)
        assert 500_000 < run(store, root).bytes < helped._MANY


@pytest.mark.parametrize(
    "name", ["", "/opt/app/bin/app", "/usr/bin/uwsgi", "C:/app/app.exe"], ids=repr
)
def test_an_application_with_python_inside_is_not_started_again(monkeypatch, name: str):
    assert helper_room.can_help(CUTTING)
    monkeypatch.setattr(sys, "executable", name)
    assert not helper_room.can_help(CUTTING)


def test_one_core_needs_no_helper(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert not helper_room.can_help(CUTTING)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_all_cores_count(monkeypatch, platform: str):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert helper_room.can_help(CUTTING)


def test_a_counter_of_the_callers_own_stays_here():
    own = Counters({"o200k_base": len}).get("o200k_base")
    assert own.name == TOKENS.name
    assert not helper_room.can_help(replace(CUTTING, counter=own))


@pytest.mark.parametrize(
    "text",
    [
        None,
        "#!/nowhere/at/all\n",
        "#!/bin/sh\nexit 3\n",
        "#!/bin/sh\necho garbage\nsleep 60\n",
        "#!/bin/sh\nexec >&-\ncat\n",
    ],
    ids=["not there", "cannot be run", "ends", "says something else", "says nothing"],
)
def test_a_helper_that_does_not_start_is_not_missed(
    tmp_path: Path, at_once: list[Watched], monkeypatch, text: str | None
):
    python = tmp_path / "python"
    if text is not None:
        program(python, text)
    monkeypatch.setattr(sys, "executable", str(python))
    assert cuts(TEXTS) == here(TEXTS)
    assert sum(each.answered for each in at_once) == 0


def test_a_helper_that_never_greets_is_not_waited_for(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(program(tmp_path / "python", "#!/bin/sh\ncat\n")))
    monkeypatch.setattr(helped, "_MANY", 0)
    monkeypatch.setattr(helped, "_ENOUGH", 0)
    assert cuts(TEXTS) == here(TEXTS)


@pytest.mark.parametrize(
    "rest",
    [
        "sys.exit(0)",
        "print('garbage' * 1000)",
        "sys.stdout.buffer.write(b'N.' * 1000)",
        "import pickle; sys.stdout.buffer.write(pickle.dumps([None, None]) * 1000)",
        "import pickle; sys.stdout.buffer.write(pickle.dumps(list(range(100)))[:-5])",
    ],
    ids=["ends", "no pickle", "nothing", "of other files", "breaks off"],
)
def test_a_helper_that_breaks_off_is_not_missed(
    tmp_path: Path, at_once: list[Watched], monkeypatch, rest: str
):
    text = GREETED.format(python=sys.executable)
    text += f"sys.stdout.buffer.write(GREETING)\nsys.stdout.flush()\n{rest}\n"
    monkeypatch.setenv("PYTHONPATH", str(Path(helper_room.__file__).parents[3]))
    monkeypatch.setattr(sys, "executable", str(program(tmp_path / "python", text)))
    assert cuts(TEXTS) == here(TEXTS)


@pytest.mark.parametrize("after", [2, 5, 40])
def test_a_helper_that_is_killed_loses_nothing_and_doubles_nothing(
    at_once: list[Watched], after: int
):
    found: list[object] = []
    with closing(helped.HelpedCutting(CUTTING, 0)) as cut:
        for each in cut(TEXTS):
            found.append(each)
            if len(found) == after:
                os.kill(at_once[0].number, signal.SIGKILL)
    assert found == here(TEXTS)


def test_files_of_the_working_folder_are_no_modules(tmp_path: Path, at_once, monkeypatch):
    for name in ("pickle", "queue", "yaml", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\nraise SystemExit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert cuts(jobs()) == here(jobs())
    assert at_once[0].answered
    assert not (tmp_path / "imported").exists()


def test_a_package_in_the_working_folder_is_found_again(tmp_path: Path, at_once, monkeypatch):
    """As at a prompt in a checkout, with another one installed behind it."""
    root = str(Path(helper_room.__file__).parents[3])
    other = written(tmp_path, {"biblicus_context/__init__.py": "raise SystemExit"})
    paths = [each for each in sys.path if each and Path(each).resolve() != Path(root)]
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "path", ["", str(other), *paths])
    assert cuts(jobs()) == here(jobs())
    assert at_once[0].answered


def test_an_error_elsewhere_comes_out_and_ends_the_helper(tmp_path: Path, at_once: list[Watched]):
    def failing(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("the server is down")

    def stopping(progress: object) -> None:
        if len(at_once) == 2:
            raise RuntimeError("stopped")

    root = written(tmp_path / "files", FILES)
    down = FunctionEmbedder(failing, model="down", dimensions=2)
    with open_store(tmp_path / "store") as store:
        with pytest.raises(EmbedderError, match="down"):
            ingest(store, ANN, [root], counter=TOKENS, embedder=down)
        assert at_once[0].has_ended
        with pytest.raises(RuntimeError, match="stopped"):
            ingest(store, ANN, [root], counter=TOKENS, on_progress=stopping)
        assert at_once[1].has_ended
        assert run(store, root, settings=IngestSettings()).added
