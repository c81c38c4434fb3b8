"""What is wrong with the templates of a document, whatever they are for."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Violation
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.format_texts import format_texts
from biblicus_context.lint.facts.templates.parsed_template import TemplateMistake
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    FieldText,
    conditions,
    queries,
    texts,
    violation_in,
)


def template_mistakes(
    plan: Plan, kind: str
) -> Iterator[tuple[DirectiveText | FieldText, TemplateMistake]]:
    """The mistakes of one kind in the templates, conditions, queries and formats of a document."""
    declaration = plan.declaration
    for written in (
        texts(declaration),
        conditions(declaration),
        queries(declaration),
        format_texts(declaration),
    ):
        for each in written:
            for mistake in each.parsed.mistakes:
                if mistake.kind == kind:
                    yield each, mistake


def template_violations(plan: Plan, kind: str) -> Iterator[Violation]:
    """A violation for each mistake of one kind in the templates of a document."""
    for written, mistake in template_mistakes(plan, kind):
        yield violation_in(
            plan,
            written,
            mistake.offset,
            mistake.problem,
            found=mistake.found,
            advice=mistake.fix,
        )
