"""BC416: a template without placeholders."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Edit, Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import has_anchors
from biblicus_context.lint.facts.templates.texts import Steps, texts
from biblicus_context.reading.yaml.tree import Place

_KEY = "template"


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for text in texts(plan.declaration):
        if text.is_template and "{" not in text.source:
            yield plan.violation(
                text.path,
                "the template has no placeholders",
                advice="Use content: instead of template:.",
                edits=_edits(plan, text.path),
            )


def _edits(plan: Plan, path: Steps) -> tuple[Edit, ...]:
    line, column = plan.key(path)
    end = column + len(_KEY)
    if has_anchors(plan) or plan.lines[line - 1][column - 1 : end - 1] != _KEY:
        return ()
    return (Edit(Place(line, column), Place(line, end), "content"),)


RULE = Rule(
    code="BC416",
    name="template-without-placeholders",
    severity=Severity.NOTE,
    finds="A `template` contains neither placeholders nor Jinja2.",
    why=(
        "Readers look for values that are filled in and find none. In `content` braces that are "
        "added later are safe as well."
    ),
    instead="Write `content:` instead of `template:`.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    template: You are a support agent.  # <- BC416
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    content: You are a support agent.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
