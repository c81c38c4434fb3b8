"""BC221: something that is declared and used nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.outline import Noun

_USED_AS: Final[Mapping[Kind, Noun]] = {
    "policy": "policy",
    "retriever": "pack",
    "corpus": "corpus",
    "compactor": "compactor",
}


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Everything but contexts: one that nobody inserts is what callers ask for.

    Nothing is said while a file of the project cannot be read as a whole: it may be the user.
    """
    noun, name = _USED_AS.get(plan.kind), plan.declaration.name
    if noun is None or not declared.is_whole or (noun, name) in declared.used:
        return
    if noun == "compactor" and name in declared.functions:
        return
    problem = f"the {plan.kind} {name!r} is used nowhere in this project"
    yield plan.remark(("name",), problem, advice="Remove it, or name it where it is wanted.")


RULE = Rule(
    code="BC221",
    name="unused-declaration",
    severity=Severity.WARNING,
    finds="A policy, a retriever, a corpus or a compactor that nothing in the project names.",
    why=(
        "Whoever reads or changes it believes that it matters. Often the name is misspelt, or was "
        "changed, where it should be used. A context that nothing inserts is what callers ask for."
    ),
    instead=(
        "Remove it, or name it where it is wanted. What only Python uses is allowed by "
        "`# lint: allow BC221 used by our batch job`."
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
