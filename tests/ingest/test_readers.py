"""What each reader makes of a file as people write them."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime

import pytest

from biblicus_context.ingest import Content, Parsed, ReaderRegistry, UnreadableError
from tests.ingest.build import MOMENT, parsed
from tests.ingest.pdfs import pdf

MARKDOWN = """---
title: Handbook
date: 2024-05-01
updated: 2024-06-01T10:00:00+02:00
tags: [people, leave]
keywords: holidays, time off
owner: {team: hr, size: 4}
---
Before.

# Leave ##
Text.

```sh
# not a heading
```

Sick leave
----------
More.

#### Deep
#hashtag is text
"""


def headings(name: str, text: str) -> list[tuple[str, ...]]:
    return [section.heading for section in parsed(name, text).sections]


def texts(name: str, content: str | bytes) -> list[str]:
    return [section.text for section in parsed(name, content).sections]


def lines_hold(name: str, source: str) -> None:
    rows = source.split("\n")
    for section in parsed(name, source).sections:
        assert section.first_line is not None
        count = section.text.count("\n") + 1
        begin = section.first_line - 1
        assert section.text == "\n".join(rows[begin : begin + count])


def test_markdown_is_cut_at_its_headings():
    page = parsed("a.md", MARKDOWN)
    assert [section.heading for section in page.sections] == [
        (), ("Leave",), ("Leave", "Sick leave"), ("Leave", "Sick leave", "Deep")
    ]  # fmt: skip
    assert page.sections[1].first_line == 11
    assert page.sections[2].text == "Sick leave\n----------\nMore.\n"


def test_front_matter_says_what_a_document_is():
    page = parsed("a.md", MARKDOWN)
    assert page.title == "Handbook"
    assert page.created == datetime(2024, 5, 1, tzinfo=UTC)
    assert page.updated == datetime.fromisoformat("2024-06-01T10:00:00+02:00")
    assert [*page.tags] == ["people", "leave", "holidays", "time off"]
    assert page.metadata["owner"] == {"team": "hr", "size": 4}
    assert page.metadata["date"] == str(date(2024, 5, 1))


@pytest.mark.parametrize(
    ("front", "note"),
    [
        ("a: &x [1]\nb: *x", "uses aliases"),
        ("a: [1", "is not YAML"),
        ("- a\n- b", "is not a mapping"),
        ("{a: b}: c", "is not YAML"),
        ("[" * 5000, "is not YAML"),
        ("a: !!python/object/apply:os.system [ls]", "is not YAML"),
    ],
)
def test_front_matter_that_cannot_be_read_stays_text(front: str, note: str):
    page = parsed("a.md", f"---\n{front}\n---\n\nText.")
    assert note in page.notes[0]
    assert front.split("\n", maxsplit=1)[0] in page.sections[0].text


@pytest.mark.parametrize(
    ("said", "confidence"), [("0", 0.0), ("0.5", 0.5), ("1", 1.0), ("", None), ("null", None)]
)
def test_front_matter_may_say_how_sure_and_how_important_a_document_is(said, confidence):
    page = parsed("a.md", f"---\nconfidence: {said}\nimportance: {said}\n---\nText.")
    assert (page.confidence, page.importance, page.notes) == (confidence, confidence, ())


@pytest.mark.parametrize("said", ['"0.5"', "high", "true", "1.5", "-0.1", ".nan", ".inf", "[1]"])
def test_confidence_that_is_no_number_from_0_to_1_is_metadata(said: str):
    page = parsed("a.md", f"---\ntitle: T\nconfidence: {said}\n---\nText.")
    assert page.confidence is None
    assert page.notes == ("confidence must be a number from 0 to 1",)
    assert "confidence" in page.metadata
    assert (page.title, [each.text.strip() for each in page.sections]) == ("T", ["Text."])


@pytest.mark.parametrize(
    ("tags", "found", "notes"),
    [
        ("[1, null, {a: b}]", ("1",), 1),
        ("[2024-05-01, 1.5, no, ' ', [a], x]", ("2024-05-01", "1.5", "x"), 1),
        ("a, b,", ("a", "b"), 0),
        ("7", ("7",), 0),
        ("0", ("0",), 0),
        ("2024-05-01", ("2024-05-01",), 0),
        ("", (), 0),
        ("[]", (), 0),
        ("{a: b}", (), 1),
        ("true", (), 1),
        ("false", (), 1),
        ("[0x" + "f" * 9_000 + "]", (), 1),
    ],
)
def test_tags_are_texts_and_numbers_and_the_rest_is_noted(
    tags: str, found: tuple[str, ...], notes: int
):
    page = parsed("a.md", f"---\ntags: {tags}\ntitle: T\n---\nText.")
    assert page.tags == found
    assert page.notes == ("tags must be texts or numbers; other values are ignored",) * notes
    assert page.title == "T"


def test_keywords_that_are_no_tags_are_noted_by_their_own_name():
    page = parsed("a.md", "---\ntags: [a]\nkeywords: [null, b]\n---\nText.")
    assert (page.tags, page.notes) == (
        ("a", "b"), ("keywords must be texts or numbers; other values are ignored",)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("2024", "2024"), ("2024-05-01", "2024-05-01"), ("{a: b}", "One"), ("[a]", "One"),
        ("", "One"), ("true", "One"), ("0x" + "f" * 9_000, "One"),
    ],
)  # fmt: skip
def test_a_title_that_is_no_text_is_taken_from_the_first_heading(said: str, title: str):
    assert parsed("a.md", f"---\ntitle: {said}\n---\n# One\n").title == title


def test_an_ampersand_and_stars_are_no_alias():
    page = parsed("a.md", "---\ntitle: Q&A, **bold**\n---\nText.")
    assert (page.title, page.notes) == ("Q&A, **bold**", ())


@pytest.mark.parametrize(
    ("said", "created"),
    [
        ("", None),
        ("date: soon", None),
        ('date: "2024-05-01"', MOMENT),
        ("date: 2024-05-01 00:00:00", MOMENT),
    ],
)
def test_a_date_is_taken_where_it_is_one(said: str, created: datetime | None):
    assert parsed("a.md", f"---\n{said}\n---\nText.").created == created


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# One", ("One",)), ("#", ()), ("# C#", ("C#",)), ("## A ##  ", ("A",)), ("####### seven", None),
        ("    # code", None), ("#tag", None), ("# ##", ()),
    ],
)  # fmt: skip
def test_what_counts_as_a_heading(line: str, heading: tuple[str, ...] | None):
    (section,) = parsed("a.md", line).sections
    assert tuple(filter(None, section.heading)) == (heading or ())


def test_text_is_one_section():
    assert texts("notes.txt", "One.\n\nTwo.") == ["One.\n\nTwo."]
    assert texts("Makefile", "all:\n\ttrue") == ["all:\n\ttrue"]


def test_a_label_of_restructured_text_is_in_the_section_that_it_names():
    source = "Title\n=====\n\nText.\n\n.. _more:\n.. _`Even more`:\n\nMore\n----\n\nOf it.\n"
    assert texts("a.rst", source) == [
        "Title\n=====\n\nText.\n",
        ".. _more:\n.. _`Even more`:\n\nMore\n----\n\nOf it.\n",
    ]
    lines_hold("a.rst", source)


def test_restructured_text_is_cut_at_underlined_titles():
    source = "=====\nTitle\n=====\n\nIntro.\n\nPart\n----\n\n* one\n\n    Code\n    ----\n\nSub\n~~~\nx\n\nNext\n----\ny\n"
    assert headings("a.rst", source) == [
        ("Title",),
        ("Title", "Part"),
        ("Title", "Part", "Sub"),
        ("Title", "Next"),
    ]
    assert parsed("a.rst", source).title == "Title"
    lines_hold("a.rst", source)


def test_html_is_what_a_reader_sees():
    page = parsed(
        "a.html",
        "<!doctype html><html><head><title>My &amp; page</title><style>x{}</style></head><body>"
        "<nav>Home</nav><h1>One <em>two</em></h1><p>First<br>line &lt;b&gt;\n again.</p>"
        "<script>var a = '<p>no</p>'</script><ul><li>a<li>b</ul>"
        "<h2>Sub</h2><pre>  keep\n    this</pre><table><tr><td>1</td><td>2</td></tr></table></body></html>",
    )
    assert page.title == "My & page"
    assert [section.heading for section in page.sections] == [("One two",), ("One two", "Sub")]
    assert page.sections[0].text == "One two\n\nFirst\nline <b> again.\n\n- a\n- b"
    assert "  keep\n    this" in page.sections[1].text
    assert "| 1 | 2" in page.sections[1].text


def test_comments_of_html_are_left_out_and_keep_their_lines():
    page = parsed("a.html", "<!-- a\nb --><p>x</p><h1>A</h1>\n<p>y<!-- never closed")
    assert [each.text for each in page.sections] == ["x", "A\n\ny<!-- never closed"]
    assert page.sections[1].first_line == 2


def test_html_that_closes_nothing_is_read():
    page = parsed("a.html", "<nav><svg><h1>Seen<p>text</nav></main><p>more</svg><p>end")
    assert "Seen" in page.sections[0].text
    assert "end" in page.sections[0].text


def test_html_sections_stand_where_their_tags_do():
    page = parsed("a.html", "<h1>A</h1>\n<p>x</p>\n<h1>B</h1>\n<p>y</p>\n")
    assert [(each.first_line, each.last_line) for each in page.sections] == [(1, 3), (3, 5)]


PYTHON = '''"""A module."""

import os

# About the function.
@cached
def one(a):
    """Say one."""
    return 1


class Two:
    """Hold two."""

    x = 1

    async def three(self):
        return 3


if True:
    pass
'''


def test_python_is_cut_at_classes_and_functions():
    code = parsed("a.py", PYTHON)
    assert [(s.heading, s.name, s.summary, s.first_line) for s in code.sections] == [
        ((), "", "", 1),
        (("one",), "one", "Say one.", 5),
        (("Two",), "Two", "Hold two.", 12),
        (("Two", "three"), "three", "", 17),
        ((), "", "", 21),
    ]
    lines_hold("a.py", PYTHON)
    assert code.language == "python"


def test_python_that_is_none_is_cut_by_its_look():
    code = parsed("a.py", "class A:\n    def b(self):\n        print 'x'\n\ndef c():\n    pass\n")
    assert [section.heading for section in code.sections] == [("A",), ("A", "b"), ("c",)]
    assert "not valid Python" in code.notes[0]


@pytest.mark.parametrize(
    ("name", "source", "units"),
    [
        ("a.js", "import x\n\n// Adds.\nexport async function add(a, b) {\n  if (a) {\n    f()\n  }\n}\n\nclass B extends C {\n  run(x) {\n  }\n}\n",
         [(), ("add",), ("B",), ("B", "run")]),
        ("a.java", "public class A {\n    private int x;\n\n    /** Says. */\n    @Override\n    public int get(int y) {\n        while (y) {\n        }\n    }\n\n    void set(\n        int a) {\n    }\n}\n",
         [("A",), ("A", "get"), ("A", "set")]),
        ("a.go", "package m\n\nfunc (s *Server) Run(x int) error {\n\treturn nil\n}\n\ntype T struct {\n}\n", [(), ("Server.Run",), ("T",)]),
        ("a.rs", "use x;\n\n/// Adds.\npub(crate) fn add(a: i32) -> i32 {\n    a\n}\n\nimpl<T> Foo {\n    pub fn new() -> Self {\n    }\n}\n",
         [(), ("add",), ("Foo",), ("Foo", "new")]),
        ("a.c", "#include <a.h>\nint f(int);\n\nstatic int main(int argc)\n{\n  if (x) {\n  }\n}\n", [(), ("main",)]),
        ("a.sh", "set -e\nbuild() {\n  make\n}\n", [(), ("build",)]),
        ("a.rb", "module A\n  def b\n    1\n  end\nend\n", [("A",), ("A", "b")]),
    ],
)  # fmt: skip
def test_other_languages_are_cut_by_their_look(
    name: str, source: str, units: list[tuple[str, ...]]
):
    assert headings(name, source) == units
    lines_hold(name, source)


def test_a_comment_stays_with_what_it_is_about():
    assert texts("a.js", "x\n\n// One.\n// Two.\nfunction f() {\n}")[1].startswith("// One.")


def test_a_notebook_is_its_cells():
    cells = [
        {"cell_type": "markdown", "source": ["# Setup\n", "Words."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [
            {"text": ["1\n"]}, {"data": {"text/plain": "x" * 3000, "image/png": "iVBOR"}}, {}]},
        {"cell_type": "raw", "source": " "},
    ]  # fmt: skip
    book = parsed(
        "a.ipynb", json.dumps({"cells": cells, "metadata": {"language_info": {"name": "r"}}})
    )
    assert [(each.kind, each.heading, each.metadata) for each in book.sections] == [
        ("prose", ("Setup",), {"cell": 0}), ("code", ("Setup",), {"cell": 1})
    ]  # fmt: skip
    assert book.sections[1].text.startswith("print(1)\n\n1\n")
    assert book.sections[1].text.endswith("x\n[…]")
    assert "iVBOR" not in book.sections[1].text
    assert (book.language, book.title) == ("r", "Setup")


def book(*cells: object, **beside: object) -> Parsed:
    return parsed("a.ipynb", json.dumps({"cells": [*cells], "nbformat": 4, **beside}))


def test_errors_of_a_notebook_are_read_like_its_outputs():
    outputs = [
        {"output_type": "error", "ename": "ValueError", "evalue": "bad " * 900, "traceback": ["tb"]},
        {"output_type": "error", "ename": "KeyboardInterrupt", "evalue": ""},
    ]  # fmt: skip
    (section,) = book({"cell_type": "code", "source": "f()", "outputs": outputs}).sections
    code, error, interrupt = section.text.split("\n\n")
    assert (code, interrupt) == ("f()", "KeyboardInterrupt")
    assert error.startswith("ValueError: bad bad ")
    assert error.endswith("\n[…]")
    assert len(error) < 2_100


def test_a_notebook_of_an_old_format_is_its_cells():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Load"]},
        {"cell_type": "code", "language": "python", "input": ["print(1)"], "outputs": [
            {"output_type": "stream", "text": ["1\n"]}, {"output_type": "pyout", "text": ["2"]},
            {"output_type": "pyerr", "ename": "OSError", "evalue": "gone"}]},
    ]  # fmt: skip
    sheets = [{"cells": cells}, {"cells": [{"cell_type": "markdown", "source": "More."}]}]
    old = parsed("a.ipynb", json.dumps({"worksheets": sheets, "metadata": {}, "nbformat": 3}))
    assert [(each.text, each.heading, each.kind) for each in old.sections] == [
        ("Load", ("Load",), "prose"),
        ("print(1)\n\n1\n\n\n2\n\nOSError: gone", ("Load",), "code"),
        ("More.", ("Load",), "prose"),
    ]
    assert (old.title, old.notes) == ("Load", ())


def test_what_is_sound_of_a_notebook_is_read_and_the_rest_is_noted():
    odd = book(
        {"cell_type": "markdown", "source": "# Words"},
        1,
        {"cell_type": "code"},
        {"cell_type": "code", "source": [1, 2]},
        {"source": "No type."},
        {"cell_type": "code", "source": "x", "outputs": [5, {"text": [1]}, {"text": "out"}, {"data": 1}]},
        {"cell_type": "code", "source": "y", "outputs": 7},
        metadata=[1],
    )  # fmt: skip
    assert [(each.text, each.kind, each.metadata) for each in odd.sections] == [
        ("# Words", "prose", {"cell": 0}), ("No type.", "prose", {"cell": 4}),
        ("x\n\nout", "code", {"cell": 5}), ("y", "code", {"cell": 6}),
    ]  # fmt: skip
    assert odd.language == "python"
    assert odd.notes == (
        "cell 1 has no text",
        "cell 2 has no text",
        "cell 3 has no text",
        "cell 5 has outputs that cannot be read",
        "cell 6 has outputs that cannot be read",
    )


def test_many_odd_cells_are_told_briefly():
    notes = book({"cell_type": "raw", "source": "x"}, *[1] * 30).notes
    assert len(notes) == 11
    assert notes[-1] == "20 more of its cells cannot be read whole"


@pytest.mark.parametrize(
    "language", [{}, {"language_info": 5}, {"language_info": {"name": 5}}, None, "r"]
)
def test_a_notebook_that_names_no_language_is_in_python(language: object):
    assert book({"cell_type": "raw", "source": "x"}, metadata=language).language == "python"


def test_a_notebook_without_cells_is_nothing():
    assert book().sections == ()
    assert parsed("a.ipynb", '{"worksheets": [{"cells": []}]}').sections == ()


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "{", "1", "{}", "[" * 9000, '{"cells": 1}', '{"cells": [1]}'),
        *('{"cells": [{"source": 1}]}', '{"worksheets": 1}', '{"worksheets": [1]}'),
    ],
)
def test_what_is_no_notebook_is_refused(text: str):
    with pytest.raises(UnreadableError, match="not a notebook"):
        parsed("a.ipynb", text)


def test_json_lines_are_records():
    source = '{"id": 1, "title": "T", "text": "The words of this one.", "n": 2, "deep": [1]}\n\n{"a": [1]}\nno\n'
    data = parsed("a.jsonl", source)
    first, second = data.sections
    assert (first.text, first.heading, first.first_line) == ("The words of this one.", ("T",), 1)
    assert first.metadata == {"id": 1, "title": "T", "n": 2}
    assert (second.text, second.first_line) == ('{\n "a": [\n  1\n ]\n}', 3)
    assert data.notes == ("line 4 is not JSON",)


def test_a_record_that_says_most_beside_its_text_stays_whole():
    (section,) = parsed("a.jsonl", '{"message": "boom", "stack": "a long trace of calls"}').sections
    assert "a long trace" in section.text


def many(*records: dict[str, object]) -> str:
    """These records, again and again, so that there are more than may have a block each."""
    return json.dumps([*records] * (10_002 // len(records)))


def test_small_records_among_very_many_say_in_their_text_what_tells_them_apart():
    one: dict[str, object] = {"title": "A", "n": 1, "lang": "en", "text": "The first words."}
    two: dict[str, object] = {
        "title": "B",
        "n": 1.5,
        "lang": "en",
        "text": "And more words.",
        "x": [1],
    }
    first, second = parsed("a.json", many(one, two)).sections[:2]
    assert (first.text, second.text) == (
        "title: A\nn: 1\nThe first words.", "title: B\nn: 1.5\nAnd more words."
    )  # fmt: skip
    assert first.metadata == second.metadata == {"lang": "en"}
    assert first.heading == second.heading == ()


def test_a_value_is_what_all_records_say_only_if_it_is_of_one_type():
    first, second = parsed(
        "a.json", many({"v": True, "text": "one and more"}, {"v": 1, "text": "two and more"})
    ).sections[:2]
    assert (first.text, second.text) == ("v: true\none and more", "v: 1\ntwo and more")


def test_a_longer_record_among_very_many_stays_as_it_is():
    long = {"title": "A", "n": 1, "text": "words " * 100}
    (alone,) = parsed("a.json", json.dumps([long])).sections
    among = parsed("a.json", many(long, {"title": "B", "text": "short"})).sections[0]
    assert (among.text, among.metadata, among.heading) == (alone.text, alone.metadata, ("A",))


def test_records_that_are_not_very_many_keep_what_they_say_beside_their_text():
    first = parsed("a.json", json.dumps([{"id": 1, "text": "words"}] * 10_000)).sections[0]
    assert (first.text, first.metadata, first.kind) == ("words", {"id": 1}, "record")


def test_plain_values_of_a_list_share_a_section_with_those_beside_them():
    source = '[1, "two\\nlines", null, {"a": 1}, {"b": 2}, [3], true, false]'
    assert texts("a.json", source) == [
        '1\n"two\\nlines"\nnull', '{\n "a": 1\n}', '{\n "b": 2\n}', "[\n 3\n]", "true\nfalse"
    ]  # fmt: skip


def test_plain_values_on_neighbouring_lines_share_a_section_and_keep_their_lines():
    source = '1\n2\n\n3\n{"a": 1}\n"four"\nno\n5\n6\n'
    sections = parsed("a.jsonl", source).sections
    assert [(each.text, each.first_line) for each in sections] == [
        ("1\n2", 1), ("3", 4), ('{\n "a": 1\n}', 5), ('"four"', 6), ("5\n6", 8)
    ]  # fmt: skip


def test_many_bad_lines_are_told_briefly():
    assert parsed("a.jsonl", "1\n" + "no\n" * 30).notes[-1] == "20 more lines are not JSON"


def test_a_transcript_is_its_turns():
    lines = [
        {"role": "user", "content": "Hello", "name": "Ada", "date": "8 May", "session": "s1"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Hi"}, {"type": "image"}, "there"],
        },
        {"role": "assistant", "content": None},
    ]
    talk = parsed("a.jsonl", "\n".join(map(json.dumps, lines)))
    assert talk.kind == "conversation"
    assert [(s.text, s.name, s.session, s.metadata) for s in talk.sections] == [
        ("Hello", "Ada", "s1", {"role": "user", "date": "8 May"}),
        ("Hi\nthere", "assistant", None, {"role": "assistant"}),
        ("", "assistant", None, {"role": "assistant"}),
    ]


def said(name: str, *values: object) -> list[tuple[str, str, str | None]]:
    """Speakers, texts and sessions of a transcript."""
    source = json.dumps([*values]) if name == "a.json" else "\n".join(map(json.dumps, values))
    talk = parsed(name, source)
    assert talk.kind == "conversation"
    return [(each.name, each.text, each.session) for each in talk.sections]


def talk(*texts: str, **beside: object) -> dict[str, object]:
    """A session of its own, as files for training a model have one on each line."""
    roles = ("user", "assistant")
    turns = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"messages": turns, **beside}


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_messages_of_many_sessions_are_the_turns_of_each(name: str):
    tools = [{"type": "function"}]
    talks = [talk("Paris?", "Sunny."), talk("Oslo?", tools=tools), talk("Rome?", thread="r")]
    assert said(name, *talks, talk()) == [
        ("user", "Paris?", "session 1"), ("assistant", "Sunny.", "session 1"),
        ("user", "Oslo?", "session 2"), ("user", "Rome?", "r"),
    ]  # fmt: skip


def test_the_turns_of_a_session_stand_on_its_line_and_have_its_date():
    turns = parsed(
        "a.jsonl", "\n".join(map(json.dumps, [talk("a"), talk("b", "c", date="8 May")]))
    ).sections
    assert [(each.first_line, each.last_line, each.metadata) for each in turns] == [
        (1, 1, {"role": "user"}), (2, 2, {"role": "user", "date": "8 May"}), (2, 2, {"role": "assistant", "date": "8 May"})
    ]  # fmt: skip


def test_a_turn_among_messages_may_say_its_own_session_and_date():
    turn = {"role": "user", "content": "Hello", "session": "own", "date": "9 May"}
    (section,) = parsed(
        "a.json", json.dumps({"messages": [turn], "session": "s", "date": "8 May"})
    ).sections
    assert (section.session, section.metadata["date"]) == ("own", "9 May")


@pytest.mark.parametrize("speaking", ["speaker", "name", "author"])
@pytest.mark.parametrize("session", ["session", "conversation", "thread", "meeting"])
@pytest.mark.parametrize("time", ["date", "time", "timestamp", "created_at"])
@pytest.mark.parametrize("below", [False, True])
def test_a_turn_says_who_speaks_where_and_when_in_any_of_these_words(
    speaking: str, session: str, time: str, below: bool
):
    facts = {speaking: "Ada", session: "kick-off", time: "8 May"}
    line = {"id": 7, "text": "Hello", **({"metadata": facts} if below else facts)}
    read = parsed("a.jsonl", json.dumps(line))
    (turn,) = read.sections
    assert (read.kind, turn.kind, turn.text) == ("conversation", "turn", "Hello")
    assert (turn.name, turn.session, turn.metadata["date"]) == ("Ada", "kick-off", "8 May")


def test_a_speaker_alone_makes_a_turn_and_an_author_alone_does_not():
    assert said("a.jsonl", {"speaker": "Ada", "text": "Hello"}) == [("Ada", "Hello", None)]
    for name in ("author", "name"):
        assert parsed("a.jsonl", json.dumps({name: "Ada", "text": "A book."})).kind == "data"


@pytest.mark.parametrize(
    ("text", "beside", "language", "name"),
    [
        ('def double(n):\n    """Twice."""\n    return 2 * n', {}, "python", "double"),
        ("SELECT 1", {"language": "SQL"}, "sql", ""),
        ("function twice(n) {\n  return 2 * n;\n}", {"lang": "javascript"}, "javascript", "twice"),
        ("function twice(n) {\n  return 2 * n;\n}", {}, "", "twice"),
        ("Hello.", {"metadata": {"language": "python"}}, "python", ""),
    ],
)
def test_a_record_whose_text_is_code_is_indexed_as_code(
    text: str, beside: dict[str, object], language: str, name: str
):
    (section,) = parsed("a.jsonl", json.dumps({"id": "1", "text": text, **beside})).sections
    assert (section.kind, section.text) == ("record", text)
    assert (section.language, section.name) == (language, name)


@pytest.mark.parametrize(
    "text", ["def is short for default.", "Class is over.", "type the word {here}", "# A title", ""]
)
def test_prose_is_not_code(text: str):
    (section,) = parsed("a.jsonl", json.dumps({"text": text, "n": 1})).sections
    assert section.language is None


def test_a_short_text_is_the_record_whatever_ids_it_has():
    record = {
        "id": "0b7c-4a11-9e02",
        "text": "Refunds take a week.",
        "url": "https://example.com/x",
    }
    (section,) = parsed("a.jsonl", json.dumps({**record, "hash": "f" * 64})).sections
    assert section.text == "Refunds take a week."
    assert section.metadata["hash"] == "f" * 64


def test_no_words_of_a_record_are_lost():
    record = {
        "text": "Boom.",
        "detail": {"why": "the pump lost its oil again"},
        "codes": [1, 2, 3, 4],
    }
    (section,) = parsed("a.jsonl", json.dumps(record)).sections
    assert section.text == 'Boom.\ndetail: {"why":"the pump lost its oil again"}'


def test_one_session_alone_needs_no_name():
    assert [each.session for each in parsed("a.json", json.dumps(talk("a", "b"))).sections] == [
        None
    ] * 2


@pytest.mark.parametrize(
    "line", [{"messages": "none"}, {"messages": [1]}, {"messages": [{"role": "user"}]}]
)
def test_messages_that_are_none_are_records(line: dict[str, object]):
    assert parsed("a.jsonl", "\n".join(map(json.dumps, [talk("a"), line]))).kind == "data"
    assert parsed("a.jsonl", json.dumps(talk())).kind == "data"


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        ({"content": None, "tool_calls": [{"function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}]},
         '[calls weather] {"city":"Oslo"}'),
        ({"tool_calls": [{"name": "weather", "args": {"city": "Ås"}}]}, '[calls weather] {"city": "Ås"}'),
        ({"content": "Let me see.", "tool_calls": [{"function": {"name": "a"}}, {"function": {"name": "b", "arguments": ""}}]},
         "Let me see.\n[calls a]\n[calls b]"),
        ({"function_call": {"name": "weather", "arguments": "{}"}}, "[calls weather] {}"),
        ({"tool_calls": [{"custom": {"name": "run", "input": "ls -l"}}]}, "[calls run] ls -l"),
        ({"content": [{"type": "text", "text": "Looking."}, {"type": "tool_use", "name": "find", "input": {"x": 1}}]},
         'Looking.\n[calls find] {"x": 1}'),
        ({"content": "x", "tool_calls": [1, {}, {"function": 5}, {"function": {"name": ""}}]}, "x"),
        ({"content": "x", "tool_calls": "none"}, "x"),
    ],
)  # fmt: skip
def test_a_turn_says_what_it_calls(turn: dict[str, object], text: str):
    assert said("a.jsonl", {"role": "assistant", **turn}) == [("assistant", text, None)]


@pytest.mark.parametrize(
    "content",
    [
        "sunny",
        [{"type": "text", "text": "sunny"}],
        [{"type": "tool_result", "content": "sunny"}],
        [
            {
                "type": "tool_result",
                "content": [{"type": "text", "text": "sunny"}, {"type": "image"}],
            }
        ],
    ],
)
def test_what_a_tool_answered_is_a_turn(content: object):
    asked = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    assert said("a.jsonl", asked, {"role": "tool", "content": content}) == [
        ("assistant", "[calls f] {}", None), ("tool", "sunny", None)
    ]  # fmt: skip


def test_json_is_turns_records_or_the_text_it_is():
    assert (
        parsed("a.json", '{"messages": [{"role": "user", "content": "Hello"}]}').kind
        == "conversation"
    )
    assert texts("a.json", '[{"a": 1}, {"b": 2}]') == ['{\n "a": 1\n}', '{\n "b": 2\n}']
    source = '{\n  "a": 1\n}\n'
    assert texts("a.json", source) == [source]
    lines_hold("a.json", source)
    assert texts("a.json", '{"a":1}') == ['{\n "a": 1\n}']
    assert texts("a.json", "[]") == []


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", "{"), ("a.jsonl", "no\n"), ("a.json", "9" * 5000)]
)
def test_what_is_no_json_is_refused(name: str, text: str):
    with pytest.raises(UnreadableError, match="JSON"):
        parsed(name, text)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_table_is_its_rows(mark: str):
    source = 'name,note\nAda,"two\nlines"\n,\nBob,x,extra\n'.replace(",", mark)
    sections = parsed("a.csv", source).sections
    assert [(each.text, each.first_line, each.last_line) for each in sections] == [
        ("name: Ada\nnote: two\nlines", 2, 3), ("name: Bob\nnote: x\nextra", 5, 5)
    ]  # fmt: skip


def test_a_field_of_a_table_may_be_as_long_as_the_file():
    long = "words, " * 40_000
    before = csv.field_size_limit(10)  # of the process, which others may have set
    try:
        assert texts("a.csv", f'a,b\n1,"{long}"\n2,ok\n') == [f"a: 1\nb: {long}", "a: 2\nb: ok"]
        assert csv.field_size_limit() == 10
    finally:
        csv.field_size_limit(before)


def test_a_table_without_rows_says_so():
    assert texts("a.csv", "") == []
    table = parsed("a.csv", "a,b\n")
    assert (table.sections, table.notes) == ((), ("it has a header, but no rows",))


def test_a_pdf_is_its_pages():
    content = pdf(
        "Page one.", "", "Page three.", Title="T", Author="A", CreationDate="D:20240501000000Z"
    )
    read = parsed("a.pdf", content)
    assert [(each.text, each.metadata) for each in read.sections] == [
        ("Page one.", {"page": 1}), ("Page three.", {"page": 3})
    ]  # fmt: skip
    assert (read.title, read.metadata, read.created) == ("T", {"author": "A"}, MOMENT)


def test_a_pdf_without_text_says_so():
    read = parsed("a.pdf", pdf("", CreationDate="no date"))
    assert read.notes == ("it has no text, perhaps only pictures",)
    assert read.created is None


def test_a_pdf_that_nobody_may_read_is_refused():
    with pytest.raises(UnreadableError, match="it is encrypted"):
        parsed("a.pdf", pdf("Secret.", password="x"))
    assert texts("a.pdf", pdf("Open.", password="")) == ["Open."]


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"words", pdf("Page.")[:400]])
def test_a_broken_pdf_is_refused(content: bytes):
    with pytest.raises(UnreadableError, match="not a valid PDF"):
        parsed("a.pdf", content)


def test_binary_files_have_no_reader():
    assert ReaderRegistry().reader_of(Content("a.md", b"\0\1", MOMENT)) is None


def test_the_title_of_a_picture_is_not_that_of_its_page():
    page = (
        "<title>Tea</title><body><svg><title>Menu</title></svg><p>Water<svg><title>Up</title></svg>"
    )
    assert parsed("a.html", page).title == "Tea"
    assert parsed("b.html", page.removeprefix("<title>Tea</title>")).title == ""
    assert [each.text for each in parsed("a.html", page).sections] == ["Water"]


@pytest.mark.parametrize("said", ["sep=;\n", '"sep=;"\r\n', "\n\n"])
def test_what_stands_above_the_header_of_a_table_is_not_its_header(said: str):
    (row,) = parsed("a.csv", f"{said}tea;water, in degrees\ngreen;80\n").sections
    assert row.text == "tea: green\nwater, in degrees: 80"
    assert row.first_line == said.count("\n") + 2


def test_a_date_that_is_none_leaves_the_rest_of_front_matter():
    found = parsed("a.md", "---\ndate: 2024-13-45\nupdated: soon\ntags: [tea]\n---\n# Tea\n")
    assert (found.created, found.updated, found.tags) == (None, None, ("tea",))
    assert found.metadata["date"] == "2024-13-45"
    assert found.notes == ("date must be a date", "updated must be a date")
