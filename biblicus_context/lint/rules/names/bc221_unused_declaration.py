"""BC221: a declaration that is not used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.outline import Noun

_USED_AS: Final[Mapping[Kind, Noun]] = {
    "policy": "policy",
    "format": "format",
    "retriever": "pack",
    "corpus": "corpus",
    "compactor": "compactor",
}


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Checks everything but contexts, because callers use those by name.

    Nothing is reported while a file of the project is invalid, because it may use the name.
    """
    noun, name = _USED_AS.get(plan.kind), plan.declaration.name
    if noun is None or not declared.is_whole or (noun, name) in declared.used:
        return
    if noun == "compactor" and name in declared.functions:
        return
    problem = f"the {plan.kind} {name!r} is not used in this project"
    yield plan.violation(("name",), problem, advice="Remove it, or use it.")


RULE = Rule(
    code="BC221",
    name="unused-declaration",
    severity=Severity.WARNING,
    finds="A policy, a format, a retriever, a corpus or a compactor is declared and not used in the project.",
    why=(
        "Readers maintain a declaration that has no effect. Often its name is misspelled where it "
        "should be used. Contexts are not reported, because callers use them by name."
    ),
    instead=(
        "Remove the declaration, or use it. If only Python uses it, suppress the finding: `# lint: "
        "allow BC221 used by our batch job`."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small # <- BC221
input_budget: {max_tokens: 2000}
""",
    good="""\
kind: context
name: support
policy: small
messages:
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: policy
name: small
input_budget: {max_tokens: 2000}
""",
    check=_check,
)
