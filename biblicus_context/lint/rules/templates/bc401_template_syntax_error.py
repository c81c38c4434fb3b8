"""BC401: a template or a condition that cannot be parsed."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.template_mistakes import template_mistakes
from biblicus_context.lint.facts.templates.texts import DirectiveText, FieldText, violation_in


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for written, mistake in template_mistakes(plan, "syntax"):
        yield violation_in(plan, written, mistake.offset, mistake.problem, advice=_advice(written))


def _advice(written: DirectiveText | FieldText) -> str:
    if isinstance(written, DirectiveText) or written.path[-1] != "when":
        return "Put braces that are text between {% raw %} and {% endraw %}, or use content."
    if written.source.lstrip().startswith("{"):
        return f"Write the expression without braces: {written.source.strip('{} ')}"
    return "Write one expression, such as: input.language == 'de'"


RULE = Rule(
    code="BC401",
    name="template-syntax-error",
    severity=Severity.ERROR,
    finds="A `template` or a `when` is not valid Jinja2.",
    why="The text cannot be rendered, so every call that uses it ends in a TemplateError.",
    instead=(
        "Close every brace, and end every `if` and `for`. Put braces that are text between `{% raw "
        "%}` and `{% endraw %}`, or use `content`, which leaves them unchanged."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      {% if input.order %}
      Order {{ input.order.id }  {# <- BC401 #}
      {% endif %}
      Question: {{ input.question }}
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: |-
      {% if input.order %}
      Order {{ input.order.id }}
      {% endif %}
      Question: {{ input.question }}
""",
    check=_check,
    depends_on=frozenset(),
)
