"""Which files a walk finds, in which order, and what it says of those it leaves out."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.corpora import Corpus
from biblicus_context.errors import InputError
from biblicus_context.ingest.files.walking import FoundFile, SkippedFile, WalkSettings, walk
from tests.ingest.build import written
from tests.permissions import permissions_hold


def found(root: Path, settings: WalkSettings | None = None) -> list[str]:
    return [each.name for each in walk(root, settings) if isinstance(each, FoundFile)]


def left_out(root: Path, settings: WalkSettings | None = None) -> dict[str, str]:
    return {
        each.name: each.reason for each in walk(root, settings) if isinstance(each, SkippedFile)
    }


def test_files_come_in_one_order_whatever_the_disk_does(tmp_path: Path):
    written(
        tmp_path, {"b.md": "", "a/z.md": "", "a/b/c.md": "", "B.md": "", "c.md": "", "b/a.md": ""}
    )
    assert found(tmp_path) == ["B.md", "b.md", "c.md", "a/z.md", "a/b/c.md", "b/a.md"]


def test_an_index_is_no_file_of_a_corpus_wherever_it_is_kept(tmp_path: Path):
    written(tmp_path, {"a.md": "words", "z.md": "more words"})
    store = tmp_path / "index"
    with Corpus.open(tmp_path, store=store) as corpus:
        assert [*corpus.ingest().added] == ["a.md", "z.md"]
        assert corpus.ingest().unchanged == 2
    assert left_out(tmp_path) == {"index/": "an index"}
    assert left_out(store) == {"./": "an index"}


def test_one_file_is_a_root_too(tmp_path: Path):
    written(tmp_path, {"guide.md": "words"})
    assert [*walk(tmp_path / "guide.md")] == [
        FoundFile((tmp_path / "guide.md").resolve(), "guide.md", 5)
    ]


def test_a_path_that_leads_nowhere_is_an_error(tmp_path: Path):
    with pytest.raises(InputError, match="no such file"):
        [*walk(tmp_path / "nothing")]


def test_a_pattern_that_cannot_be_meant_is_an_error(tmp_path: Path):
    with pytest.raises(InputError, match=r"exclude: this is not a \.gitignore pattern"):
        [*walk(tmp_path, WalkSettings(exclude=("!",)))]


def test_hidden_files_are_left_out_unless_they_are_asked_for(tmp_path: Path):
    written(tmp_path, {".env": "", ".github/a.md": "", "a.md": "", ".git/HEAD": ""})
    assert found(tmp_path) == ["a.md"]
    assert left_out(tmp_path) == {".env": "hidden", ".github/": "hidden", ".git/": "belongs to git"}
    assert found(tmp_path, WalkSettings(hidden=True)) == [".env", "a.md", ".github/a.md"]


def test_what_to_take_is_named_as_in_gitignore(tmp_path: Path):
    written(
        tmp_path, {"a.md": "", "b.txt": "", "drafts/c.md": "", "docs/d.md": "", "docs/e.py": ""}
    )
    settings = WalkSettings(include=("*.md", "*.txt"), exclude=("/drafts/",))
    assert found(tmp_path, settings) == ["a.md", "b.txt", "docs/d.md"]
    assert left_out(tmp_path, settings) == {"drafts/": "excluded", "docs/e.py": "not included"}


@pytest.mark.parametrize("pattern", ["docs/", "docs", "/docs", "**/docs/", "docs/**"])
def test_what_is_below_a_folder_that_is_included_is_taken(tmp_path: Path, pattern: str):
    written(tmp_path, {"a.md": "", "docs/b.md": "", "docs/deep/c.md": "", "more/docs.md": ""})
    settings = WalkSettings(include=(pattern,))
    assert found(tmp_path, settings) == ["docs/b.md", "docs/deep/c.md"]


def test_the_nearest_folder_has_the_last_word_on_what_is_included(tmp_path: Path):
    written(tmp_path, {"docs/a.md": "", "docs/drafts/b.md": "", "docs/drafts/kept/c.md": ""})
    settings = WalkSettings(include=("docs/", "!drafts/", "kept/"))
    assert found(tmp_path, settings) == ["docs/a.md", "docs/drafts/kept/c.md"]


def test_a_file_of_patterns_speaks_of_what_is_below_it(tmp_path: Path):
    written(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n/only-here.md\n!kept.log\n\n# words\n",
            "a.log": "", "kept.log": "", "only-here.md": "", "sub/only-here.md": "",
            "sub/.gitignore": "!b.log\nsecret.md\n", "sub/b.log": "", "sub/c.log": "",
            "sub/secret.md": "", "secret.md": "", "sub/build/x.md": "", "build.md": "",
        },
    )  # fmt: skip
    assert found(tmp_path) == [
        "build.md", "kept.log", "secret.md", "sub/b.log", "sub/only-here.md"
    ]  # fmt: skip


def test_the_patterns_of_the_repository_around_a_root_count(tmp_path: Path):
    written(
        tmp_path,
        {
            ".gitignore": "*.log\n/docs/drafts\n/build\n", ".git/HEAD": "", "docs/a.md": "",
            "docs/b.log": "", "docs/drafts/c.md": "", "docs/sub/drafts/d.md": "", "build/e.md": "",
        },
    )  # fmt: skip
    assert found(tmp_path / "docs") == ["a.md", "sub/drafts/d.md"]
    assert found(tmp_path / "build") == ["e.md"], "a root that is named is meant"


def test_patterns_outside_of_any_repository_do_not_count(tmp_path: Path):
    written(tmp_path, {".gitignore": "*.md\n", "docs/a.md": ""})
    assert found(tmp_path / "docs") == ["a.md"]


def test_patterns_above_a_root_that_cannot_be_read_leave_all_of_it_out(tmp_path: Path):
    written(tmp_path, {".git/HEAD": "", ".gitignore": "*.log", "docs/a.md": "", "docs/b.log": ""})
    (tmp_path / ".gitignore").chmod(0)
    with permissions_hold():
        (only,) = walk(tmp_path / "docs")
    reason = f"{tmp_path.name}/.gitignore cannot be read: Permission denied"
    assert only == SkippedFile("./", reason, for_now=True)


def test_a_folder_whose_name_is_not_text_is_spelt_where_its_patterns_cannot_be_read(tmp_path: Path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    written(folder, {".gitignore": "a.md"})
    (folder / ".gitignore").chmod(0)
    with permissions_hold():
        assert left_out(tmp_path) == {
            "\\xff/": "\\xff/.gitignore cannot be read: Permission denied"
        }


def test_patterns_outside_of_any_repository_need_not_be_readable(tmp_path: Path):
    written(tmp_path, {".gitignore": "*.md\n", "docs/a.md": ""})
    (tmp_path / ".gitignore").chmod(0)
    with permissions_hold():
        assert found(tmp_path / "docs") == ["a.md"]


def test_a_folder_in_place_of_patterns_says_nothing(tmp_path: Path):
    written(tmp_path, {".gitignore/a.md": "", ".ignore/a.md": "", "b.md": ""})
    opened = len(os.listdir("/dev/fd"))
    assert found(tmp_path) == ["b.md"]
    assert len(os.listdir("/dev/fd")) == opened


def test_a_root_that_cannot_be_reached_is_an_error(tmp_path: Path):
    written(tmp_path, {"shut/docs/a.md": ""})
    (tmp_path / "shut").chmod(0)
    try:
        with permissions_hold(), pytest.raises(InputError, match="Permission denied"):
            [*walk(tmp_path / "shut/docs")]
    finally:
        (tmp_path / "shut").chmod(0o700)


def test_a_line_that_is_no_pattern_is_passed_over(tmp_path: Path):
    written(tmp_path, {".gitignore": b"!\n\xff\xfe\n/\n*.log\n", "a.log": "", "b.md": ""})
    assert found(tmp_path) == ["b.md"]


NAMES = st.sampled_from(["a", "b", "ab", "a.md", "b.md", "a b"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
PATTERNS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "!"]),
        st.sampled_from(["", "/", "**/"]),
        st.lists(st.sampled_from(["a", "b", "*", "a*", "*.md", "**", "?", "[ab]"]), min_size=1, max_size=2).map("/".join),
        st.sampled_from(["", "/"]),
    ),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_what_is_ignored_is_what_git_ignores(tmp_path: Path, seed: int):
    dice = random.Random(seed)
    names = ["a", "b", "ab", "a.md", "b.md", "c d"]
    parts = ["a", "b", "*", "a*", "*.md", "?", "[ab]", "[!a]", "**", "c d", "\\a", "b "]
    for _ in range(30):
        name = "/".join(dice.choices(names, k=dice.randint(1, 4)))
        path = tmp_path / name
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            written(tmp_path, {name: "words"})
    for folder in [tmp_path, *[each for each in tmp_path.rglob("*") if each.is_dir()]]:
        if folder == tmp_path or dice.random() < 0.3:
            lines = [
                dice.choice(["", "", "!"])
                + dice.choice(["", "/", "**/"])
                + "/".join(dice.choices(parts, k=dice.randint(1, 3)))
                + dice.choice(["", "", "/", "/**"])
                for _ in range(dice.randint(1, 4))
            ]
            (folder / ".gitignore").write_text("\n".join(lines))
    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    git = ["git", "-C", str(tmp_path), "-c", "core.quotePath=false"]
    subprocess.run([*git, "init", "-q"], check=True, env=clean)
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True, env=clean,
    ).stdout  # fmt: skip
    wanted = {name for name in listed.split("\0") if name and not name.endswith(".gitignore")}
    assert {*found(tmp_path)} == wanted


def test_links_are_named_and_not_followed(tmp_path: Path):
    outside = written(tmp_path / "outside", {"secret.md": "words"})
    root = written(tmp_path / "root", {"a.md": ""})
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "dangling").symlink_to(root / "nothing")
    assert found(root) == ["a.md"]
    assert left_out(root) == dict.fromkeys(["dangling", "file.md", "folder", "loop"], "a link")


def test_a_root_may_be_a_link(tmp_path: Path):
    written(tmp_path / "real", {"a.md": ""})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").symlink_to(tmp_path / "real/a.md")
    assert found(tmp_path / "link") == ["a.md"]
    assert found(tmp_path / "file") == ["file"]


def test_what_is_no_file_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / ".gitignore")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        assert left_out(tmp_path) == {
            ".gitignore": "hidden",
            "pipe.md": "not a regular file",
            "socket.md": "not a regular file",
        }


def test_a_file_beyond_the_limit_is_not_opened(tmp_path: Path):
    with (tmp_path / "huge.txt").open("wb") as stream:
        stream.truncate(1024**3)
    written(tmp_path, {"small.txt": "words"})
    assert left_out(tmp_path) == {"huge.txt": "larger than 20,971,520 bytes"}
    assert left_out(tmp_path, WalkSettings(max_bytes=4)) == {
        "huge.txt": "larger than 4 bytes", "small.txt": "larger than 4 bytes"
    }  # fmt: skip


def test_names_that_are_not_text_are_left_out_and_stay_apart(tmp_path: Path):
    for name in (b"\xff.md", b"\xfe.md", "ü\n\x1b[31m.md".encode()):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    assert left_out(tmp_path) == dict.fromkeys(["\\xfe.md", "\\xff.md"], "its name is not UTF-8")
    assert found(tmp_path) == ["ü\n\x1b[31m.md"]


def test_a_path_too_long_for_a_store_is_left_out(tmp_path: Path):
    name = "/".join(["x" * 200] * 5)
    written(tmp_path, {f"{name}/a.md": ""})
    assert list(left_out(tmp_path).values()) == ["its path is longer than 900 characters"]


def test_folders_may_be_nested_deeper_than_calls(tmp_path: Path):
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    written(tmp_path, {"a.md": ""})
    assert found(tmp_path) == ["a.md"]
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path: Path):
    written(tmp_path, {"shut/a.md": "", "open.md": ""})
    (tmp_path / "shut").chmod(0)
    try:
        with permissions_hold():
            seen = [*walk(tmp_path)]
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert SkippedFile("shut/", "cannot be read: Permission denied", for_now=True) in seen
    assert [each.name for each in seen] == ["open.md", "shut/"]


@settings(max_examples=60)
@given(st.lists(PATHS, max_size=8), st.lists(PATTERNS, max_size=4))
def test_every_file_is_found_or_left_out_once(tmp_path_factory, paths: list[str], lines: list[str]):
    root = tmp_path_factory.mktemp("walked")
    for path in paths:
        file = root / path
        if not file.exists() and not any(each.is_file() for each in file.parents):
            written(root, {path: ""})
    names = [each.name for each in walk(root, WalkSettings(exclude=tuple(lines)))]
    shut = tuple(name for name in names if name.endswith("/"))
    there = {each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()}
    assert len(names) == len({*names})
    assert {name for name in there if not name.startswith(shut)} == {*names} - {*shut}
