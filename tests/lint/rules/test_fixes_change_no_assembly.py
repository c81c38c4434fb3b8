"""For any plan: fixes change no assembly, and a finding with severity error is an error of the engine."""

from __future__ import annotations

import copy
from typing import Any

import yaml
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextError
from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.reading import PlanDocument, read_documents
from tests.assembly.strategies import COMPACTORS, Case, cases
from tests.lint.rules.harness import checked, declarations_of, fewer, plans_of, rules_of

RULES = rules_of("34567")
IDLE = {
    "policy": [
        {"overflow": "error"},
        {"overflow": "none"},
        {"max_iterations": 3},
        {"compactor": "tail"},
        {"expansion": {"max_pages": 1, "min_fill_ratio": 0.5}},
        {"pack_budget": {"default_max_tokens": 40}},
    ],
    "system": [{"priority": 2}, {"vars": {"a": 1, "b": 2}}, {"shrink": True, "priority": 1}],
    "user": [{"vars": {"a": [1]}}, {"template": "Hello."}, {"vars": {"q": "x"}}],
    "history": [
        {"pin": True, "max_turns": 3},
        {"pin": True, "budget": {"max_tokens": 9}, "start_on": "user"},
        {"pin": True, "compactor": "tail", "keep_last": 1},
        {"compactor": "tail"},
    ],
    "context": [
        {"weight": 2, "priority": 3},
        {"format": {"fence": True}, "timeout_seconds": 5},
        {"ordering": "edges", "on_error": "skip"},
        {"pin": True},
    ],
}
"""Options that rules can report as ineffective, for policies and for each type of directive."""


@st.composite
def plans(draw: st.DrawFn) -> tuple[Case, dict[str, Any]]:
    """A generated case as files can contain it, with random extra options."""
    case = draw(cases(overflow=(None, "compact")))
    contexts = copy.deepcopy(case.registries["context_registry"])
    for plan in contexts.values():
        if "policy" in plan and draw(st.booleans()):
            plan["policy"].update(draw(st.sampled_from(IDLE["policy"])))
        for directive in plan.get("messages", []):
            more = IDLE.get(directive.get("type", ""))
            if more and draw(st.booleans()):
                directive.update(draw(st.sampled_from(more)))
                if "template" in directive:
                    directive.pop("content", None)
    return case, _as_files_can_hold(contexts)


def _as_files_can_hold(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "tail" if inner in [*COMPACTORS] else _as_files_can_hold(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_as_files_can_hold(inner) for inner in value]
    return value.replace("\ud800", "?").replace("\x00", "?") if isinstance(value, str) else value


def written(contexts: dict[str, Any], *, flow: bool | None) -> str:
    """The plans as one file."""
    documents = [
        *({"kind": "context", "name": name, **plan} for name, plan in contexts.items()),
        *({"kind": "retriever", "name": name} for name in ("r1", "r2", "r3")),
    ]
    return yaml.safe_dump_all(
        documents, default_flow_style=flow, sort_keys=False, allow_unicode=True, width=10_000
    )


def findings(text: str) -> list[Finding]:
    """All findings of the rules."""
    found = plans_of(text)
    declared = declarations_of(found)
    return [
        rule.finding("plan.yaml", violation)
        for plan in found
        for rule in RULES
        for violation in checked(rule, plan, declared)
    ]


def outcome(case: Case, text: str, context: str) -> Any:
    """The messages of an assembly, or its error."""
    declared = [
        each for each in read_documents(text, "plan.yaml") if isinstance(each, PlanDocument)
    ]
    contexts = {
        each.declaration.name: each.declaration for each in declared if each.kind == "context"
    }
    assembler = ContextAssembler(contexts, copy.deepcopy(case.retrievers))
    try:
        result = assembler.assemble(**{**case.call, "context_name": context})
    except ContextError as error:
        return type(error).__name__, error.problem
    return result.messages, result.token_count


@fewer
@given(plans(), st.sampled_from([True, False, None]))
def test_fixes_change_no_assembly(generated: tuple[Case, dict[str, Any]], flow: bool | None):
    case, contexts = generated
    text = written(contexts, flow=flow)
    offered = [finding for finding in findings(text) if finding.edits]
    changed = apply_fixes(text, offered)
    assert bool(changed.applied) == bool(offered)
    if offered:
        for context in contexts:
            assert outcome(case, changed.text, context) == outcome(case, text, context)


@fewer
@given(plans())
def test_a_context_with_an_error_cannot_be_assembled(generated: tuple[Case, dict[str, Any]]):
    case, contexts = generated
    text = written(contexts, flow=None)
    errors = [finding for finding in findings(text) if finding.severity is Severity.ERROR]
    lines = text.splitlines()
    for finding in errors:
        above = lines[: finding.place.line]
        name = next(line[6:] for line in reversed(above) if line.startswith("name: "))
        assert isinstance(outcome(case, text, name)[0], str), (finding, name)
