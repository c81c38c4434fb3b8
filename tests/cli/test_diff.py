"""`diff`: what changed between two assemblies."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import DESK, PLANS

CALL = DESK[1:]
FILE = "contexts/desk.yaml"


def git(*arguments: str) -> None:
    identity = ("-c", "user.email=a@example.org", "-c", "user.name=A")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def changed(text: str) -> str:
    return text.replace("at the desk.", "at the front desk.").replace(
        "max_tokens: 70", "max_tokens: 60"
    )


@pytest.fixture
def repository(project: Path) -> Path:
    """The project with one commit, and then a change to its plan."""
    git("init", "--quiet", ".")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    (project / FILE).write_text(changed(PLANS), encoding="utf-8")
    return project


EXPECTED = """\
--- HEAD:contexts/desk.yaml: 68 tokens of 70, o200k_base
+++ contexts/desk.yaml: 56 tokens of 60, o200k_base

part      before  after  change
system         6      7      +1
handbook      24     24    same
history       30     17     -13  kept, now shortened
user           8      8    same

cacheable prefix: 4 tokens (o200k_base)
  first difference in messages[0], line 1, column 17
  - desk.\\n\\nA parcel is lost after ten days.
  + front desk.\\n\\nA parcel is lost after ten

messages[0] (system)
@@ -1,4 +1,4 @@
-You work at the desk.
+You work at the front desk.

 A parcel is lost after ten days. Then we send another one.


messages[1] removed (user)
@@ -1 +0,0 @@
-Hello! I have ordered two lamps and a table from you.
"""


def test_a_file_at_a_revision_is_compared_with_the_file_now(run, repository):
    sides = f"HEAD:{FILE}", FILE
    assert run("diff", *sides, "--context", "desk", *CALL).text == EXPECTED


def test_the_whole_project_counts_as_it_was_at_the_revision(run, repository):
    (repository / "contexts" / "tone.yaml").write_text(
        "kind: context\nname: tone\nmessages: [{type: system, content: Be kind.}]\n",
        encoding="utf-8",
    )
    (repository / "contexts" / "uses.yaml").write_text(
        "kind: context\nname: uses\nmessages: [{type: context, name: tone}]\n", encoding="utf-8"
    )
    git("add", ".")
    git("commit", "--quiet", "--message", "two")
    (repository / "contexts" / "tone.yaml").write_text(
        "kind: context\nname: tone\nmessages: [{type: system, content: Be brief.}]\n",
        encoding="utf-8",
    )
    out = run("diff", "HEAD:contexts/uses.yaml", "contexts/uses.yaml").text
    assert "-Be kind.\n+Be brief.\n" in out


def test_a_path_of_a_revision_may_begin_here_or_at_the_root(run, repository, monkeypatch):
    monkeypatch.chdir(repository / "contexts")
    for one in ("HEAD:./desk.yaml", "HEAD:contexts/desk.yaml"):
        found = run("diff", one, "desk.yaml", "--context", "plain", "--format", "json").json
        assert found["prefix"]["same"]


def test_the_folder_of_the_project_can_be_named(run, repository):
    (repository / "contexts").rename(repository / "plans")
    git("add", "--all")
    git("commit", "--quiet", "--message", "moved")
    one, other = "HEAD:plans/desk.yaml", "plans/desk.yaml"
    found = run("diff", one, other, "--path", "plans", "--context", "plain", "--format", "json")
    assert found.json["prefix"]["same"]


def test_two_saved_results_are_compared(run, project):
    for name, budget in (("a.json", 70), ("b.json", 60)):
        saved = run("render", *DESK, "--format", "json", "--budget", budget).text
        (project / name).write_text(saved, encoding="utf-8")
    found = run("diff", "a.json", "b.json", "--format", "json").json
    assert found["tokens"] == {"before": 68, "after": 55}
    assert found["messages"] == [
        {
            "before": 1,
            "after": None,
            "role": "user",
            "diff": ["@@ -1 +0,0 @@", "-Hello! I have ordered two lamps and a table from you."],
        }
    ]
    assert found["parts"][2] == {
        "part": "history",
        "depth": 0,
        "before": 30,
        "after": 17,
        "action_before": "kept",
        "action_after": "shortened",
    }
    assert found["prefix"] == {
        "tokens": 30,
        "counter": "o200k_base",
        "same": False,
        "message": 1,
        "line": 1,
        "column": 1,
        "before": "[user] Hello! I have ordered two lamps and a ta",
        "after": "[assistant] Hello! Thank you for your order. How can",
    }


def test_two_contexts_are_compared_and_each_gets_the_inputs_it_knows(run, project):
    (project / "contexts" / "more.yaml").write_text(
        "kind: context\nname: short\ninputs: [question]\n"
        "messages: [{type: user, content: 'Q: {input.question}'}]\n",
        encoding="utf-8",
    )
    packs = ("--packs", "packs.yaml")
    inputs = ("--input", "question=Why?", "--input", "count=2")
    out = run("diff", "desk", "short", *packs, *inputs).text
    assert "-Question 2: Why?\n+Q: Why?\n" in out


def test_the_standard_input_is_read_once_for_both_sides(run, project):
    inputs = ("--inputs", "-", "--packs", "packs.yaml")
    found = run("diff", "desk", "desk", *inputs, "--format", "json", stdin="question: Why?")
    assert found.json["prefix"]["same"]


def test_what_is_the_same_is_said_to_be(run, project):
    assert run("diff", "desk", "desk", *CALL).text.endswith(
        "cacheable prefix: all of it, 68 tokens (o200k_base)\n"
    )


def test_a_side_that_ends_says_so(run, project):
    (project / "a.yaml").write_text(
        "kind: context\nname: a\nmessages: [{type: user, content: one}]\n", encoding="utf-8"
    )
    (project / "b.yaml").write_text(
        "kind: context\nname: b\nmessages: [{type: user, content: one two}, {type: user, content: x}]\n",
        encoding="utf-8",
    )
    both = ("--path", "a.yaml", "--path", "b.yaml")
    assert "  - (the message ends)\n  +  two\n" in run("diff", "a", "b", *both).text
    empty = "kind: context\nname: c\nmessages: []\n"
    (project / "c.yaml").write_text(empty, encoding="utf-8")
    assert (
        "  - [user] one\n  + (nothing more)\n"
        in run("diff", "a", "c", *both, "--path", "c.yaml").text
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("desk", "dsk"), "Context 'dsk' not defined. Known: desk, plain. Did you mean 'desk'?"),
        (("a.json", "b.json"), "a.json: cannot be read: No such file or directory"),
        (("packs.json", "desk"), "packs.json: not a saved result: messages: Field required"),
        (("x.yaml", "desk"), "x.yaml: cannot be read: No such file or directory"),
        (
            (FILE, FILE),
            "contexts/desk.yaml: this file declares several contexts. Valid: desk, plain. "
            "Pass --context NAME.",
        ),
        (
            (FILE, FILE, "--context", "dsk"),
            "contexts/desk.yaml: this file does not declare this context: found 'dsk'. Valid: desk, plain. "
            "Did you mean 'desk'?",
        ),
        ((f"HEAD~9:{FILE}", FILE), "git has no revision with this name: found 'HEAD~9'."),
        ((f"--output=x:{FILE}", FILE), "No such option"),
        (("HEAD:contexts/x.yaml", FILE), "HEAD:contexts/x.yaml: the plan does not exist at this revision"),
        (("desk", "desk", "--input", "qestion=x"), "unknown input: found 'qestion'. Valid: count, question, tags."),
        (("desk", "desk", "--packs", "bad.yaml"), "an answer is recorded for a retriever that no context"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_message(run, repository, arguments, said):
    (repository / "packs.json").write_text("{}", encoding="utf-8")
    (repository / "bad.yaml").write_text("handbok: x\n", encoding="utf-8")
    assert run("diff", *arguments).refusal.startswith(said)


def test_a_mistake_in_an_old_plan_is_said_of_the_revision(run, repository):
    (repository / FILE).write_text("kind: contxt\nname: x\n", encoding="utf-8")
    git("commit", "--quiet", "--all", "--message", "broken")
    refusal = run("diff", f"HEAD:{FILE}", "HEAD~1:contexts/desk.yaml").refusal
    assert refusal.startswith("HEAD:contexts/desk.yaml:1:7: unknown kind: found 'contxt'")


def test_outside_a_repository_git_says_why(run, project):
    refusal = run("diff", f"HEAD:{FILE}", FILE).refusal
    assert refusal.startswith("git rev-parse: fatal: not a git repository")


def test_without_git_revisions_cannot_be_read(run, project, monkeypatch):
    monkeypatch.setenv("PATH", str(project))
    assert run("diff", f"HEAD:{FILE}", FILE).refusal == (
        "git is not installed; it is needed to read revisions"
    )


def test_a_file_that_declares_no_context_cannot_be_compared(run, project):
    (project / "contexts" / "p.yaml").write_text("kind: policy\nname: p\n", encoding="utf-8")
    refusal = run("diff", "contexts/p.yaml", "desk").refusal
    assert refusal == "contexts/p.yaml: this file declares no context"


def test_the_data_are_the_same_bytes_every_time(run, repository):
    call = ("diff", f"HEAD:{FILE}", FILE, "--context", "desk", *CALL, "--format", "json")
    assert run(*call) == run(*call)
    assert json.loads(run(*call).out)["messages"][0]["before"] == 0


def test_a_revision_is_compared_over_the_indexes_of_today(run, tmp_path, monkeypatch):
    """A commit has plans, but neither indexes nor the files of corpora."""
    monkeypatch.chdir(tmp_path)
    run("init", "-q")
    git("init", "--quiet", ".")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    run("index", "-q")
    plan = tmp_path / "contexts" / "support.yaml"
    plan.write_text(plan.read_text("utf-8").replace("small online", "tiny online"), "utf-8")
    file = "contexts/support.yaml"
    found = run("diff", f"HEAD:{file}", file, "--examples", "--format", "json").json
    (handbook,) = (each for each in found["parts"] if each["part"] == "handbook")
    assert handbook["before"] == handbook["after"] > 50
    assert run("corpus", "info", "handbook", "--format", "json").json["source"] == str(
        tmp_path / "handbook"
    )
    (tmp_path / "handbook" / "new.md").write_text("A new page.\n", "utf-8")
    assert run("diff", f"HEAD:{file}", file, "--examples").status == 0


def test_an_error_in_another_plan_does_not_stop_a_comparison(run, repository):
    (repository / "contexts" / "other.yaml").write_text("kind: contxt\n", encoding="utf-8")
    assert run("diff", f"HEAD:{FILE}", FILE, "--context", "desk", *CALL).text == EXPECTED


def test_texts_in_files_of_their_own_are_as_they_were(run, repository):
    (repository / "prompts").mkdir()
    tone = repository / "prompts" / "tone.md"
    tone.write_text("Be kind.\n", encoding="utf-8")
    (repository / "contexts" / "tone.yaml").write_text(
        "kind: context\nname: tone\n"
        "messages: [{type: system, content: {file: ../prompts/tone.md}}]\n",
        encoding="utf-8",
    )
    git("add", ".")
    git("commit", "--quiet", "--message", "two")
    tone.write_text("Be brief.\n", encoding="utf-8")
    out = run("diff", "HEAD:contexts/tone.yaml", "contexts/tone.yaml").text
    assert "-Be kind.\n+Be brief.\n" in out


def test_a_text_that_was_not_there_is_an_error_of_the_revision(run, repository):
    (repository / "contexts" / "tone.yaml").write_text(
        "kind: context\nname: tone\nmessages: [{type: system, content: {file: ../tone.md}}]\n",
        encoding="utf-8",
    )
    git("add", ".")
    git("commit", "--quiet", "--message", "two")
    (repository / "tone.md").write_text("Be brief.\n", encoding="utf-8")
    failed = run("diff", "HEAD:contexts/tone.yaml", "contexts/tone.yaml")
    assert "HEAD:contexts/tone.yaml:3:43: there is no such file: found '../tone.md'" in failed.err
