"""The package as it is installed: light to import, complete, and whole inside its wheel."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import biblicus_context

ROOT = Path(__file__).parents[1]
TOP = """
.ci .github .gitignore .pre-commit-hooks.yaml CHANGELOG.md CONTRIBUTING.md LICENSE README.md benchmarks
biblicus_context check constraints-tactus.txt constraints.txt contexts docs hatch_build.py mkdocs.yml
pyproject.toml schemas tests
"""
NAMES = """
ContextAssembler ContextAssemblyResult ContextDeclaration ContextPolicySpec ContextBudgetSpec
ContextPackBudgetSpec ContextExpansionSpec ContextTemplateSpec SystemMessageSpec UserMessageSpec
AssistantMessageSpec ContextInsertSpec HistoryInsertSpec ContextMessageSpec ContextPackSpec
CorpusDeclaration RetrieverDeclaration CompactorDeclaration ContextRetrieverRequest ContextPack
ContextPackBlock CompactionRequest BaseCompactor TruncateCompactor SummaryCompactor build_compactor
load_project retrieve_context_pack build_context_pack build_context_pack_from_blocks
fit_context_pack_to_token_budget fit_context_pack_to_character_budget count_tokens TokenBudget
CharacterBudget ContextPackPolicy Receipt ContextError PlanError LoadError ProjectError
UnknownNameError UnknownPackError CycleError TemplateError InputError BudgetError RetrieverError
CompactorError MissingExtraError
"""


def loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_no_library():
    modules = {name.split(".")[0] for name in loaded_by("import biblicus_context")}
    heavy = {"pydantic", "pydantic_core", "jinja2", "splintr", "regex", "yaml", "rapidfuzz"}
    assert modules & (heavy | {"sentencex", "jsonschema", "tiktoken", "asyncio"}) == set()


def test_importing_the_assembler_loads_neither_templates_nor_tokenisers():
    modules = loaded_by("from biblicus_context import ContextAssembler")
    assert modules & {"jinja2", "splintr", "regex", "yaml", "rapidfuzz", "sentencex"} == set()


def test_a_call_that_cuts_nothing_over_functions_loads_no_compactor_reader_or_store():
    modules = loaded_by("from benchmarks.first_result import main; main()")
    rooms = {"text.compactors", "reading", "stores", "ingest", "lint"}
    assert "biblicus_context.assembly.steps.place" in modules
    assert modules & {f"biblicus_context.{room}" for room in rooms} == set()


def imports_in_functions() -> set[str]:
    """The line of each import of our own package inside a function."""
    found = set()
    for file in sorted((ROOT / "biblicus_context").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(function):
                    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                        "biblicus_context"
                    ):
                        found.add(f"{file.name}:{node.lineno}: {lines[node.lineno - 1]}")
    return found


def test_our_own_package_is_imported_inside_functions_only_where_a_comment_says_why():
    found = imports_in_functions()
    assert [line for line in found if "#" not in line] == []
    assert len(found) <= 26


@pytest.mark.parametrize("name", NAMES.split())
def test_a_public_name_is_there(name: str):
    assert getattr(biblicus_context, name) is not None
    assert name in dir(biblicus_context)


def test_the_names_of_the_engine_are_few():
    assert len(biblicus_context.__all__) < 80


ROOMS = ("assembly", "base", "corpora", "embedders", "formats", "ingest", "reading", "retrieval")
LAZY = ("", *ROOMS, "golden", "spec", "text")


@pytest.mark.parametrize("room", LAZY)
def test_type_checkers_see_the_names_that_a_room_exports(room: str):
    package = import_module(f"biblicus_context.{room}".rstrip("."))
    folder = ROOT / "biblicus_context" / room
    stub = folder / "__init__.pyi"
    text = (stub if stub.exists() else folder / "__init__.py").read_text("utf-8")
    named = {
        (alias.asname, node.module, alias.name)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module != "biblicus_context.base.exports"
        for alias in node.names
        if alias.name != "TYPE_CHECKING"
    }
    assert {name for name, _, _ in named} == set(package.__all__)
    for name, module, original in named:
        assert name == original
        assert getattr(package, name) is getattr(import_module(str(module)), name)


@pytest.mark.parametrize("room", LAZY)
def test_no_name_that_a_room_exports_is_that_of_a_file_in_it(room: str):
    """Else the import of that file would put itself in place of what it exports."""
    package = import_module(f"biblicus_context.{room}".rstrip("."))
    files = {file.stem for file in (ROOT / "biblicus_context" / room).iterdir()}
    assert files & set(package.__all__) == set()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'ContextAsembler'"):
        _ = biblicus_context.ContextAsembler
    assert not hasattr(biblicus_context.corpora, "nothing")


def test_a_name_that_has_moved_says_where_it_is():
    with pytest.raises(ImportError) as raised:
        from biblicus_context import ModelStore  # noqa: F401
    moved = "'ModelStore' has moved: import ModelStore from biblicus_context.corpora"
    assert str(raised.value) == moved
    with pytest.raises(ImportError, match=r"import SkippedFile from biblicus_context\.ingest$"):
        _ = biblicus_context.Skipped


def test_what_has_moved_is_where_the_error_says():
    for room, names in biblicus_context._MOVED.items():
        for name in names.split():
            now = name.rpartition("=")[2]
            assert hasattr(import_module(f"biblicus_context.{room}"), now), name


def test_the_package_carries_its_type_marker():
    assert (ROOT / "biblicus_context" / "py.typed").exists()


def uv() -> list[str]:
    found = shutil.which("uv")
    return [found] if found else [sys.executable, "-m", "uv"]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


ADDRESS = "https://git.example/team/context"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    address = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "team/context"}
    run(*uv(), "build", "--quiet", "--wheel", "--out-dir", out, ROOT, cwd=out, **address)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_carries_contexts_schemas_and_the_type_marker(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("contexts", "schemas"):
        files = [path.name for path in (ROOT / folder).iterdir() if path.is_file()]
        assert files
        assert {f"biblicus_context/_shipped/{folder}/{name}" for name in files} <= names
    assert {"biblicus_context/py.typed", "biblicus_context/__init__.pyi"} <= names
    manuals = {path.name for path in (ROOT / "docs" / "rules").iterdir()}
    assert manuals
    assert {f"biblicus_context/lint/rules/{name}" for name in manuals} <= names
    assert not any(name.startswith(("tests/", "docs/", "benchmarks/")) for name in names)


def test_the_wheel_passes_the_check_of_a_release(wheel: Path, tmp_path: Path):
    printed = checked(wheel, cwd=tmp_path)
    assert "Question: My parcel has not moved for two weeks. What now?" in printed
    assert "3 passed\n" in printed
    assert f"Repository, {ADDRESS}\n" in printed
    assert f"Issues, {ADDRESS}/issues\n" in printed
    assert printed.endswith("the wheel works: version 0.1.0\n")


def test_a_wheel_under_a_wrong_name_or_tag_is_no_release(wheel: Path, tmp_path: Path):
    with pytest.raises(AssertionError, match=r"the tag is v9\.9\.9, and the version 0\.1\.0"):
        checked(wheel, cwd=tmp_path, GITHUB_REF_NAME="v9.9.9")


def checked(wheel: Path, *, cwd: Path, **environment: str) -> str:
    constraints = ["--constraints", str(ROOT / "constraints.txt")]
    return run(ROOT / ".github" / "check-wheel", wheel, *constraints, cwd=cwd, **environment)


def test_addresses_are_pages_and_never_folders_or_passwords():
    hook = (ROOT / "hatch_build.py").read_text("utf-8")
    names: dict[str, Any] = {"__name__": "hook"}
    exec(
        hook.replace("from hatchling.metadata.plugin.interface import", "from abc import ABC as"),
        names,
    )
    page = names["web_address"]
    assert page("git@git.example:team/context.git") == "https://git.example/team/context"
    assert page("ssh://git@git.example/team/context") == "https://git.example/team/context"
    assert (
        page("https://me:secret@git.example/team/context.git\n")
        == "https://git.example/team/context"
    )
    assert page("/home/me/context") is None
    assert page("../context") is None


def test_outside_of_the_systems_a_class_has_a_name_of_its_own():
    """Names in the systems are those of the published designs; they may repeat each other."""
    room = ROOT / "biblicus_context"
    files = [file for file in room.rglob("*.py") if "systems" not in file.relative_to(room).parts]
    places: dict[str, list[str]] = {}
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(file.relative_to(room)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a checkout knows what is committed")
def test_nothing_is_committed_by_mistake_at_the_top():
    committed = run("git", "ls-files", cwd=ROOT).split("\n")
    assert {name.partition("/")[0] for name in committed if name} == set(TOP.split())
