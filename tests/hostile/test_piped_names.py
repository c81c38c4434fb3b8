"""Names of a project and texts of a test give a log that a command is piped into no line of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context.cli.main import main
from biblicus_context.errors import LoadError
from biblicus_context.reading import load_project

STEERS = ["a\n::error::b", "a\r::error::b", "a\x1b[31mb", "a\u202eb", "a\u2028b", "a\n"]
PLAN = """\
kind: context
name: page
description: |
  First.
  ::error::second
messages:
  - {type: user, content: "{input.q}"}
"""
CASES = """\
kind: contexts-test
contexts: .
cases:
  - name: it contains
    context: page
    inputs: {q: "x\\n::error::found"}
    expect:
      contains: "y\\n::error::wanted"
"""


@pytest.mark.parametrize("name", STEERS, ids=ascii)
@pytest.mark.parametrize(
    "kind", ["context", "retriever", "policy", "corpus", "compactor", "format"]
)
def test_a_name_in_a_file_is_one_line_without_control_characters(
    tmp_path: Path, name: str, kind: str
):
    escaped = ascii(name).replace("'", '"')
    (tmp_path / "a.yaml").write_text(f"kind: {kind}\nname: {escaped}\n", "utf-8")
    with pytest.raises(LoadError, match=r"a name is one line of text without control characters"):
        load_project(tmp_path)


def test_names_in_other_scripts_are_names(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(
        "kind: context\nname: Größe 注文 👩\u200d👩\u200d👧\n", "utf-8"
    )
    assert [*load_project(tmp_path).contexts] == ["Größe 注文 👩\u200d👩\u200d👧"]


@pytest.mark.parametrize(
    "command", [["list"], ["test", "."], ["explain", "page", "--input", "q=x\n::error::typed"]]
)
def test_no_line_of_piped_output_is_one_of_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, command: list[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "a.yaml").write_text(PLAN, "utf-8")
    (tmp_path / "contexts" / "a.test.yaml").write_text(CASES, "utf-8")
    main(command)
    printed = capsys.readouterr().out
    assert printed
    assert not any(line.lstrip().startswith("::") for line in printed.splitlines())
