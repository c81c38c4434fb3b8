"""BC404: a field of an input that has no fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import contracts, input_uses
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.texts import DirectiveText, FieldText, violation_in
from biblicus_context.spec.context import InputSpec
from biblicus_context.text.templates.values import NoSuchPartError, part_of

_SAMPLES: Final = {"string": "", "integer": 0, "number": 0.5, "boolean": False, "array": []}
_ENDLESS: Final = frozenset({"integer", "number", "boolean"})


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    uses = input_uses(plan, declared)
    known = list(contracts(plan, declared)) if uses else []
    for written, use in uses:
        _, name, part, *_ = [*use.path.split("."), "", ""]
        for _, inputs in known:
            spec = inputs.get(name)
            problem = spec and not use.has_default and _problem(spec, name, part, use, written)
            if spec and problem:
                yield violation_in(
                    plan,
                    written,
                    use.offset,
                    problem,
                    found=use.path,
                    advice=f"Use input.{name} itself, or declare it as type: object.",
                )
                break


def _problem(
    spec: InputSpec, name: str, part: str, use: TemplateName, written: DirectiveText | FieldText
) -> str | None:
    if part and not _has_part(spec.type, part, in_jinja=written.parsed.has_jinja):
        return f"input '{name}' is of type {spec.type}, which has no field '{part}'"
    if not part and spec.type in _ENDLESS and use.path in written.parsed.looped:
        return f"input '{name}' is of type {spec.type}, which has no items to loop over"
    return None


def _has_part(kind: str, part: str, *, in_jinja: bool) -> bool:
    """Lets the engine decide; lists have indexes, and texts have them in Jinja2."""
    if kind not in _SAMPLES or (part.isdecimal() and (kind == "array" or in_jinja)):
        return True
    try:
        part_of(_SAMPLES[kind], part)
    except NoSuchPartError:
        return False
    return True


RULE = Rule(
    code="BC404",
    name="invalid-field-access",
    severity=Severity.ERROR,
    finds=(
        "A text uses a field of an input that is not an object, or loops over a number or a "
        "boolean."
    ),
    why=(
        "Only objects have named fields. The type of the input is checked before the text is "
        "rendered, so every call fails."
    ),
    instead=(
        "Use the input itself, declare it as `type: object`, or use an index such as "
        "`{input.items.0}` for an array."
    ),
    bad="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    content: "{input.question.text}"  # <- BC404
""",
    good="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    content: "{input.question}"
""",
    check=_check,
    depends_on=frozenset(),
)
