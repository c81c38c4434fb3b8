"""What travels with the package, and what loading it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.reading import Project, load_project
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.shipped import shipped


def of(project: Project, kind: Kind, name: str) -> tuple[str, ...]:
    """The folders and the file of a declaration."""
    return Path(project.sources[kind, name].file).parts


def test_the_shipped_contexts_are_a_project():
    project = load_project(shipped("contexts"))
    own = [name for name in project.contexts if "systems" not in of(project, "context", name)]
    assert own == [
        "combined-sources",
        "evidence-in-question",
        "handbook",
        "house-style",
        "sections",
        "sources",
        "support",
        "two-sources",
    ]
    own = [name for name in project.retrievers if "systems" not in of(project, "retriever", name)]
    assert own == [
        "all-sources",
        "tickets",
        "handbook-passages",
        "passages",
        "latest",
        "rules",
        "news",
    ]
    assert Path(str(project.corpora["handbook"].config["root"])).is_dir()
    assert project.formats["line"].format.separator == "\n"
    assert project.policies["small"].policy.input_budget.max_tokens == 2000


@pytest.mark.parametrize(
    "file", sorted(shipped("contexts").glob("*.yaml")), ids=lambda file: file.name
)
def test_a_shipped_context_tells_editors_its_schema(file):
    first = file.read_text(encoding="utf-8").splitlines()[0]
    begin, schema = first.split("$schema=")
    assert begin == "# yaml-language-server: "
    name = "contexts-test" if file.name.endswith(".test.yaml") else "project"
    assert (file.parent / schema).resolve() == shipped("schemas") / f"{name}.schema.json"


def test_the_shipped_context_renders_without_a_retriever():
    assembler = ContextAssembler.from_path(shipped("contexts"))
    result = assembler.assemble(
        "support",
        "two-sources",
        inputs={"question": "Where is it?", "order": {"id": "A-1", "status": "in transit"}},
        history=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
    )
    assert "our online shop" in result.system_prompt
    assert "Answer first" in result.system_prompt
    assert result.user_message == "Order A-1 is in transit.\n\nQuestion: Where is it?"
    assert result.token_count <= 2000


def _modules_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(finished.stdout))


def test_importing_the_reader_loads_no_library_that_it_may_not_need():
    loaded = _modules_after("import biblicus_context.reading")
    unneeded = {
        "jinja2",
        "splintr",
        "regex",
        "jsonschema",
        "rapidfuzz",
        "tokenizers",
        "tiktoken",
    }
    assert not loaded & unneeded


def test_an_assembler_loads_what_ranks_and_what_explains_when_it_is_used():
    plan = "{'a': {'messages': [{'type': 'user', 'content': 'Hi.'}]}}"
    code = f"from biblicus_context import ContextAssembler; ContextAssembler({plan}).assemble('a')"
    loaded = {each.removeprefix("biblicus_context.") for each in _modules_after(code)}
    unneeded = {
        "assembly.packs.combined",
        "assembly.result.account",
        "assembly.result.explain",
        "assembly.result.stored",
        "corpora.corpus",
        "retrieval.analysis.terms",
        "retrieval.choosing.choosing",
        "retrieval.foreign.adapters",
        "retrieval.fusion",
        "retrieval.rank.registry",
        "spec.retriever_settings",
        "text.models.file",
    }
    assert not loaded & unneeded


def test_loading_good_plans_needs_no_schema_check():
    folder = str(shipped("contexts"))
    loaded = _modules_after(
        f"from biblicus_context.reading import load_project; load_project({folder!r})"
    )
    assert not loaded & {"jsonschema", "jinja2", "splintr", "regex", "rapidfuzz"}
