"""A store follows the history of a repository: what is new, what is gone, and what is as before."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.ingest import Summary, ingest
from biblicus_context.ingest.git import HistorySettings, history_changes, ingest_history
from biblicus_context.stores import (
    Batch,
    Entry,
    Principal,
    Readers,
    Store,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import search_text, seen
from tests.ingest.build import ANN, TOKENS, WORDS, embedder
from tests.ingest.git.build import SPRING, Made, git, repository, shas

ROOT = Path(__file__).parents[3]
COMMITS = [
    Made(b"Boil the tea\n\nGreen tea wants less.", {b"tea.md": b"tea\nhot\n", b"a/b.py": b"x\n"}),
    Made(b"Bake bread", {b"bread.md": b"rye\n", b"tea.md": b"tea\n"}, time=SPRING + 86_400),
    Made(b"Drop code", {b"a/b.py": None}, author=b"Bob <b@example.org>", time=SPRING + 172_800),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "kitchen", COMMITS)


def run(store: Store, root: Path, **settings: object) -> Summary:
    chosen = HistorySettings(**settings)
    return ingest_history(store, ANN, root, counter=WORDS, embedder=embedder(), settings=chosen)


def subjects(store: Store) -> set[str]:
    return {each.title for each in seen(store, ANN).list_documents()}


def test_every_commit_becomes_a_document_that_is_found(store: Store, root: Path):
    summary = run(store, root)
    assert summary.added == tuple(shas(root))
    assert (summary.blocks, summary.embedded, summary.skipped, summary.remarks) == (3, 3, (), ())
    (hit,) = search_text(store, ANN, ["green"])
    (commit,) = seen(store, ANN).documents([hit.block_id.partition("#")[0]])
    assert (commit.id, commit.kind, commit.title) == (shas(root)[-1], "commit", "Boil the tea")
    assert commit.created == datetime(2024, 5, 1, tzinfo=UTC)
    assert commit.metadata == {
        "sha": commit.id,
        "author": "Ann",
        "time": "2024-05-01T00:00:00+00:00",
        "message": "Boil the tea\n\nGreen tea wants less.",
        "files": ["a/b.py", "tea.md"],
        "files_changed": 2,
        "insertions": 3,
        "deletions": 0,
    }
    (block,) = seen(store, ANN).blocks_of([commit.id])
    assert block.text == "Boil the tea\n\nGreen tea wants less.\n\nFiles: a/b.py, tea.md"


def test_lines_are_counted_against_the_first_parent(store: Store, root: Path):
    run(store, root)
    newest, middle, _ = (each.metadata for each in seen(store, ANN).documents(shas(root)))
    assert (newest["insertions"], newest["deletions"], newest["files"]) == (0, 1, ["a/b.py"])
    assert (middle["insertions"], middle["deletions"]) == (1, 1)


def test_only_new_commits_are_read_again(store: Store, root: Path):
    run(store, root)
    version = seen(store, ANN).state.version
    assert run(store, root).unchanged == 3
    assert seen(store, ANN).state.version == version
    repository(root, [Made(b"Salt the soup", {b"soup.md": b"salt\n"})])
    assert history_changes(store, ANN, root, HistorySettings()) == (1, 0)
    summary = run(store, root)
    assert (summary.added, summary.unchanged) == ((shas(root)[0],), 3)


def test_commits_that_a_rewrite_took_out_are_removed(store: Store, root: Path):
    run(store, root)
    old = shas(root)[0]
    git(root, "reset", "--quiet", "--hard", "HEAD~1")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Another end")
    assert history_changes(store, ANN, root, HistorySettings()) == (1, 1)
    summary = run(store, root)
    assert (summary.added, summary.removed) == ((shas(root)[0],), (old,))
    assert subjects(store) == {"Boil the tea", "Bake bread", "Another end"}


def test_another_embedder_reads_every_commit_again(store: Store, root: Path):
    run(store, root)
    summary = ingest_history(store, ANN, root, counter=WORDS)
    assert (len(summary.changed), summary.added, summary.unchanged) == (3, (), 0)


def test_since_and_paths_select_commits(store: Store, root: Path):
    assert len(run(store, root, since="2024-05-02").added) == 2
    summary = run(store, root, paths=("tea.md", "a"))
    assert len(summary.added) == 1
    assert subjects(store) == {"Boil the tea", "Bake bread", "Drop code"}
    assert len(run(store, root, paths=("bread.md",)).removed) == 2
    assert subjects(store) == {"Bake bread"}
    assert run(store, root, since="90d").removed == (shas(root)[1],)


def test_a_duration_before_now_lets_commits_grow_too_old(store: Store, root: Path):
    yesterday = int((datetime.now(UTC) - timedelta(days=1)).timestamp())
    repository(root, [Made(b"Fresh", {b"f": b"f"}, time=yesterday)])
    assert len(run(store, root, since="48h").added) == 1
    assert len(run(store, root, since="1 h").removed) == 1


@given(st.integers(1, 12), st.integers(1, 31))
def test_every_date_that_the_schema_accepts_is_a_moment(month: int, day: int):
    chosen = HistorySettings(since=f"2023-{month:02}-{day:02}")
    moment = chosen.oldest(datetime.now(UTC))
    assert moment == datetime(2023, month, 1, tzinfo=UTC) + timedelta(days=day - 1)


def test_a_commit_leads_to_the_files_that_it_changed_once_they_are_indexed(
    store: Store, root: Path
):
    run(store, root)
    assert seen(store, ANN).relations(shas(root)) == ()
    git(root, "checkout", "--quiet", "--force", "main")
    ingest(store, ANN, [root], counter=WORDS, embedder=embedder())
    found = seen(store, ANN).relations(["tea.md"], direction="in", types=["changes"])
    assert [each.source for each in found] == sorted(shas(root)[1:])
    assert ingest(store, ANN, [root], counter=WORDS, embedder=embedder()).removed == ()
    assert run(store, root).unchanged == 3


def test_documents_of_programs_and_their_readers_stay(store: Store, root: Path):
    run(store, root)
    (document,) = seen(store, ANN).documents(shas(root)[:1])
    hidden = type(document)(**{**_fields(document), "readers": Readers(frozenset({"ann"}))})
    store.write(ANN, Batch(put=(Entry(hidden), Entry(type(document)(id="note"), ()))))
    ingest_history(store, ANN, root, counter=WORDS)
    assert seen(store, ANN).documents([document.id])[0].readers == Readers(frozenset({"ann"}))
    assert seen(store, ANN).documents(["note"])


def _fields(document: object) -> dict[str, object]:
    return {name: getattr(document, name) for name in type(document).__slots__}


def test_another_workspace_finds_nothing(store: Store, root: Path):
    run(store, root)
    other = Principal("other", sees_all=True)
    assert seen(store, other).info().documents == 0
    ingest_history(store, other, root, counter=WORDS)
    git(root, "reset", "--quiet", "--hard", "HEAD~2")
    run(store, root)
    assert (seen(store, ANN).info().documents, seen(store, other).info().documents) == (1, 3)


def test_a_repository_without_commits_keeps_what_is_indexed(store: Store, root: Path):
    run(store, root)
    git(root, "update-ref", "-d", "refs/heads/main")
    summary = run(store, root)
    assert [each.reason for each in summary.skipped] == ["the repository has no commits"]
    assert len(subjects(store)) == 3
    assert len(run(store, root, empty_is_gone=True).removed) == 3


def test_packed_refs_bare_folders_linked_trees_and_detached_heads_are_read(
    store: Store, root: Path, tmp_path: Path
):
    git(root, "gc", "--quiet")
    assert len(run(store, root).added) == 3
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare")
    assert run(store, tmp_path / "bare").unchanged == 3
    git(root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "HEAD~1")
    assert run(store, tmp_path / "linked").removed == (shas(root)[0],)


def test_a_repository_with_long_ids_is_read(store: Store, tmp_path: Path):
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "new")
    root = repository(tmp_path / "new", COMMITS)
    assert {len(sha) for sha in run(store, root).added} == {64}


def test_a_shallow_clone_has_the_commits_that_were_fetched(
    store: Store, root: Path, tmp_path: Path
):
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{root}", "shallow")
    assert run(store, tmp_path / "shallow").added == tuple(shas(root)[:2])


def test_a_folder_inside_a_repository_is_refused_with_its_top(store: Store, root: Path):
    (root / "a").mkdir(exist_ok=True)
    with pytest.raises(InputError, match=f"begins at '{root}'"):
        run(store, root / "a")


def test_a_merge_has_its_message_and_the_files_that_it_brought(store: Store, root: Path):
    """Against its first parent: those of a pull request, and none that were there."""
    git(root, "checkout", "--quiet", "--force", "-b", "side", "main~1")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Aside")
    git(root, "merge", "--quiet", "--no-edit", "main")
    brought = git(root, "diff", "--name-only", "HEAD~1", "HEAD").split()
    run(store, root)
    (merge,) = seen(store, ANN).documents(shas(root)[:1])
    assert brought
    assert (merge.metadata["files_changed"], merge.metadata["files"]) == (len(brought), brought)
    assert (
        seen(store, ANN).blocks_of([merge.id])[0].text.startswith("Merge branch 'main' into side")
    )


def test_a_long_message_is_cut_into_blocks(store: Store, root: Path):
    repository(root, [Made(b"Long\n\n" + b"word after word. " * 2_000)])
    ingest_history(store, ANN, root, counter=TOKENS)
    blocks = seen(store, ANN).blocks_of([shas(root)[0]])
    assert len(blocks) > 10
    assert all(block.tokens <= 512 for block in blocks)


def test_a_killed_ingest_is_finished_by_the_next(tmp_path: Path):
    root = repository(
        tmp_path / "many", [Made(b"Part %d" % n, {b"%d" % n: b"x"}) for n in range(300)]
    )
    dice, reached = random.Random(5), []
    for _ in range(3):
        command = [sys.executable, "-m", "tests.ingest.git.child", str(tmp_path / "s"), str(root)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
            assert process.stdout is not None
            for _ in range(dice.randrange(40, 120)):
                process.stdout.readline()
            process.kill()
        with open_store(tmp_path / "s") as store:
            assert not store.check()
            reached.append(len(seen(store, ANN).fingerprints()))
    assert reached == sorted(reached)
    assert 0 < reached[-1] < 300, "killed in the middle"
    with open_store(tmp_path / "s") as store:
        assert run(store, root).unchanged == reached[-1]
        assert seen(store, ANN).info().documents == seen(store, ANN).info().blocks == 300
