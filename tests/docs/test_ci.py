"""The examples for CI are what the services accept, and their commands do what the page says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from biblicus_context.starter.files import starter_files
from tests.docs.reader import ROOT, Block, blocks, with_quick_commands

PAGE = ROOT / "docs" / "ci.md"
SCHEMAS = {".github/workflows/": "vendor.github-workflows", ".gitlab-ci.yml": "vendor.gitlab-ci"}

REPORTS = ("findings.sarif", "lint.xml", "test.xml")


def examples(beginning: str) -> list[Block]:
    """The files of the page whose path begins so."""
    return [each for each in blocks(PAGE) if each.file and each.file.startswith(beginning)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in starter_files().items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=with_quick_commands(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(("beginning", "schema"), SCHEMAS.items())
def test_a_pipeline_is_valid_for_its_service(beginning: str, schema: str, tmp_path: Path):
    found = examples(beginning)
    assert found
    for block in found:
        file = tmp_path / "pipeline.yml"
        file.write_text(block.body, encoding="utf-8")
        check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
        done = run(*check, str(file), folder=tmp_path)
        assert done.returncode == 0, done.stdout


def commands(block: Block) -> Iterator[str]:
    """What a pipeline runs of this package."""
    for job in jobs(yaml.safe_load(block.body)):
        lines = [*(step["run"] for step in job.get("steps", ()) if "run" in step)]
        lines += job.get("script", ())
        yield "\n".join(line for line in lines if not line.startswith("pip install"))


def jobs(pipeline: dict[str, Any]) -> list[dict[str, Any]]:
    return list(pipeline.get("jobs", pipeline).values())


PIPELINES = [block for beginning in SCHEMAS for block in examples(beginning)]
each_pipeline = pytest.mark.parametrize("block", PIPELINES, ids=lambda block: block.file)


@each_pipeline
def test_the_commands_of_a_pipeline_succeed_on_a_new_project_and_write_its_reports(
    block: Block, project: Path
):
    for script in commands(block):
        done = run("bash", "-e", "-c", script, folder=project)
        assert "biblicus-context" in script
        assert done.returncode == 0, done.stdout
    for report in REPORTS:
        assert (project / report).is_file() is (report in block.body)


@each_pipeline
def test_a_mistake_fails_the_job_unless_it_only_reports(block: Block, project: Path):
    plan = project / "contexts" / "support.yaml"
    plan.write_text(plan.read_text("utf-8").replace("policy:", "polcy:"), encoding="utf-8")
    for script in commands(block):
        done = run("bash", "-e", "-c", script, folder=project)
        assert (done.returncode != 0) is ("--exit-zero" not in script), done.stdout


def hooks() -> Iterator[dict[str, Any]]:
    for block in examples(".pre-commit-config.yaml"):
        for repository in yaml.safe_load(block.body)["repos"]:
            yield from repository["hooks"]


def test_the_hooks_of_the_page_are_those_of_the_repository():
    declared = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {hook["id"] for hook in hooks()} == {hook["id"] for hook in declared}


def test_the_configurations_of_the_page_are_valid_for_pre_commit(tmp_path: Path):
    for block in examples(".pre-commit-config.yaml"):
        (tmp_path / "config.yaml").write_text(block.body, encoding="utf-8")
        done = run(
            sys.executable, "-m", "pre_commit", "validate-config", "config.yaml", folder=tmp_path
        )
        assert (done.returncode, done.stdout) == (0, "")


def test_the_options_of_a_hook_are_options_of_its_command(project: Path):
    (project / "contexts").rename(project / "prompts")
    declared = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    entries = {hook["id"]: hook["entry"].split() for hook in declared}
    for hook in hooks():
        if "args" in hook:
            named = [] if "prompts" in hook["args"] else ["prompts/support.yaml"]
            done = run(*entries[hook["id"]], *hook["args"], *named, folder=project)
            assert done.returncode == 0, done.stdout
