"""Files that hold data: JSON, JSON Lines or YAML, by their name or by what is in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biblicus_context.cli.input.data_files import read_list, read_mapping, read_text, read_value
from biblicus_context.errors import LoadError


@pytest.fixture
def written(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


@pytest.mark.parametrize(
    ("name", "content", "value"),
    [
        ("a.json", '{"a": 1}', {"a": 1}),
        ("a.JSON", "[1, 2]", [1, 2]),
        ("a.jsonl", '{"a": 1}\n\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("a.ndjson", "1\r\n2\r\n", [1, 2]),
        ("a.yaml", "a: [x, y]\n", {"a": ["x", "y"]}),
        ("a.yml", "- 1\n", [1]),
        ("noname", '{"a": 1}', {"a": 1}),
        ("noname", '{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("noname", "a: 1\n", {"a": 1}),
        ("bom.json", b"\xef\xbb\xbf[1]", [1]),
    ],
)
def test_a_value_is_read_by_the_ending_of_the_name_or_by_what_it_is(written, name, content, value):
    assert read_value(written(name, content)) == value


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{", ":1:2: this is not JSON: Expecting property name"),
        ("a.jsonl", '{"a": 1}\n{"a"}\n', ":2:5: this is not JSON: Expecting ':'"),
        ("a.json", "[NaN]", ":1: this is not JSON: NaN is not a number in JSON"),
        ("a.json", "[" * 100_000, ":1: this is not JSON: "),
        ("a.json", "9" * 5000, ":1: this is not JSON: "),
        ("a.json", " \n", ": the file is empty"),
        ("a.yaml", "a: [", ":1:5: "),
        ("a.yaml", "a: 1\n---\nb: 2\n", ": the file must contain one document. Keep one of them."),
        ("a.json", b"\xff\xfe", ": not a text: byte 0 is not UTF-8"),
        ("a.json", b"abc\x00\x80", ": not a text: byte 4 is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(written, name, content, said):
    file = written(name, content)
    with pytest.raises(LoadError) as refused:
        read_value(file)
    assert str(refused.value).startswith(f"{file}{said}")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("[1]", "a list"),
        ('"x"', "a text"),
        ("1", "a number"),
        ("true", "true or false"),
        ("null", "nothing"),
    ],
)
def test_a_mapping_has_to_be_one(written, content, found):
    file = written("a.json", content)
    with pytest.raises(LoadError) as refused:
        read_mapping(file, "inputs")
    said = f"{file}: inputs must be a mapping of names to values, but the file contains {found}"
    assert str(refused.value) == said


def test_a_list_may_stand_under_a_key(written):
    assert read_list(written("a.json", '{"messages": [1]}'), "messages", under="messages") == [1]
    with pytest.raises(LoadError, match="messages must be a list, but the file contains a mapping"):
        read_list(written("a.json", '{"other": [1]}'), "messages", under="messages")


def test_folders_missing_files_and_impossible_names_are_refused(tmp_path):
    for path, said in (
        (tmp_path, "Is a directory"),
        (tmp_path / "x", "No such file or directory"),
        (Path("a\0b"), "embedded null byte"),
    ):
        with pytest.raises(LoadError, match=f"cannot be read: {said}"):
            read_text(path)


def test_a_dash_is_the_standard_input(run, project):
    done = run("render", "plain", "--history", "-", stdin=json.dumps([]))
    assert done.text.startswith("[system]")
    refused = run("render", "plain", "--history", "-", stdin="{}").refusal
    assert refused == "standard input: messages must be a list, but the file contains a mapping"
