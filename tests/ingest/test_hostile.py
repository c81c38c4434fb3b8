"""Files made to do harm cost a moment, and are read or refused."""

from __future__ import annotations

import json
import time
import zlib
from pathlib import Path

import pytest

from biblicus_context.ingest import UnreadableError, ingest
from biblicus_context.ingest.readers import pdf
from biblicus_context.stores.sqlite import open_store
from tests.ingest.build import ANN, TOKENS, WORDS, blocks, parsed, written
from tests.ingest.pdfs import pdf_of_packed
from tests.pace import within

SECONDS = 20
"""Far more than is needed, and far less than work that grows with the square."""


def quick(name: str, content: str | bytes, root: Path) -> list[str]:
    """The texts of a file's blocks, ingested in time; none if it is refused."""
    with within(SECONDS), open_store(root / "store") as store:
        ingest(store, ANN, [written(root / "files", {name: content})], counter=TOKENS)
        return [block.text for block in blocks(store)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.json", "[" * 400_000),
        ("deep.json", "[" * 900 + "]" * 900),
        ("deep.ipynb", '{"cells":' * 100_000),
        ("cells.ipynb", '{"cells": [' + "1," * 200_000 + '{"source": "x"}]}'),
        ("outputs.ipynb", '{"cells": [{"cell_type": "code", "source": "x", "outputs": [' + "1," * 200_000 + "1]}]}"),
        ("lines.ipynb", '{"cells": [{"cell_type": "code", "source": [' + '"",' * 200_000 + '"x"]}]}'),
        ("deep.html", "<div>" * 100_000 + "x"),
        ("unseen.html", "<svg>" * 50_000 + "</nav>" * 50_000),
        ("headings.html", "<h1>" * 20_000),
        ("open.html", "<" * 100_000),
        ("comments.html", "<!--" * 50_000),
        ("declared.html", "<![" * 50_000),
        ("attributes.html", "<a " + "b=" * 50_000),
        ("entities.html", "&" * 100_000),
        ("spaces.md", "# a" + " " * 100_000 + "b"),
        ("hashes.md", "# " + "# " * 50_000 + "b"),
        ("rules.rst", "=" * 100_000 + "\n" + "=" * 100_000),
        ("line.c", "a" * 200_000),
        ("call.c", "a" * 100_000 + "(" + "b" * 100_000 + ";"),
        ("modifiers.java", "public " * 30_000),
        ("lines.js", ("x" * 390 + "(;\n") * 500),
        ("comments.js", "// x\n" * 50_000 + "function f() {\n}\n" + "// x\n" * 1_000),
        ("brackets.py", "(" * 100_000),
        ("nested.py", "".join(" " * n + "class A:\n" for n in range(95)) + " " * 95 + "x = 1"),
        ("quotes.csv", '"' * 100_000),
        ("field.csv", 'a,b\n1,"' + "words, " * 300_000),
        ("fields.csv", "a,b\n" + ('1,"' + "x\n" * 70_000 + '"\n') * 3),
        ("columns.csv", "," * 5_000 + "\n1,2\n"),
        ("names.csv", ",".join(["n" * 50_000] * 4) + "\n" + "a,b,c,d\n" * 2_000),
        ("front.md", "---\n" + "a: [" * 5_000 + "\n---\n"),
        ("front.md", "---\n" + "- " * 20_000 + "\n---\n"),
        ("number.md", "---\nn: 0x" + "f" * 20_000 + "\nm: .nan\nd: 0001-01-01T00:00:00+14:00\n---\nText."),
        ("keys.md", "---\n? [a, b]\n: c\n---\nText."),
        ("surrogates.jsonl", '{"text": "\\ud800 \\u0000 words", "title": "\\udfff\\u0000"}'),
        ("sessions.jsonl", json.dumps({"role": "user", "content": "Hello", "session": "s" * 5_000})),
        ("sessions.jsonl", '{"role": "user", "content": "Hello", "session": "\\u0000", "date": NaN}'),
        ("calls.jsonl", '{"role": "user", "tool_calls": [{"name": "f", "args": ' + "[" * 900 + "]" * 900 + "}]}"),
        ("calls.json", '[{"role": "user", "tool_calls": [' + '{"name": "f"},' * 50_000 + "1]}]"),
        ("answers.json", '[{"role": "user", "content": ' + '[{"type": "tool_result", "content": ' * 300 + "1" + "}]" * 300 + "}]"),
        ("sessions.json", "[" + '{"messages": [{"role": "u", "text": "a"}]},' * 5_000 + '{"messages": []}]'),
        ("tags.md", "---\ntags: [" + "t" * 5_000 + ', "\\0", 3, null]\n---\nText.'),
    ],
)  # fmt: skip
def test_a_file_made_to_do_harm_costs_a_moment(name: str, content: str, tmp_path: Path):
    quick(name, content, tmp_path)


def test_a_heading_or_docstring_of_a_megabyte_is_not_repeated_in_every_block(tmp_path: Path):
    with open_store(tmp_path / "store") as store:
        long = "words " * 100_000
        files = {
            "a.md": f"# {long}\n\n{long}",
            "b.py": f'def f():\n    """{long}"""\n',
            "c.jsonl": json.dumps({"text": long, "title": long[:200_000], "body2": "x" * 100_000}),
        }
        ingest(store, ANN, [written(tmp_path / "files", files)], counter=WORDS)
        found = blocks(store)
        repeated = sum(
            len(each.indexed_text or "") + len(repr((each.heading, each.metadata)))
            for each in found
        )
        assert repeated < 20 * sum(len(each.text) for each in found)


def test_the_outputs_of_a_notebook_are_cut():
    output = {"output_type": "stream", "text": "x" * 5_000_000}
    cell = {"cell_type": "code", "source": "run()", "outputs": [output]}
    (section,) = parsed("a.ipynb", json.dumps({"cells": [cell]})).sections
    assert len(section.text) < 3_000


def test_a_table_that_would_grow_without_bound_is_refused():
    source = ",".join(["n" * 100] * 900) + "\n" + ("x," * 899 + "x\n") * 1_000
    with pytest.raises(UnreadableError, match="column names"):
        parsed("a.csv", source)


def test_an_alias_in_front_matter_is_not_followed():
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    rows += [
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    page = parsed("a.md", "---\n{}\n---\nText.".format("\n".join(rows)))
    assert page.metadata == {}


def test_a_page_that_inflates_to_gigabytes_is_refused():
    packer = zlib.compressobj(9)
    first = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = first + again * 3_000 + packer.flush()
    began = time.monotonic()
    with pytest.raises(UnreadableError):
        parsed("bomb.pdf", pdf_of_packed(packed))
    assert time.monotonic() - began < 70


def test_a_page_of_endless_text_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "_SECONDS", 2)
    words = b"BT /F1 1 Tf " + b"(words) Tj " * 1_000_000 + b"ET"
    with pytest.raises(UnreadableError, match=r"too much memory or time|more than 2 seconds"):
        parsed("bomb.pdf", pdf_of_packed(zlib.compress(words)))


def test_a_pdf_with_more_text_than_a_file_may_hold_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "_LARGEST", 100)
    with pytest.raises(UnreadableError, match="more than 100 characters"):
        parsed(
            "long.pdf", pdf_of_packed(zlib.compress(b"BT /F1 1 Tf " + b"(words) Tj " * 50 + b"ET"))
        )


@pytest.mark.no_cover  # thousands of records
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("numbers.json", "[" + "1," * 11_000 + "1]"),
        ("numbers.jsonl", "1\n" * 11_000),
        ("empty.json", "[" + "{}," * 11_000 + "{}]"),
        ("pairs.json", "[" + "[1,2]," * 11_000 + "[1,2]]"),
        ("mixed.json", "[" + "1,[]," * 11_000 + "1]"),
        ("rows.csv", "a,b\n" + "1,2\n" * 11_000),
        ("texts.jsonl", '{"text": "a"}\n' * 11_000),
    ],
)
def test_very_many_tiny_records_share_blocks(name: str, content: str, tmp_path: Path):
    found = quick(name, content, tmp_path)
    assert 1 < len(found) < 6_000
    records = parsed(name, content).sections
    said = "".join("".join(each.text.split()) for each in records)
    assert "".join("".join(text.split()) for text in found) == said


def test_very_many_small_records_share_blocks_whatever_else_they_say(tmp_path: Path):
    records = [{"id": n, "ok": n % 2 == 0, "text": f"hello world {n}"} for n in range(11_000)]
    found = quick("records.json", json.dumps(records), tmp_path)
    assert 100 < len(found) < 1_100
    said = "\n\n".join(found).split("\n\n")
    assert said == [
        f"id: {n}\nok: {'true' if n % 2 == 0 else 'false'}\nhello world {n}" for n in range(11_000)
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [("rows.csv", "a,b\n" + "1,2\n" * 3_000), ("objects.json", "[" + "{}," * 2_999 + "{}]")],
)
def test_fewer_rows_and_records_have_a_block_each(name: str, content: str, tmp_path: Path):
    assert len(quick(name, content, tmp_path)) == 3_000
