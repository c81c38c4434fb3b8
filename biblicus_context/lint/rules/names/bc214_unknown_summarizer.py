"""BC214: a summarizing function that nobody hands in."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.compactors import compactors_in
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Names under `using`: those of declared compactors, and of what Python hands in."""
    for path, settings in compactors_in(plan):
        name = settings.get("using")
        if not isinstance(name, str) or ("compactor", name) in declared.by_name:
            continue
        known = declared.from_python.get("compactor", frozenset())
        if name not in known:
            yield plan.remark(
                (*path, "using"),
                "no function of this name is handed in",
                found=name,
                valid=tuple(sorted(known)),
                advice="What Python hands in is listed under 'known' in the settings.",
            )


RULE = Rule(
    code="BC214",
    name="unknown-summarizer",
    severity=Severity.ERROR,
    finds="A compactor of type `summarize` that uses a function which nobody hands in.",
    why="The engine raises an error when the context is assembled.",
    instead=(
        "Hand the function in under this name, and say so in the settings: "
        '`known = {compactors = ["ask_a_model"]}`. Without `using` the `summarizer` is asked.'
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
