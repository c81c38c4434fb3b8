"""Templates: placeholders, Jinja2 and inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import Final

from biblicus_context.errors import TemplateError
from biblicus_context.lint.engine.finding import Edit, Severity, Violations
from biblicus_context.lint.engine.rule import Rule, rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import has_anchors, removal
from biblicus_context.lint.facts.templates.format_texts import format_texts, is_around_items
from biblicus_context.lint.facts.templates.inputs import (
    contracts,
    declared_inputs,
    input_names,
    input_uses,
    inputs_of,
    is_accepted_anyway,
    is_guarded,
    may_be_null,
    names_used,
)
from biblicus_context.lint.facts.templates.likely_placeholders import (
    KnownNames,
    declared_as,
    is_unknown,
    likely_placeholders,
)
from biblicus_context.lint.facts.templates.markup import Markup, has_marks
from biblicus_context.lint.facts.templates.parsed_template import (
    TemplateMistake,
    TemplateName,
    TemplatePiece,
)
from biblicus_context.lint.facts.templates.quoted_packs import (
    PackQuote,
    inserted_packs,
    outer_packs,
    own_quotes,
    packs_before,
    placed_by_quotes,
    quoted_packs,
)
from biblicus_context.lint.facts.templates.texts import (
    PROVIDED,
    PROVIDED_TO_QUERIES,
    DirectiveText,
    FieldText,
    PlanText,
    Steps,
    conditions,
    directives_of,
    queries,
    texts,
    violation_in,
)
from biblicus_context.reading.listed_names import listed, sorted_names
from biblicus_context.reading.yaml.tree import Place
from biblicus_context.retrieval.packs.writing.surrounding_text import SURROUNDING_NAMES
from biblicus_context.retrieval.packs.writing.values import ITEM_VALUES
from biblicus_context.spec.context import ContextDeclaration, InputSpec
from biblicus_context.spec.directive import SystemMessageSpec, TextDirective
from biblicus_context.text.templates.placeholders import quote_of
from biblicus_context.text.templates.template import compile_condition
from biblicus_context.text.templates.values import NoSuchPartError, part_of

# Templates that cannot be rendered, and names that nobody passes.


@rule("BC401", "template-syntax-error", Severity.ERROR, depends_on=())
def template_syntax_error(plan: Plan, _: Declarations) -> Violations:
    for written, mistake in _mistakes_of(plan, "syntax"):
        advice = mistake.fix or _how_to_write(written)
        yield violation_in(plan, written, mistake.offset, mistake.problem, advice=advice)


def _how_to_write(written: PlanText) -> str:
    if isinstance(written, DirectiveText) or written.path[-1] != "when":
        return "Put braces that are text between {% raw %} and {% endraw %}, or use content."
    if written.source.lstrip().startswith("{"):
        return f"Write the expression without braces: {written.source.strip('{} ')}"
    return "Write one expression, such as: input.language == 'de'"


def _mistakes_of(plan: Plan, kind: str) -> Iterator[tuple[PlanText, TemplateMistake]]:
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


def _rule_about(kind: str, code: str, name: str) -> Rule:
    """The rule that reports one kind of mistake as the parser of templates describes it."""

    @rule(code, name, Severity.ERROR, depends_on=())
    def mistakes(plan: Plan, _: Declarations) -> Violations:
        for written, mistake in _mistakes_of(plan, kind):
            at, problem, found = mistake.offset, mistake.problem, mistake.found
            yield violation_in(plan, written, at, problem, found=found, advice=mistake.fix)

    return mistakes


MISTAKES: Final = (
    _rule_about("hidden", "BC410", "private-attribute"),
    _rule_about("filter", "BC411", "unknown-filter"),
    _rule_about("call", "BC412", "call-in-template"),
)


_OF_HISTORY: Final = ("history.last_user", "history.users")


@rule("BC402", "unknown-template-name", Severity.WARNING, depends_on={"inputs", "messages"})
def unknown_template_name(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if text.is_template:
            yield from _unknown_names(plan, text, PROVIDED | text.spec.vars.keys())
    for condition in conditions(plan.declaration):
        yield from _unknown_names(plan, condition, PROVIDED)
    for query in queries(plan.declaration):
        if query.parsed.has_jinja:
            yield from _unknown_names(plan, query, PROVIDED_TO_QUERIES)
        yield from _unknown_in_history(plan, query)


def _unknown_names(plan: Plan, written: PlanText, known: frozenset[str]) -> Violations:
    seen = {*known}
    for use in written.parsed.uses:
        if use.first in seen or use.has_default or use.first.startswith("_"):
            continue
        seen.add(use.first)
        yield violation_in(
            plan,
            written,
            use.offset,
            "unknown name",
            found=use.first,
            valid=tuple(sorted(known)),
            advice=_where_it_may_be(plan, use),
        )


def _unknown_in_history(plan: Plan, query: FieldText) -> Violations:
    """The parts of the conversation that do not exist."""
    for use in query.parsed.uses:
        first, name, *_ = [*use.path.split("."), ""]
        path = f"{first}.{name}"
        if first == "history" and name and not name.isdecimal() and path not in _OF_HISTORY:
            yield violation_in(
                plan,
                query,
                use.offset,
                "unknown part of the conversation",
                found=path,
                valid=_OF_HISTORY,
                advice="A loop over history has the newest messages, each with role and content.",
            )


def _where_it_may_be(plan: Plan, use: TemplateName) -> str:
    context = plan.context
    if context is None:
        return "Write 'input.' before the name of an input."
    if use.first in (context.inputs or ()):
        return f"Write 'input.{use.path}'."
    if use.first in inserted_packs(context):
        return f"Write 'context.{use.path}'."
    return "Declare it under vars, or declare it as an input and write 'input.' before it."


# Inputs.


@rule("BC403", "unknown-input", Severity.ERROR, depends_on={"inputs", "messages"})
def unknown_input(plan: Plan, declared: Declarations) -> Violations:
    uses, known = _uses_and_contracts(plan, declared)
    names = cache(lambda context: sorted(known[context]))
    seen: set[tuple[Steps, str]] = set()
    for written, use in uses:
        name = _input_name(use)
        if not name or use.has_default or is_accepted_anyway(name) or (written.path, name) in seen:
            continue
        lacking = next((context for context, inputs in known.items() if name not in inputs), None)
        if lacking is not None:
            seen.add((written.path, name))
            yield violation_in(
                plan,
                written,
                use.offset,
                f"context '{lacking}' does not declare this input",
                found=name,
                valid=listed(name, names(lacking)),
                advice="Declare it under inputs, or use one of the declared inputs.",
            )


def _uses_and_contracts(
    plan: Plan, declared: Declarations
) -> tuple[Sequence[tuple[PlanText, TemplateName]], Mapping[str, Mapping[str, InputSpec]]]:
    """Every use of an input, and the inputs that each context declares for these texts."""
    uses = input_uses(plan, declared)
    return uses, dict(contracts(plan, declared)) if uses else {}


def _input_name(use: TemplateName) -> str:
    """The input that a path begins with; empty for all inputs together."""
    _, name, *_ = [*use.path.split("."), ""]
    return name


_SAMPLES: Final = {"string": "", "integer": 0, "number": 0.5, "boolean": False, "array": []}
_ENDLESS: Final = frozenset({"integer", "number", "boolean"})


@rule("BC404", "invalid-field-access", Severity.ERROR, depends_on=())
def invalid_field_access(plan: Plan, declared: Declarations) -> Violations:
    uses, known = _uses_and_contracts(plan, declared)
    for written, use in uses:
        name = _input_name(use)
        specs = [inputs[name] for inputs in known.values() if name in inputs]
        problems = (_wrong_access(spec, name, use, written) for spec in specs)
        problem = None if use.has_default else next(filter(None, problems), None)
        if problem is not None:
            advice = f"Use input.{name} itself, or declare it as type: object."
            yield violation_in(plan, written, use.offset, problem, found=use.path, advice=advice)


def _wrong_access(spec: InputSpec, name: str, use: TemplateName, written: PlanText) -> str | None:
    _, _, part, *_ = [*use.path.split("."), ""]
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


@rule("BC405", "unguarded-optional-input", Severity.WARNING)
def unguarded_optional_input(plan: Plan, declared: Declarations) -> Violations:
    uses, known = _uses_and_contracts(plan, declared)
    seen: set[tuple[Steps, str]] = set()
    for written, use in uses:
        name = _input_name(use)
        root = f"input.{name}"
        if (written.path, root) in seen or not _needs_a_value(use, root, written):
            continue
        if not _is_optional(name, known) or use.has_default:
            continue
        if is_guarded(plan, declared, written, root):
            continue
        seen.add((written.path, root))
        yield violation_in(
            plan,
            written,
            use.offset,
            f"input '{name}' is optional, but this text requires it",
            found=use.path,
            advice=f"Use a template with {{% if {root} %}}, give the directive when: {root}, "
            "or give the input a default.",
        )


def _is_optional(name: str, known: Mapping[str, Mapping[str, InputSpec]]) -> bool:
    """Whether a call of one of the contexts may leave the input out."""
    return any(name in inputs and may_be_null(inputs[name]) for inputs in known.values())


def _needs_a_value(use: TemplateName, root: str, written: PlanText) -> bool:
    """Null is rendered as an empty text, but has no fields and no items."""
    return use.path != root or root in written.parsed.looped


@rule("BC406", "unused-input", Severity.WARNING)
def unused_input(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    if context is None or not context.inputs or not declared.is_whole:
        return
    used = names_used(context, declared)
    if used is None:
        return
    for given in declared_inputs(plan):
        if given.name not in used and not is_accepted_anyway(given.name):
            yield plan.violation(
                given.path,
                "the input is not used by any text, condition or query",
                found=given.name,
                advice=f"Use it as {{input.{given.name}}}, or remove it.",
            )


# Quotes of packs.


@rule("BC407", "quote-of-unknown-pack", Severity.ERROR)
def quote_of_unknown_pack(plan: Plan, declared: Declarations) -> Violations:
    for query in filter(_quotes, queries(plan.declaration)):
        for outer, packs in packs_before(plan.declaration.name, declared):
            yield from _missing(plan, query, packs, f" before this retriever in context '{outer}'")
    context = plan.context
    if context is None:
        return
    quoting = [text for text in filter(_quotes, texts(context)) if "context" not in text.spec.vars]
    known = outer_packs(context, declared) | inserted_packs(context) if quoting else frozenset()
    for text in quoting:
        yield from _missing(plan, text, known)
    for condition in filter(_quotes, conditions(context)):
        why = ": conditions are evaluated before packs are fetched"
        yield from _missing(plan, condition, outer_packs(context, declared), why)


def _quotes(written: PlanText) -> bool:
    return any(use.first == "context" for use in written.parsed.uses)


def _missing(plan: Plan, written: PlanText, packs: frozenset[str], reason: str = "") -> Violations:
    for name, use in quoted_packs(written):
        if name not in packs:
            yield violation_in(
                plan,
                written,
                use.offset,
                f"no pack of this name is inserted{reason}",
                found=name,
                valid=listed(name, sorted_names(packs)),
                advice=f"Insert it before this text: {{type: context, name: {name}}}.",
            )


@rule("BC408", "quote-before-pack", Severity.WARNING)
def quote_before_pack(plan: Plan, declared: Declarations) -> Violations:
    for text, name, use, own in own_quotes(plan, declared):
        if _is_after(own[0].path, text.directive):  # the first of them, so all are
            yield violation_in(
                plan,
                text,
                use.offset,
                f"pack '{name}' is placed after this text",
                found=f"context.{name}",
                advice="Move the pack before the text that quotes it.",
            )


def _is_after(path: Steps, other: Steps) -> bool:
    """Whether a directive comes later in `messages`."""
    return path[:1] == other[:1] and int(path[1]) > int(other[1])


@rule("BC409", "quote-of-conditional-pack", Severity.WARNING)
def quote_of_conditional_pack(plan: Plan, declared: Declarations) -> Violations:
    always = {insert.name for insert in inserts(plan, declared) if insert.always}
    for text, name, use, _ in own_quotes(plan, declared):
        if text.spec.when is None and name not in always:
            yield violation_in(
                plan,
                text,
                use.offset,
                f"pack '{name}' is not placed in every call, but this text always quotes it",
                found=f"context.{name}",
                advice="Give this text the same when, or test the pack in a template: "
                f"{{% if context.{name} is defined %}}",
            )


# Texts that look like templates, and templates that look like texts.

_SIGN: Final = re.compile(
    r"\{\{[-+]?\s*(?P<name>[^\W\d]\w*)|\{%[-+]?\s*(?:if|elif|else|endif|for|endfor|set)\b"
)


@rule("BC413", "jinja-in-content", Severity.WARNING, depends_on=())
def jinja_in_content(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if not text.is_template:
            known = PROVIDED | text.spec.vars.keys()
            yield from _jinja_sign(plan, text, known, "Use template: instead of content:.")
    for query in queries(plan.declaration):
        if not query.parsed.has_jinja:  # Jinja2 works in a query, and in no other setting
            advice = "Use a placeholder such as {input.question}."
            yield from _jinja_sign(plan, query, PROVIDED, advice)


def _jinja_sign(plan: Plan, written: PlanText, known: frozenset[str], advice: str) -> Violations:
    """The first sign of Jinja2 in a text, if it has any."""
    for match in _SIGN.finditer(written.source) if "{" in written.source else ():
        if match["name"] is None or match["name"] in known:
            problem = "Jinja2 is not supported here, so it stays in the text"
            at, found = match.start(), match[0]
            yield violation_in(plan, written, at, problem, found=found, advice=advice)
            return


@rule("BC414", "malformed-placeholder", Severity.WARNING, depends_on=())
def malformed_placeholder(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if "{" in text.source:
            known = _known_names(plan, text)
            yield from _lookalikes(plan, text, known, is_strict=text.is_template)
    for query in queries(plan.declaration):
        known = KnownNames(PROVIDED_TO_QUERIES)
        yield from _lookalikes(plan, query, known, is_strict=False)


def _lookalikes(plan: Plan, written: PlanText, known: KnownNames, *, is_strict: bool) -> Violations:
    for each in likely_placeholders(written.parsed, known, is_strict=is_strict):
        at, problem, found = each.offset, each.problem, each.text
        yield violation_in(plan, written, at, problem, found=found, advice=each.advice)


def _known_names(plan: Plan, text: DirectiveText) -> KnownNames:
    """The names that a placeholder in the text of a context can begin with."""
    names = PROVIDED | text.spec.vars.keys()
    if plan.context is None:
        return KnownNames(names)
    return KnownNames(names, input_names(plan.context), inserted_packs(plan.context))


@rule("BC415", "unknown-placeholder", Severity.NOTE, depends_on={"inputs", "messages"})
def unknown_placeholder(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if text.is_template or not text.parsed.uses:
            continue
        known = _known_names(plan, text)
        unknown = {
            use.path: use
            for use in reversed(text.parsed.uses)
            if is_unknown(use, known) and not _is_code(text.source, use.offset)
        }
        for use in unknown.values():
            declared = declared_as(use, known)
            advice = f"{{{declared or 'input'}.{use.path}}}"
            found = violation_in(
                plan,
                text,
                use.offset,
                "the unknown placeholder stays in the text, unless the caller passes the name",
                found=f"{{{use.path}}}",
                valid=() if declared else tuple(sorted(known.names)),
                advice=f"Write {advice}." if declared else f"Write {advice} for an input.",
            )
            yield replace(found, severity=Severity.WARNING) if declared else found


def _is_code(text: str, offset: int) -> bool:
    """Whether the braces directly follow a dollar sign, a letter or a brace: `${HOME}`, `frac{a}`."""
    before = text[offset - 1 : offset]
    return before.isalnum() or before in ("$", "}")


@rule("BC416", "template-without-placeholders", Severity.NOTE)
def template_without_placeholders(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if text.is_template and "{" not in text.source:
            yield plan.violation(
                text.path,
                "the template has no placeholders",
                advice="Use content: instead of template:.",
                edits=_as_content(plan, text.path),
            )


def _as_content(plan: Plan, path: Steps) -> tuple[Edit, ...]:
    line, column = plan.key(path)
    end = column + len("template")
    if has_anchors(plan) or plan.lines[line - 1][column - 1 : end - 1] != "template":
        return ()
    return (Edit(Place(line, column), Place(line, end), "content"),)


@rule("BC417", "unused-var", Severity.WARNING)
def unused_var(plan: Plan, _: Declarations) -> Violations:
    readings = {text.directive: text.parsed for text in texts(plan.declaration)}
    for path, directive in directives_of(plan.declaration, TextDirective):
        reading = readings.get(path)
        if reading and reading.mistakes:
            continue
        used = {use.first for use in reading.uses} if reading else set()
        unused = [name for name in directive.vars if name not in used]
        all_of_them = len(unused) == len(directive.vars)
        for name in unused:
            key = (*path, "vars", name)
            yield plan.violation(
                key,
                "the variable is not used in the text",
                found=name,
                advice=f"Use it as {{{name}}}, or remove it.",
                edits=removal(plan, (*path, "vars") if all_of_them else key),
            )


@rule("BC418", "reserved-var-name", Severity.WARNING)
def reserved_var_name(plan: Plan, _: Declarations) -> Violations:
    for path, directive in directives_of(plan.declaration, TextDirective):
        for name in sorted(PROVIDED & directive.vars.keys()):
            what = "inputs" if name == "input" else "packs"
            yield plan.violation(
                (*path, "vars", name),
                f"the variable hides the {what} of the call",
                found=name,
                advice="Rename it.",
            )


@rule("BC419", "constant-condition", Severity.WARNING)
def constant_condition(plan: Plan, _: Declarations) -> Violations:
    for condition in conditions(plan.declaration):
        if condition.parsed.uses or condition.parsed.mistakes:
            continue
        yield violation_in(
            plan,
            condition,
            0,
            f"the condition uses no name, so it {_outcome(condition)}",
            found=condition.source,
            advice="Use a name, as in input.language == 'de', or remove the condition.",
        )


def _outcome(condition: FieldText) -> str:
    try:
        return f"is always {str(compile_condition(condition.source).holds({})).lower()}"
    except TemplateError:
        return "always fails"


_ESCAPING: Final = frozenset({"e", "escape", "forceescape", "tojson", "urlencode", "int", "float"})
_PLAIN: Final = frozenset({"integer", "number", "boolean"})


@rule("BC420", "unescaped-input", Severity.WARNING)
def unescaped_input(plan: Plan, declared: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if text.role == "system" and has_marks(text.source) and "input" not in text.spec.vars:
            known = inputs_of(plan.context, declared) if plan.context else None
            yield from _unescaped(plan, text, known or {})


def _unescaped(plan: Plan, text: DirectiveText, known: Mapping[str, InputSpec]) -> Violations:
    pieces = list(text.pieces)
    markup = Markup("".join(piece.text for piece in pieces))
    for piece, offset in zip(pieces, accumulate(len(piece.text) for piece in pieces), strict=True):
        names = [use.path for use in piece.uses if use.first == "input"]
        if not names or piece.filters & _ESCAPING or _is_plain(names, known):
            continue
        around = markup.around(offset)
        if around:
            yield violation_in(
                plan,
                text,
                piece.uses[0].offset,
                f"unescaped input inside {around}, which it can close",
                found=names[0],
                advice=f"Escape it in a template, {{{{ {names[0]} | e }}}}, "
                "or place it in the user message.",
            )


def _is_plain(names: list[str], known: Mapping[str, InputSpec]) -> bool:
    """Whether the values are numbers or booleans, which cannot contain markup."""
    specs = [known.get(name.split(".")[1]) if "." in name else None for name in names]
    return all(spec is not None and spec.type in _PLAIN for spec in specs)


@rule("BC421", "missing-nested-input", Severity.ERROR)
def missing_nested_input(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    known = inputs_of(context, declared) if context else None
    if context is None or known is None:
        return
    names = sorted(known)
    for insert in inserts(plan, declared):
        for name in _required_inputs(insert.nested):
            if name not in known and not is_accepted_anyway(name):
                yield plan.violation(
                    (*insert.path, "name"),
                    f"context '{insert.name}' requires an input that '{context.name}' does not declare",
                    found=name,
                    valid=listed(name, names),
                    advice=f"Declare it in '{context.name}', or give it a default in '{insert.name}'.",
                )


def _required_inputs(context: ContextDeclaration | None) -> list[str]:
    inputs = context.inputs if context else None
    return [name for name, spec in (inputs or {}).items() if spec.required and not spec.has_default]


_FILLED_IN: Final = re.compile(r"\{\{?\s*(?:input|context)\b[^{}\n]*\}")


@rule("BC422", "placeholder-in-vars", Severity.WARNING)
def placeholder_in_vars(plan: Plan, _: Declarations) -> Violations:
    for path, directive in directives_of(plan.declaration, TextDirective):
        for name, value in directive.vars.items():
            match = _FILLED_IN.search(value) if isinstance(value, str) else None
            if match:
                yield plan.violation(
                    (*path, "vars", name),
                    "placeholders in the value of a variable are not replaced",
                    found=match[0],
                    advice="Write the placeholder in the text itself.",
                )


@rule("BC423", "unquoted-pack", Severity.ERROR)
def unquoted_pack(plan: Plan, _: Declarations) -> Violations:
    for placed in placed_by_quotes(plan.declaration):
        if not placed.quotes:
            yield plan.violation(
                (*placed.path, "place"),
                f"no later text quotes pack '{placed.name}', so it is never placed",
                advice=f"Write {quote_of(placed.name)} into a text after it, "
                "or remove place: quoted.",
            )


@rule("BC424", "altered-quote", Severity.ERROR)
def altered_quote(plan: Plan, declared: Declarations) -> Violations:
    is_nested = plan.context is not None and is_inserted(plan.context, declared)
    for placed in placed_by_quotes(plan.declaration):
        for quote in placed.quotes:
            yield from _altered(plan, quote, placed.name)
        if len(placed.quotes) > 1 and is_nested:
            second = placed.quotes[1]
            yield violation_in(
                plan,
                second.text,
                second.use.offset,
                f"pack '{placed.name}' is quoted a second time, in a context that others insert",
                advice="In a nested context a pack with place: quoted can be quoted once.",
            )


def _altered(plan: Plan, quote: PackQuote, name: str) -> Violations:
    spec = quote.text.spec
    if isinstance(spec, SystemMessageSpec) and spec.shrink:
        yield violation_in(
            plan,
            quote.text,
            quote.use.offset,
            f"this text has shrink: true, but it places pack '{name}', which shrinks instead",
            advice="Remove shrink: true.",
        )
    if quote.filters:
        applied = ", ".join(sorted(quote.filters))
        yield violation_in(
            plan,
            quote.text,
            quote.use.offset,
            f"pack '{name}' is written through a filter ({applied}), but must be written as it is",
            advice=f"Write {quote_of(name)}.",
        )


@rule("BC425", "empty-optional-input", Severity.WARNING)
def empty_optional_input(plan: Plan, declared: Declarations) -> Violations:
    uses, known = _uses_and_contracts(plan, declared)
    for written, use in uses:
        if not isinstance(written, DirectiveText) or use.path.count(".") != 1 or use.has_default:
            continue
        name = _input_name(use)
        if not _is_optional(name, known):
            continue
        sentence = _line_without(written.parsed.pieces, use.path, use.offset)
        if sentence is None or is_guarded(plan, declared, written, use.path):
            continue
        yield violation_in(
            plan,
            written,
            use.offset,
            f"input '{name}' is optional: without it the text says {sentence!r}",
            found=use.path,
            advice=f"Give the input a default, give the directive when: {use.path}, or write "
            f"{{{{ {use.path} | default('...') }}}} in a template.",
        )


def _line_without(pieces: Sequence[TemplatePiece], path: str, offset: int) -> str | None:
    """The line without the input; None where nothing else is in it."""
    for at, piece in enumerate(pieces):
        if len(piece.uses) == 1 and piece.uses[0].path == path and piece.uses[0].offset == offset:
            before = pieces[at - 1].text.rpartition("\n")[2] if at else ""
            after = pieces[at + 1].text.partition("\n")[0] if at + 1 < len(pieces) else ""
            line = f"{before[-30:]}{after[:30]}".strip()
            return line if re.search(r"\w", line) else None
    return None


@rule("BC426", "unknown-name-in-format", Severity.ERROR)
def unknown_name_in_format(plan: Plan, _: Declarations) -> Violations:
    for text in format_texts(plan.declaration):
        around = is_around_items(text)
        known = tuple(SURROUNDING_NAMES if around else ITEM_VALUES)
        for use in text.parsed.uses:
            if use.first not in known and not use.first.startswith("_"):
                yield violation_in(
                    plan,
                    text,
                    use.offset,
                    "unknown name",
                    found=use.first,
                    valid=known,
                    advice=_where_it_is_known(use.first, around=around),
                )


def _where_it_is_known(name: str, *, around: bool) -> str:
    if not around:
        return f"Write 'metadata.{name}' for a field of the metadata."
    if name in ITEM_VALUES:
        return "Values of a block are known in item, items and cut_note."
    return f"Write 'vars.{name}' for a name of the call."
