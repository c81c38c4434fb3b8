"""BC214: a summarizing function that is not known."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.compactor_settings import compactors_of
from biblicus_context.reading.listed_names import listed, sorted_names


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Checks names under `using` against declared compactors and functions passed from Python."""
    for path, settings in compactors_of(plan.declaration):
        name = settings.get("using")
        if not isinstance(name, str) or ("compactor", name) in declared.by_name:
            continue
        known = declared.from_python.get("compactor", frozenset())
        if name not in known:
            yield plan.violation(
                (*path, "using"),
                "unknown summarizing function",
                found=name,
                valid=listed(name, sorted_names(known)),
                advice="List functions that are passed from Python under 'known' in the settings.",
            )


RULE = Rule(
    code="BC214",
    name="unknown-summarizer",
    severity=Severity.ERROR,
    finds="A compactor of type `summarize` uses a function that is not known.",
    why="The call fails when the context is assembled, unless the function is passed from Python.",
    instead=(
        "Pass the function under this name from Python, and list it in the settings: `known = "
        '{compactors = ["ask_a_model"]}`. Without `using`, the assembler\'s `summarizer` is used.'
    ),
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - type: history
    compactor: {type: summarize, using: ask_a_model} # <- BC214
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
messages:
  - type: history
    compactor: {type: summarize}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
