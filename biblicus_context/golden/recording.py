"""Calls and golden tests: a call that was made becomes a case, and cases are calls to begin with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from biblicus_context.assembly.combinations import Combinations, with_inline_sources
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.base.doors import door
from biblicus_context.base.rewrite import replace_file
from biblicus_context.errors import ContextError, InputError, LoadError
from biblicus_context.golden.report import GoldenReport
from biblicus_context.golden.running.call_arguments import ArgumentReader
from biblicus_context.golden.running.projects import Projects
from biblicus_context.golden.running.runner import run_tests
from biblicus_context.golden.snapshots.yaml_text import Plain, yaml_lines
from biblicus_context.golden.suite.suite import Suite, read_suite
from biblicus_context.golden.suite.trials import trials
from biblicus_context.reading.files import golden_files
from biblicus_context.reading.project import Project
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.contexts_test import TEST_KIND

_CALL: Final = (
    "inputs",
    "history",
    "user_message",
    "base_system_prompt",
    "tools",
    "budget",
    "model",
)
_BLOCK: Final = ("text", "source", "score", "metadata")


@dataclass(frozen=True)
class KnownCall:
    """A call that a golden test makes."""

    name: str
    context: str
    arguments: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]


@door
def known_calls(paths: Iterable[str | Path]) -> Iterator[KnownCall]:
    """The first call of each case in these files and folders; a file with a mistake has none."""
    projects = Projects()
    for file in golden_files(paths):
        if isinstance(file, Path):
            try:
                yield from _calls(read_suite(file.read_bytes(), file), projects)
            except (ContextError, OSError):  # `test` reports it
                continue


def _calls(suite: Suite, projects: Projects) -> Iterator[KnownCall]:
    reader = ArgumentReader(suite, projects.of(suite))
    for each in trials(suite):
        if each.exchanges[0].given.questions is None:
            asked = reader.handed(each.exchanges[0], each.path)
            yield KnownCall(each.name, asked.context, asked.arguments, asked.history)


@door
def recorded_case(
    project: Project, result: ContextAssemblyResult, name: str, call: Mapping[str, Any]
) -> dict[str, Any]:
    """A case that makes the same call: what retrievers answered is recorded, what was placed expected.

    `call` has the arguments of the call, by the names that a case has.
    """
    if result.draft is None:
        raise InputError("only a result that was just assembled can be recorded", place="result")
    given = {key: call[key] for key in _CALL if call.get(key)}
    packs = dict(_answers(project, result.draft))
    kept = {
        part.name: {"kept": ids}
        for part in _packs(result.receipt.parts)
        if part.name in packs and (ids := [b.id for b in part.blocks if b.action == "kept"])
    }
    expected = {"tokens": {"max": result.receipt.used}, **({"packs": kept} if kept else {})}
    return {
        "name": name,
        "context": result.receipt.context,
        **given,
        **({"packs": packs} if packs else {}),
        "expect": expected,
    }


@door
def case_text(cases: Sequence[Mapping[str, Plain]]) -> str:
    """A file with these cases."""
    return "\n".join(yaml_lines({"kind": TEST_KIND, "cases": [*cases]})) + "\n"


@door
def add_case(
    file: Path, case: Mapping[str, Any], contexts: Sequence[str | Path]
) -> Mapping[str, Any]:
    """Write a case into a file of recorded cases, in place of one with its name.

    It is run first, over the plans of `contexts`. Where a retriever pages otherwise than what was
    recorded of it, other blocks may come out: then the tokens alone are expected, and if they do not
    hold either, nothing is written. Returns what was written.
    """
    before = file.read_bytes() if file.exists() else None
    others = [each for each in _recorded(before, file) if each["name"] != case["name"]]
    said: list[str] = []
    for each in (case, {**case, "expect": {"tokens": case["expect"]["tokens"]}}):
        said = _unmet(each, contexts)
        if not said:
            replace_file(file, before, case_text([*others, each]).encode())
            return each
    problem = f"the recorded call does not come out again: {'; '.join(said)}"
    raise InputError(problem, place="case", found=case["name"])


def _unmet(case: Mapping[str, Any], contexts: Sequence[str | Path]) -> list[str]:
    with TemporaryDirectory() as folder:
        trial = Path(folder) / "trial.test.yaml"
        places = [str(Path(each).resolve()) for each in contexts]
        text = f"contexts: {json.dumps(places)}\n{case_text([case])}"
        trial.write_text(text, encoding="utf-8")
        return [*_said(run_tests([trial]))]


def _said(report: GoldenReport) -> Iterator[str]:
    for file in report.files:
        yield from (each.text for each in file.troubles)
        for verdict in file.verdicts:
            yield from (each.text for each in verdict.troubles)
            yield from (f"{each.expectation}: {each.problem}" for each in verdict.failures)


def _recorded(content: bytes | None, file: Path) -> list[dict[str, Any]]:
    if content is None:
        return []
    suite = read_suite(content, file)
    value: Any = suite.tree.root.value
    if {*value} - {"kind", "cases"}:
        fix = "Move what was written by hand into another file."
        raise LoadError("this file has more than recorded cases", file=str(file), fix=fix)
    return [*value["cases"]]


def _answers(project: Project, draft: Draft) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The blocks that each retriever offered; those of a combined one are its first source's."""
    combined = Combinations(with_inline_sources(project.retrievers))
    for index, part in enumerate(draft.parts):
        gathered = draft.packs.get(index)
        if not isinstance(part, PackPart) or gathered is None:
            continue
        if gathered.nested is not None:
            yield from _answers(project, gathered.nested)
            continue
        pieces = gathered.fitted.row.pieces.values()
        blocks = [_block(each.block) for each in pieces if each.block is not None]
        first, *others = combined.leaves_of(part.name)
        yield first, blocks
        yield from ((each, []) for each in others)


def _block(block: ContextPackBlock) -> dict[str, Any]:
    found = {"id": block.evidence_item_id, **{name: getattr(block, name) for name in _BLOCK}}
    return {name: value for name, value in found.items() if value}


def _packs(parts: Iterable[ReceiptPart]) -> Iterator[ReceiptPart]:
    for part in parts:
        yield part
        yield from _packs(part.parts)
