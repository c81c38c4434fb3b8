"""`content: {file: ...}`: a text of a plan in a file of its own, inside the project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.errors import LoadError, PlanError, ProjectError, TemplateError
from biblicus_context.reading import load_project
from biblicus_context.reading.check import check
from biblicus_context.reading.yaml.documents import read_trees

PLAN = """\
kind: context
name: support
messages:
  - type: system
    content: {file: prompts/style.md}
  - first:
      - {type: system, content: {file: prompts/long.md}}
      - none
  - type: user
    template: {file: prompts/question.md}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prompts = tmp_path / "contexts" / "prompts"
    prompts.mkdir(parents=True)
    (tmp_path / "contexts" / "support.yaml").write_text(PLAN, encoding="utf-8")
    (prompts / "style.md").write_text("Be kind.\nUse {braces}.\n", encoding="utf-8")
    (prompts / "long.md").write_text("Long.", encoding="utf-8")
    (prompts / "question.md").write_text("Q: {{ input.q | upper }}\n", encoding="utf-8")
    return tmp_path / "contexts"


def problem_of(folder: Path, file: str, prefix: str = "") -> LoadError:
    plan = (
        f"kind: context\nname: support\nmessages:\n  - type: user\n    content: {{file: {file}}}\n"
    )
    (folder / "support.yaml").write_text(plan, encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        load_project(folder)
    assert (caught.value.line, caught.value.column) == (5, 21)
    assert caught.value.file == str(folder / "support.yaml")
    assert caught.value.mistake == "invalid-text-file"
    return caught.value


def test_texts_are_read_from_files_relative_to_the_plan(folder: Path):
    result = ContextAssembler.from_path(folder).assemble("support", inputs={"q": "why?"})
    assert result.system_prompt == "Be kind.\nUse {braces}.\n\nLong."
    assert result.user_message == "Q: WHY?"


def test_the_line_break_at_the_end_of_a_file_is_not_sent_and_line_ends_are_the_same_everywhere(
    folder: Path,
):
    (folder / "prompts" / "style.md").write_bytes(b"\xef\xbb\xbfBe kind.\r\nAlways.\r\n")
    result = ContextAssembler.from_path(folder).assemble("support", inputs={"q": "why?"})
    assert result.system_prompt == "Be kind.\nAlways.\n\nLong."


@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Co", "Cn", "Zl", "Zp"])
        | st.sampled_from("\n\t{}")
    )
)
def test_a_text_from_a_file_is_the_text_of_the_file(tmp_path_factory, text: str):
    folder = tmp_path_factory.mktemp("plan")
    (folder / "text.md").write_bytes(text.encode())
    plan = "kind: context\nname: a\nmessages: [{type: user, content: {file: text.md}}]\n"
    (folder / "plan.yaml").write_text(plan, encoding="utf-8")
    (directive,) = load_project(folder).contexts["a"].messages or ()
    assert directive.content == text.removeprefix("\ufeff").removesuffix("\n")


def test_a_changed_file_changes_the_fingerprint(folder: Path):
    before = ContextAssembler.from_path(folder).assemble("support", inputs={"q": "why?"})
    (folder / "prompts" / "style.md").write_text("Be brief.", encoding="utf-8")
    after = ContextAssembler.from_path(folder).assemble("support", inputs={"q": "why?"})
    assert before.fingerprint != after.fingerprint


def test_a_missing_file_is_an_error_at_its_name(folder: Path):
    error = problem_of(folder, "prompts/gone.md")
    assert "there is no such file: found 'prompts/gone.md'" in str(error)


@pytest.mark.parametrize("file", ["/etc/passwd", "~/style.md", "C:/style.md", r"prompts\style.md"])
def test_a_path_that_is_not_relative_is_an_error(folder: Path, file: str):
    assert "must be relative" in str(problem_of(folder, f"'{file}'"))


def test_a_file_outside_the_project_is_an_error(folder: Path):
    (folder.parent / "secret.txt").write_text("secret", encoding="utf-8")
    assert "outside the project" in str(problem_of(folder, "../secret.txt"))


def test_a_link_out_of_the_project_is_an_error(folder: Path):
    (folder.parent / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "prompts" / "link.md").symlink_to(folder.parent / "secret.txt")
    assert "outside the project" in str(problem_of(folder, "prompts/link.md"))
    (folder / "inside.md").symlink_to(folder / "prompts" / "style.md")
    plan = folder / "support.yaml"
    plan.write_text(plan.read_text().replace("prompts/link.md", "inside.md"), encoding="utf-8")
    assert ContextAssembler.from_path(folder).assemble("support").user_message.startswith("Be kind")


def test_a_repository_is_the_project(folder: Path):
    (folder.parent / ".git").mkdir()
    (folder.parent / "shared.md").write_text("Shared.", encoding="utf-8")
    plan = "kind: context\nname: a\nmessages: [{type: user, content: {file: ../shared.md}}]\n"
    (folder / "support.yaml").write_text(plan, encoding="utf-8")
    assert ContextAssembler.from_path(folder).assemble("a").user_message == "Shared."
    (folder.parent / ".env").write_text("KEY=1", encoding="utf-8")
    assert "hidden files" in str(problem_of(folder, "../.env"))
    assert "hidden files" in str(problem_of(folder, "../.git/config"))


def test_a_folder_without_marks_is_the_project_of_its_plans(tmp_path: Path):
    (tmp_path / "plans" / "deep").mkdir(parents=True)
    (tmp_path / "plans" / "style.md").write_text("Be kind.", encoding="utf-8")
    plan = "kind: context\nname: a\nmessages: [{type: user, content: {file: ../style.md}}]\n"
    (tmp_path / "plans" / "deep" / "a.yaml").write_text(plan, encoding="utf-8")
    whole = ContextAssembler.from_path(tmp_path / "plans")
    assert whole.assemble("a").user_message == "Be kind."
    with pytest.raises(LoadError, match="outside the project"):
        load_project(tmp_path / "plans" / "deep" / "a.yaml")


def test_a_file_that_is_not_utf_8_is_an_error_with_the_place_in_it(folder: Path):
    (folder / "prompts" / "latin.md").write_bytes("ok\ncaf\xe9".encode("latin-1"))
    assert "prompts/latin.md:2:4: the file is not valid UTF-8" in str(
        problem_of(folder, "prompts/latin.md")
    )


def test_a_file_that_is_too_large_is_an_error(folder: Path):
    (folder / "prompts" / "long.md").write_text("a" * (1024 * 1024 + 1), encoding="utf-8")
    assert "larger than" in str(problem_of(folder, "prompts/long.md"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_folder_or_a_pipe_is_an_error_and_nobody_waits_for_it(folder: Path):
    os.mkfifo(folder / "prompts" / "pipe")
    assert "not a regular file" in str(problem_of(folder, "prompts/pipe"))
    assert "not a regular file" in str(problem_of(folder, "prompts"))


def test_every_problem_of_a_plan_is_reported(folder: Path):
    for name in ("style.md", "question.md"):
        (folder / "prompts" / name).unlink()
    with pytest.raises(ProjectError) as caught:
        load_project(folder)
    assert [error.line for error in caught.value.problems] == [5, 10]


def test_a_mistake_in_a_template_of_a_file_names_the_directive(folder: Path):
    (folder / "prompts" / "question.md").write_text("{{ input.qq }}", encoding="utf-8")
    with pytest.raises(TemplateError, match=r"messages\[2\], line 1: unknown name: found 'qq'"):
        ContextAssembler.from_path(folder).assemble("support", inputs={"q": "why?"})


def test_without_a_plan_file_there_is_nothing_to_be_relative_to():
    plan = {"messages": [{"type": "user", "content": {"file": "prompts/style.md"}}]}
    with pytest.raises(PlanError, match="from_path, or pass the text itself"):
        ContextAssembler({"main": plan})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{fil: a.md}", "unknown key"),
        ("{file: a.md, more: 1}", "unknown key"),
        ("{file: 3}", "must be text: found 3"),
        ("{file: ''}", "empty"),
        ("[a.md]", "must be text, not a list"),
    ],
)
def test_the_shape_is_checked_like_everything_else(value: str, said: str):
    source = f"kind: context\nname: a\nmessages: [{{type: user, content: {value}}}]\n"
    (tree,) = read_trees(source, "plan.yaml")
    assert not isinstance(tree, LoadError)
    assert [said in str(error) for error in check(tree)] == [True]


def test_the_schema_knows_files():
    schema = json.loads(Path("schemas/context.schema.json").read_text(encoding="utf-8"))
    assert schema["definitions"]["text-file"]["properties"]["file"]["minLength"] == 1
