"""`tokens`: texts counted as one model counts them or as several do."""

from __future__ import annotations

import pytest


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text("Where is my order?\n", encoding="utf-8")
    (tmp_path / "two words.md").write_text("Größe XL, 東京都", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "binary.bin").write_bytes(b"ELF\x00\xff\xfe")
    return tmp_path


def test_a_file_is_counted_with_the_default_vocabulary(run, texts):
    assert run("tokens", "one.txt").text == (
        "file     characters  o200k_base\none.txt          19           5\n"
    )


def test_several_files_and_models_are_a_table_with_a_total(run, texts):
    assert run(
        *("tokens", "one.txt", "two words.md", "empty.txt"),
        *("--model", "gpt-4o", "--model", "claude-sonnet-4-5", "--model", "whitespace"),
    ).text == (
        "file          characters  gpt-4o  claude-sonnet-4-5 (about)  whitespace\n"
        "one.txt               19       5                          7           4\n"
        "two words.md          13       6                          9           3\n"
        "empty.txt              0       0                          0           0\n"
        "total                 32      11                         16           7\n"
    )


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_without_a_file_the_standard_input_is_counted(run, texts, arguments):
    out = run("tokens", *arguments, stdin="Where is my order?").text
    assert out.splitlines()[1].split() == ["standard", "input", "18", "5"]


def test_data_have_the_figures_of_each_file_and_the_total(run, texts):
    assert run(
        "tokens", "one.txt", "-", "--model", "llama3", "--format", "json", stdin="a"
    ).json == {
        "estimated": {"llama3": False},
        "files": [
            {"file": "one.txt", "characters": 19, "tokens": {"llama3": 5}},
            {"file": "-", "characters": 1, "tokens": {"llama3": 1}},
        ],
        "total": {"characters": 20, "tokens": {"llama3": 6}},
    }


def test_what_is_not_a_text_is_passed_over_and_the_exit_status_says_so(run, texts):
    done = run("tokens", "binary.bin", "one.txt", texts, "nowhere.txt")
    assert done.status == 2
    assert done.out.splitlines()[1].split() == ["one.txt", "19", "5"]
    assert done.err.splitlines() == [
        "error: binary.bin: not a text: byte 4 is not UTF-8",
        f"error: {texts}: cannot be read: Is a directory",
        "error: nowhere.txt: cannot be read: No such file or directory",
    ]


def test_where_nothing_could_be_counted_nothing_is_printed_but_data_are_whole(run, texts):
    assert run("tokens", "binary.bin").refusal == "binary.bin: not a text: byte 4 is not UTF-8"
    done = run("tokens", "binary.bin", "--format", "json")
    assert '"tokens": {\n      "o200k_base": 0\n    }' in done.out


def test_an_unknown_model_is_named_with_the_nearest(run, texts):
    assert "Did you mean 'gpt-4o'?" in run("tokens", "one.txt", "--model", "gpt4oo").refusal


def test_a_large_text_is_counted(run, texts):
    assert run("tokens", stdin="word " * 400_000).text.split()[-1] == "400,001"
