"""`init`: a small project that works at once."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
from importlib import util
from pathlib import Path
from shutil import rmtree

import pytest
import yaml

from biblicus_context.installation import install_command
from biblicus_context.reading.shipped import shipped
from biblicus_context.starter.systems import system_names
from biblicus_context.systems.prime import ContextAssemblyService, File


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
    assert run("init").refusal.startswith(".: the whole project is there already. Nothing was")
    plan = here / "contexts" / "support.yaml"
    plan.write_text("mine", encoding="utf-8")
    for file in sorted(here.rglob("*.json")):
        file.unlink()
    assert run("init").refusal == (
        ".: these files already exist: contexts/support.yaml. "
        "Nothing was written. Choose another folder, or move these files."
    )
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


BLOCKED = """\
import importlib.util, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "wordllama", "httpx", "pypdf"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
found = importlib.util.find_spec
def find_spec(name, package=None):
    try:
        return found(name, package)
    except ModuleNotFoundError:
        return None
importlib.util.find_spec = find_spec
from biblicus_context.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The program as it is without any extra: what an extra brings cannot be imported."""


def minimal(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_without_any_extra_the_first_step_that_init_prints_installs_it(tmp_path: Path):
    done = minimal("init", folder=tmp_path)
    assert done.returncode == 0
    steps = done.stdout.partition("next:\n")[2].splitlines()
    assert steps[0].strip() == install_command("corpus")
    assert minimal("lint", folder=tmp_path).returncode == 0
    for step in (steps[1].split()[1:], ("search", "parcel", "--by", "keyword")):
        done = minimal(*step, folder=tmp_path)
        assert done.returncode != 0
        assert install_command("corpus") in done.stderr


def test_without_any_extra_what_needs_one_names_it(tmp_path: Path):
    minimal("init", folder=tmp_path)
    minimal("index", folder=tmp_path)
    for how in ("hybrid", "fuzzy"):
        done = minimal("search", "parcel", "--by", how, folder=tmp_path)
        assert done.returncode == 2
        assert install_command("corpus") in done.stderr


def test_a_project_that_searches_by_words_can_be_changed_to_meaning(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as without:
        # As where only the extra of an embeddings server is installed.
        without.setattr(
            "biblicus_context.cli.commands.init.find_spec",
            lambda name: None if name == "wordllama" else util.find_spec(name),
        )
        assert "is searched by words" in run("init").text
    run("index", "-q")
    plan = tmp_path / "contexts" / "handbook.yaml"
    text = (
        plan.read_text("utf-8").replace(", embedder: null", "").replace("id: keyword", "id: hybrid")
    )
    plan.write_text(text, "utf-8")
    run("index", "-q")
    assert run("corpus", "info", "handbook", "--format", "json").json["vectors"] == {
        "wordllama/l2_supercat_256": 3
    }
    assert "ten days" in run("render", "support", "--examples").text


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


@pytest.mark.parametrize("system", system_names())
def test_a_system_renders_at_once(run, here, monkeypatch, system):
    out = run("init", "mine", "--system", system).text
    steps = out.partition("next:\n")[2].splitlines()
    commands = [shlex.split(line) for line in steps if line.startswith("  ")]
    assert commands.pop(0) == ["cd", "mine"]
    monkeypatch.chdir("mine")
    for program, *arguments in commands:
        assert program == "biblicus-context"
        done = run(*arguments)
        assert done.status == 0, done.err
    assert "no findings" in run("lint").text


def test_the_data_of_a_system_is_found(run, here):
    assert "corpus memories: 6 records" in run("init", "--system", "memory").text
    assert "Friday, the 13th of March" in run("render", "memory", "--examples").text


def test_the_data_of_a_learning_memory_is_recalled_without_options(run, here):
    assert "corpus learned-values: 1 record\n" in run("init", "--system", "learning").text
    assert "Tests run in UTC" in run("recall", "flaky test").text
    assert "## Common Failures" in run("premortem", "--domain", "debugging").text


def test_the_data_of_prime_contexts_is_found(run, here):
    out = run("init", "--system", "prime").text
    assert "corpus files: 4 records in each of the workspaces local, prime/ann\n" in out
    assert "corpus messages: 2 records in each of the workspaces local, prime/ann\n" in out
    for workspace in ("local", "prime/ann"):
        asked = ("--examples", "--input", 'references=["timeline"]', "--workspace", workspace)
        shown = run("render", "prime", *asked).text
        assert shown.index("docs/timeline.md") < shown.index("notes/carriers.md")
        assert "user: Let us plan the launch of Aurora." in shown


def test_a_program_finds_the_data_of_prime_contexts_and_render_finds_what_it_writes(run, here):
    run("init", "--system", "prime")
    service = ContextAssemblyService.open("prime", plan="contexts/prime.yaml")

    async def talked():
        file = File(id="new", path="new.md", content="Zeppelins ship.", owner_user_id="ann")
        await service.files.put(file)
        return await service.build_prime_context("launch", "When do we ship?", "ann")

    context = asyncio.run(talked())
    assert context.stats.model_dump() == {
        "explicit_count": 1, "search_count": 3, "history_count": 2, "excluded_count": 0,
    }  # fmt: skip
    assert "Zeppelins" in run("render", "prime", "--examples", "--workspace", "prime/ann").text
    assert "Zeppelins" not in run("render", "prime", "--examples").text


def test_a_system_is_written_once_and_its_name_must_be_known(run, here):
    assert "no plan of this name is shipped: found 'memry'" in run("init", "--system", "memry").err
    assert run("init", "--system", "memory").status == 0
    assert "the whole project is there already" in run("init", "--system", "memory").err


@pytest.mark.parametrize("arguments", [(), *(("--system", each) for each in system_names())])
def test_what_a_stopped_run_left_out_is_written_by_the_next(run, here, arguments):
    run("init", *arguments)
    everything = {file: file.read_bytes() for file in here.rglob("*") if file.is_file()}
    first, *_, last = sorted(file for file in everything if file.parent == here / "contexts")
    first.unlink()
    last.unlink()
    for store in [*here.rglob("biblicus-context-store")]:
        rmtree(store.parent)
    assert run("init", *arguments).status == 0
    assert {file for file in everything if not file.is_file()} == set()
    assert [first.read_bytes(), last.read_bytes()] == [everything[first], everything[last]]


def test_a_system_is_added_to_a_project_that_is_there(run, here):
    run("init")
    assert run("init", "--system", "memory").status == 0
    done = run("init", "--system", "learning")
    assert (done.status, done.err) == (0, "")
    for name in ("support", "memory", "learning"):
        assert run("render", name, "--examples", "-q").status == 0, name
    assert run("lint").text.startswith("no findings")
    assert run("test").status == 0


def test_schemas_of_this_release_take_the_place_of_older_ones(run, here):
    run("init")
    schema = here / "schemas" / "project.schema.json"
    current = schema.read_text("utf-8")
    schema.write_text(current.replace('"compactor"', '"shortener"'), "utf-8")
    assert run("init", "--system", "memory").status == 0
    assert schema.read_text("utf-8") == current


def test_a_schema_of_somebody_else_is_in_the_way(run, here):
    (here / "schemas").mkdir()
    (here / "schemas" / "project.schema.json").write_text('{"title": "Ours"}', "utf-8")
    refusal = run("init", "--system", "memory").refusal
    assert "these files already exist: schemas/project.schema.json." in refusal
    assert not (here / "contexts").exists()


@pytest.mark.parametrize(
    ("system", "folder"),
    [
        ("memory", "memories"),
        ("prime", "prime"),
        ("workspace", "workspace"),
        ("learning", "learning"),
    ],
)
def test_what_programs_record_is_kept_out_of_version_control(run, here, system, folder):
    (here / ".gitignore").write_text("*.log\n", "utf-8")
    run("init", "--system", system)
    assert (here / folder).is_dir()
    lines = (here / ".gitignore").read_text("utf-8").splitlines()
    assert lines[0] == "*.log"
    assert f"/{folder}/" in lines


def test_a_project_with_plans_is_left_as_it_is(run, here):
    (here / "contexts").mkdir()
    plan = "kind: context\nname: house-style\nmessages: []\n"
    (here / "contexts" / "my.yaml").write_text(plan, "utf-8")
    assert run("init", ".").refusal == (
        ".: there are plans already: contexts/my.yaml. Nothing was written. Try the example in a "
        "folder of its own: biblicus-context init example. "
        "A system is added to plans with init --system."
    )
    assert [each.name for each in here.rglob("*") if each.is_file()] == ["my.yaml"]
    assert run("init", "example").status == 0
    assert run("lint").text.startswith("no findings in 1 file")


def test_a_system_whose_names_are_used_is_not_added(run, here):
    (here / "contexts").mkdir()
    mine = here / "contexts" / "mine.yaml"
    mine.write_text("kind: context\nname: memory\nmessages: []\n", "utf-8")
    assert (
        "uses names that are here already: 'memory' (contexts/mine.yaml:1)."
        in run("init", "--system", "memory").refusal
    )
    assert [each.name for each in here.rglob("*") if each.is_file()] == ["mine.yaml"]
    mine.write_text("kind: context\nname: other\nmessages: []\n", "utf-8")
    assert run("init", "--system", "memory").status == 0
    assert run("lint").text.startswith("no findings")


def test_an_index_is_never_committed_even_without_init(run, here):
    (here / "pages").mkdir()
    (here / "pages" / "a.md").write_text("Tea.\n", "utf-8")
    assert run("index", "pages").status == 0
    ignored = here / ".biblicus-context" / ".gitignore"
    assert ignored.read_text("utf-8").splitlines()[-1] == "*"
    ignored.write_text("mine\n", "utf-8")
    assert run("index", "pages").status == 0
    assert ignored.read_text("utf-8") == "mine\n"
    assert [row["name"] for row in run("corpus", "list", "--format", "json").json] == ["pages"]
