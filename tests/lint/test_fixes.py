"""Safe edits, carried out on a file's text."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from biblicus_context.lint.engine.finding import Edit, Finding, Severity
from biblicus_context.lint.engine.fixes import FileFix, apply_fixes
from biblicus_context.lint.engine.unified import Cut, edited, unified
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Place, Tree

TEXT = "# top\nkind: context  # what\nname: support\npolicy: {max_iterations: 2}\n"


def finding(*edits: Edit) -> Finding:
    return Finding(
        Place(1, 1), "p", edits=edits, code="BC999", name="n", severity=Severity.NOTE, file="a.yaml"
    )


def edit(start: tuple[int, int], end: tuple[int, int], text: str = "") -> Edit:
    return Edit(Place(*start), Place(*end), text)


def test_an_edit_changes_its_stretch_and_nothing_else() -> None:
    done = apply_fixes(TEXT, [finding(edit((4, 1), (5, 1)))])
    assert done.text == "# top\nkind: context  # what\nname: support\n"


def test_all_edits_of_a_file_are_made_at_once() -> None:
    first, second = finding(edit((1, 1), (2, 1))), finding(edit((4, 9), (4, 28), "{}"))
    done = apply_fixes(TEXT, [second, first])
    assert done.text == "kind: context  # what\nname: support\npolicy: {}\n"
    assert set(done.applied) == {first, second}


def test_of_edits_that_touch_only_the_first_is_made() -> None:
    first, second = finding(edit((4, 1), (5, 1))), finding(edit((4, 9), (4, 28), "{}"))
    done = apply_fixes(TEXT, [first, second])
    assert done.applied == (first,)


def test_an_edit_that_would_break_the_file_is_not_made() -> None:
    for broken in (edit((3, 5), (3, 6), "|"), edit((1, 1), (5, 1)), edit((3, 7), (3, 14), "x")):
        done = apply_fixes(TEXT, [finding(broken)])
        assert (done.text, done.applied) == (TEXT, ())


def test_lines_may_end_as_they_like() -> None:
    text = "kind: context\r\nname: a\r# x\nmessages: []\r\n"
    assert (
        apply_fixes(text, [finding(edit((4, 1), (5, 1)))]).text == "kind: context\r\nname: a\r# x\n"
    )


_PLACES = st.tuples(st.integers(1, 4), st.integers(1, 12))


@given(
    st.lists(
        st.builds(
            lambda a, b, text: finding(edit(min(a, b), max(a, b), text)),
            _PLACES,
            _PLACES,
            st.text("ab: {}#\n|-\"'", max_size=6),
        ),
        max_size=4,
    )
)
def test_whatever_is_applied_the_same_documents_can_be_read(findings: list[Finding]) -> None:
    done = apply_fixes(TEXT, findings)
    (tree,) = read_trees(done.text, "a.yaml")
    assert isinstance(tree, Tree)
    assert tree.at(["name"]).value == "support"
    assert set(done.applied) <= set(findings)
    if not done.applied:
        assert done.text == TEXT


def test_a_difference_is_what_patch_reads() -> None:
    shown = FileFix("a.yaml", "x: 1\ny: 2\n", (Cut(8, 10, "3"),), ()).diff
    assert shown.splitlines() == [
        "--- a.yaml",
        "+++ a.yaml",
        "@@ -1,2 +1,2 @@",
        " x: 1",
        "-y: 2",
        "+y: 3",
        "\\ No newline at end of file",
    ]
    assert not re.search(r"\n\n", shown)


_CUTS = st.lists(
    st.builds(
        lambda at, length, text: Cut(at, at + length, text),
        st.integers(0, 40),
        st.integers(0, 9),
        st.text("ab\n", max_size=4),
    ),
    max_size=5,
)


@given(st.text("xy\n", max_size=40), _CUTS)
def test_patching_a_text_with_its_difference_gives_the_edited_text(text: str, cuts: list[Cut]):
    apart: list[Cut] = []
    for cut in sorted(cuts):
        if cut.end <= len(text) and (not apart or apart[-1].end < cut.start):
            apart.append(cut)
    assert patched(text, unified("a.yaml", text, apart)) == edited(text, apart)


def patched(text: str, difference: str) -> str:
    """What `patch` makes of a text."""
    lines, made, at, sign = text.splitlines(keepends=True), [], 0, ""
    for line in difference.split("\n")[2:-1]:
        if head := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            first = int(head[1]) - (head[2] != "0")
            made += lines[at:first]
            at = first
        elif line.startswith("\\"):
            made[-1:] = [made[-1].rstrip("\n")] if sign != "-" else made[-1:]
        else:
            sign = line[0]
            if sign in " -":
                assert lines[at].rstrip("\n") == line[1:]
                at += 1
            if sign in " +":
                made.append(line[1:] + "\n")
    return "".join([*made, *lines[at:]])
