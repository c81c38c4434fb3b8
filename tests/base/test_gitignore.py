"""A line of `.gitignore` means what git says it means."""

from __future__ import annotations

import pytest

from biblicus_context.base.gitignore import parse_line
from tests.pace import within


def means(line: str, path: str) -> bool:
    found = parse_line(line)
    assert found is not None
    return found.matches(path.rstrip("/").split("/"), is_folder=path.endswith("/"))


@pytest.mark.parametrize(
    ("line", "yes", "no"),
    [
        ("a", ["a", "x/a", "x/a/"], ["ab", "a/x"]),
        ("/a", ["a"], ["x/a"]),
        ("a/", ["a/", "x/a/"], ["a"]),
        ("a/b", ["a/b"], ["x/a/b"]),
        ("**/a/b", ["a/b", "x/y/a/b"], ["a/x/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "x/a/b"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "a/"]),
        ("*.md", ["a.md", "x/.md"], ["a.mdx"]),
        ("a/*.md", ["a/b.md"], ["a/b/c.md"]),
        ("?", ["a", "x/b"], ["ab"]),
        ("[ab]", ["a"], ["c"]),
        ("[!ab]", ["c"], ["a"]),
        ("[^ab]", ["c"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[a\\]]", ["]", "a"], ["\\"]),
        ("[[:digit:]]x", ["1x"], ["ax"]),
        ("\\*", ["*"], ["a"]),
        ("\\!a", ["!a"], ["a"]),
        ("\\#a", ["#a"], ["a"]),
        ("a ", ["a"], ["a "]),
        ("a\\ ", ["a "], ["a"]),
        ("a\r", ["a"], ["a\r"]),
    ],
)
def test_what_a_line_means(line: str, yes: list[str], no: list[str]):
    assert [path for path in yes if not means(line, path)] == []
    assert [path for path in no if means(line, path)] == []


@pytest.mark.parametrize(
    "line", ["", "   ", "# words", "/", "!", "a//b", "[a", "a\\", "[b-a]x/[", "//"]
)
def test_lines_that_never_match(line: str):
    assert parse_line(line) is None


def test_a_line_may_be_negated():
    found = parse_line("!a/")
    assert found is not None
    assert found.negated
    assert found.folders_only


@pytest.mark.parametrize(
    "line", ["*a" * 60 + "b", "**/a/" * 40 + "b", "[" + "a" * 5_000 + "]*" * 20]
)
def test_a_line_made_to_do_harm_costs_a_moment(line: str):
    found = parse_line(line)
    with within(1):
        if found is not None:
            assert not found.matches(["a"] * 200 + ["a" * 250], is_folder=False)
