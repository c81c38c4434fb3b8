"""Globs over paths, against a slow and simple second opinion."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st

from biblicus_context.base.globs import Globs
from tests.pace import within

names = st.text("ab.", min_size=1, max_size=3)
patterns = st.lists(
    st.sampled_from(["*", "**", "a", "b", "?", "a*", "*.b", "[ab]", "[!a]"]), max_size=5
)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "a.md", True),
        ("*.md", "docs/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("docs/**", "docs/a/b.txt", True),
        ("docs/**", "other/docs/a", False),
        ("docs/**/a.md", "docs/a.md", True),
        ("docs/?.md", "docs/ab.md", False),
        ("a/[!b]", "a/c", True),
        ("A.md", "a.md", False),
        ("", "", True),
        ("a/", "a", False),
        ("a\nb", "a\nb", True),
        ("[", "[", True),
        ("a.md", "axmd", False),
    ],
)
def test_stars_stay_inside_a_folder_unless_doubled(pattern: str, path: str, expected: bool):
    assert Globs([pattern]).match(path) is expected


def test_one_glob_of_several_is_enough():
    assert Globs(["*.py", "docs/*"]).match("docs/a.md")
    assert not Globs([]).match("docs/a.md")


def simply(pattern: list[str], path: list[str]) -> bool:
    """The same by trying everything."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(simply(pattern[1:], path[n:]) for n in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and simply(pattern[1:], path[1:])


@given(pattern=patterns, path=st.lists(names, min_size=1, max_size=6))
def test_it_matches_what_trying_everything_matches(pattern: list[str], path: list[str]):
    assert Globs(["/".join(pattern)]).match("/".join(path)) == simply(pattern or [""], path)


@pytest.mark.parametrize("pattern", ["*a" * 200, "**/" * 200 + "x", "a*" * 200 + "/" + "**/b" * 90])
def test_a_hostile_glob_takes_no_time(pattern: str):
    with within(1):
        Globs([pattern]).match("a" * 3000)
        Globs([pattern]).match("a/" * 3000)
