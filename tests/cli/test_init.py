"""`init`: a small project that works at once."""

from __future__ import annotations

import importlib.util
import shlex

import pytest
import yaml

from biblicus_context.reading.shipped import shipped


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_files_are_written_and_named_with_what_to_do_next(run, here):
    assert run("init").text == (
        "written:\n"
        "  contexts/handbook.yaml\n"
        "  contexts/house-style.yaml\n"
        "  contexts/policies.yaml\n"
        "  contexts/support.test.yaml\n"
        "  contexts/support.yaml\n"
        "  .gitignore\n"
        "  handbook/delivery.md\n"
        "  handbook/gifts.md\n"
        "  handbook/returns.md\n"
        "  .pre-commit-config.yaml\n"
        "  schemas/project.schema.json\n"
        "  schemas/contexts-test.schema.json\n"
        "next:\n"
        "  biblicus-context render support --examples\n"
        "  biblicus-context lint\n"
        "  biblicus-context test\n"
    )


@pytest.mark.parametrize("folder", [None, "new", "a new/my project"])
def test_what_is_to_be_done_next_works_at_once(run, here, monkeypatch, folder):
    out = run("init", *([folder] if folder else [])).text
    commands = [shlex.split(line) for line in out.partition("next:\n")[2].splitlines()]
    if folder:
        change, *commands = commands
        assert change == ["cd", folder]
        monkeypatch.chdir(change[1])
    assert len(commands) == 3
    for program, *arguments in commands:
        assert program == "biblicus-context"
        done = run(*arguments)
        indexed = "indexed handbook: 3 files, 3 blocks\n" if arguments[0] == "render" else ""
        assert (done.status, done.err) == (0, indexed)
        assert done.out


def test_the_answer_to_a_question_is_found_in_the_handbook_and_fenced(run, here):
    run("init")
    question = "question=When do I get my money back?"
    prompt, *_ = run("render", "support", "--input", question).out.partition("[user]")
    fenced = prompt.partition("<evidence-")[2]
    assert "The money is paid back within a week" in fenced
    assert fenced.count("<evidence-") == 1
    assert (here / ".biblicus-context" / "handbook").is_dir()


def test_a_second_time_nothing_is_overwritten_and_what_is_in_the_way_is_named(run, here):
    run("init")
    plan = here / "contexts" / "support.yaml"
    plan.write_text("mine", encoding="utf-8")
    for file in sorted(here.rglob("*.json")):
        file.unlink()
    refusal = run("init").refusal
    assert refusal.startswith(".: these files already exist: contexts/handbook.yaml, ")
    assert "schemas" not in refusal
    assert refusal.endswith("Nothing was written. Choose another folder, or move these files.")
    assert plan.read_text(encoding="utf-8") == "mine"
    assert not list(here.rglob("*.json"))


def test_a_link_that_leads_nowhere_is_in_the_way_too(run, here):
    (here / "contexts").mkdir()
    (here / "contexts" / "support.yaml").symlink_to(here / "nowhere")
    assert "contexts/support.yaml" in run("init").refusal


def test_the_first_line_of_each_file_leads_an_editor_to_a_schema_that_is_there(run, here):
    run("init")
    for file in (here / "contexts").iterdir():
        first = file.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=")
        schema = file.parent / first.partition("$schema=")[2]
        name = schema.name
        assert schema.read_bytes() == (shipped("schemas") / name).read_bytes()


def test_a_place_that_cannot_be_written_to_is_named(run, here):
    (here / "taken").write_text("a file", encoding="utf-8")
    refusal = run("init", "taken").refusal
    assert refusal == "taken/contexts/handbook.yaml: cannot be written: Not a directory"


def test_the_index_is_kept_out_of_version_control_by_one_line_that_is_never_doubled(run, here):
    ignored = here / ".gitignore"
    ignored.write_bytes(b"caf\xe9\n*.log")
    run("init")
    text = ignored.read_bytes()
    assert text.startswith(b"caf\xe9\n*.log\n#")
    assert text.splitlines()[-1] == b".biblicus-context/"
    (here / "other").mkdir()
    (here / "other" / ".gitignore").write_bytes(text)
    run("init", "other")
    assert (here / "other" / ".gitignore").read_bytes() == text


def test_a_gitignore_that_cannot_be_written_is_named(run, here):
    (here / ".gitignore").mkdir()
    assert run("init").refusal == ".gitignore: cannot be written: Is a directory"


def test_without_the_libraries_that_search_needs_their_installation_is_the_first_step(
    run, tmp_path, monkeypatch
):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "biblicus_context.cli.commands.init.find_spec",
        lambda name: None if name == "numpy" else found(name),
    )
    out = run("init", tmp_path / "shop").text
    assert out.partition("next:\n")[2].startswith("  pip install 'biblicus-context[corpus]'\n")


HOOKS = """\
# Ours; ask before you change it.
default_language_version: {python: python3.11}

repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: 'v0.8.0'   # renewed each month
    hooks:
      - id: ruff
        args: [--fix, --quiet]
"""


def test_hooks_are_added_to_those_of_a_project_and_its_comments_stay(run, here):
    file = here / ".pre-commit-config.yaml"
    file.write_text(HOOKS, encoding="utf-8")
    assert run("init").status == 0
    text = file.read_text("utf-8")
    assert [line for line in HOOKS.splitlines() if line not in text.splitlines()] == []
    assert [each["id"] for repo in yaml.safe_load(text)["repos"] for each in repo["hooks"]] == [
        "ruff",
        "biblicus-context-lint",
        "biblicus-context-test",
    ]


@pytest.mark.parametrize("text", ["repos: {a: 1}\n", "repos: [\n", "", "- a\n"])
def test_hooks_that_cannot_be_added_are_refused_before_anything_is_written(run, here, text):
    (here / ".pre-commit-config.yaml").write_text(text, encoding="utf-8")
    refusal = run("init")
    assert refusal.status != 0
    assert "nothing was written" in refusal.err.lower()
    assert [each.name for each in here.iterdir()] == [".pre-commit-config.yaml"]
