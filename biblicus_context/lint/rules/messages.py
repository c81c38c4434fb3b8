"""Messages: the order of messages, and messages without effect."""

from __future__ import annotations

from collections import Counter as Tally, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from biblicus_context.assembly.limits import Limits
from biblicus_context.errors import TemplateError
from biblicus_context.lint.engine.finding import Severity, Violations
from biblicus_context.lint.engine.rule import rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.messages.placement import (
    CONVERSATION,
    last_index,
    placed_directives,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import without_effect
from biblicus_context.lint.facts.templates.format_texts import packs_with_paths
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    Steps,
    directives,
    directives_of,
    texts,
)
from biblicus_context.retrieval.packs.writing.item_template import item_template
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import (
    AssistantMessageSpec,
    FirstSpec,
    HistoryInsertSpec,
    SystemMessageSpec,
    UserMessageSpec,
)
from biblicus_context.spec.format import AROUND_ITEMS, FormatDeclaration, FormatSpec


@rule("BC501", "history-in-nested-context", Severity.ERROR)
def history_in_nested_context(plan: Plan, declared: Declarations) -> Violations:
    outer = next(declared.inserted_by(plan.declaration.name), None)
    if outer is not None:
        for path, _ in directives_of(plan.declaration, HistoryInsertSpec):
            yield plan.violation(
                path,
                f"a nested context cannot place the history; context '{outer.name}' inserts this one",
                advice=f"Place the history in context '{outer.name}'.",
            )


@rule("BC502", "system-after-conversation", Severity.WARNING)
def system_after_conversation(plan: Plan, declared: Declarations) -> Violations:
    before = None
    for spot in placed_directives(plan, declared):
        if spot.kind in CONVERSATION and spot.always:
            before = before or spot.kind
        elif spot.kind == "system" and before:
            noun = "the history" if before == "history" else f"{_a(before)} message"
            yield plan.violation(
                spot.path,
                f"the system text is not part of the system prompt, because it comes after {noun}",
                advice="Move it before the conversation.",
            )


def _a(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


@rule("BC503", "missing-user-message", Severity.WARNING)
def missing_user_message(plan: Plan, declared: Declarations) -> Violations:
    kinds = {spot.kind for spot in placed_directives(plan, declared)}
    has_inputs = plan.context is not None and plan.context.inputs
    if kinds and has_inputs and kinds.isdisjoint(("user", "history")):
        yield plan.violation(
            ("messages",),
            "the plan declares inputs, but places no user message",
            advice="Add {type: user, ...} at the end, unless every caller passes user_message.",
        )


@rule("BC504", "question-before-history", Severity.WARNING)
def question_before_history(plan: Plan, declared: Declarations) -> Violations:
    found = placed_directives(plan, declared)
    question = last_index(found, "user")
    if 0 <= question < last_index(found, "history"):
        yield plan.violation(
            found[question].path,
            "the question, which is the last user message, is placed before the history",
            advice="Move it after the history. If it is an example, add the question after the "
            "history, because the user message of the caller is not placed.",
        )


@rule("BC505", "assistant-message-last", Severity.WARNING)
def assistant_message_last(plan: Plan, declared: Declarations) -> Violations:
    found = placed_directives(plan, declared)
    end, question = last_index(found, "assistant"), last_index(found, "user")
    if 0 <= question <= last_index(found, "user", "history") < end and found[end].always:
        yield plan.violation(
            found[end].path,
            "the plan ends with an assistant message, and the user message of the caller is not "
            "placed",
            advice="Add the question after it: {type: user, ...}. If the model should continue "
            "this message, suppress this finding.",
        )


@rule("BC506", "empty-message", Severity.WARNING)
def empty_message(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        if text.source.strip() or _is_last_alternative(plan, text.directive):
            continue
        yield plan.violation(
            text.path,
            "the message is only white space, which providers reject"
            if text.source
            else "the message is empty, so it is not placed",
            advice="Write a text, or remove the directive.",
        )


def _is_last_alternative(plan: Plan, path: Steps) -> bool:
    """Whether the text ends a `first` group: empty, it means that nothing is placed if nothing fits."""
    if "first" not in path:
        return False
    *group, at = path
    return at == len(plan.document.tree.at(group).items) - 1


@rule("BC507", "pack-after-question", Severity.WARNING)
def pack_after_question(plan: Plan, declared: Declarations) -> Violations:
    found = placed_directives(plan, declared)
    question = last_index(found, "user")
    if question < 0 or question < last_index(found, "assistant", "history"):
        return
    for spot in found[question + 1 :]:
        if spot.kind == "context" and spot.path[:2] != found[question].path[:2]:
            yield plan.violation(
                spot.path,
                "the pack is placed after the question, as a separate system message",
                advice="Move it before the user message.",
            )


_NOTHING_YET: Final = "nothing yet"
_ANYBODY: Final = "anybody"


@rule("BC508", "non-alternating-roles", Severity.WARNING)
def non_alternating_roles(plan: Plan, declared: Declarations) -> Violations:
    before = _NOTHING_YET
    for spot in placed_directives(plan, declared):
        if spot.kind not in CONVERSATION:
            continue
        if spot.kind == before:
            problem = f"two {spot.kind} messages in a row"
            advice = "Join them, or alternate user and assistant."
            if spot.always:
                yield plan.violation(spot.path, problem, advice=advice)
        elif (spot.kind, before) == ("assistant", _NOTHING_YET) and spot.always:
            problem = "the conversation begins with an assistant message"
            yield plan.violation(spot.path, problem, advice="Begin with a user message.")
        before = _ANYBODY if spot.kind == "history" or not spot.always else spot.kind


_MOST_COMPARED: Final = 20


"""Alternatives before one that it is compared with."""


@rule("BC509", "unreachable-alternative", Severity.WARNING)
def unreachable_alternative(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    limits = declared.limits(context) if context else None
    if context is None or limits is None:
        return
    sure = _unconditional_texts(context)
    for index, group in enumerate(context.messages or ()):
        alternatives = sure.get(("messages", index, "first"))
        if isinstance(group, FirstSpec) and alternatives:
            if limits.budget is None or limits.overflow == "none":
                yield from _after_one_that_fits(plan, alternatives[0], len(group.first), limits)
            else:
                yield from _not_smaller(plan, alternatives, limits)


def _unconditional_texts(context: ContextDeclaration) -> Mapping[Steps, list[DirectiveText]]:
    """The alternatives of each group that are texts and have no condition."""
    found: dict[Steps, list[DirectiveText]] = defaultdict(list)
    for text in texts(context):
        if text.spec.when is None:
            found[text.directive[:3]].append(text)
    return found


def _after_one_that_fits(plan: Plan, text: DirectiveText, size: int, limits: Limits) -> Violations:
    after = int(text.directive[-1]) + 1
    if after < size:
        why = "no budget is set" if limits.budget is None else "overflow is none"
        yield plan.violation(
            (*text.directive[:-1], after),
            f"the alternative is never placed: {why}, so the one before it always fits",
            advice="Set an input budget and overflow: compact, or keep one alternative.",
        )


def _not_smaller(plan: Plan, sure: Sequence[DirectiveText], limits: Limits) -> Violations:
    for at, text in enumerate(sure):
        before = sure[max(0, at - _MOST_COMPARED) : at]
        if any(_is_never_smaller(text, earlier, limits) for earlier in before):
            yield plan.violation(
                text.directive,
                "the alternative is never placed: it is not smaller than an earlier one",
                advice="Order the alternatives from the longest to the shortest.",
            )


def _is_never_smaller(text: DirectiveText, earlier: DirectiveText, limits: Limits) -> bool:
    """Whether a text has all values of an earlier one, and at least as much text around them."""
    if text.parsed.has_jinja or earlier.parsed.has_jinja:
        return False
    mine, others = (Tally(use.path for use in each.parsed.uses) for each in (text, earlier))
    if not others <= mine:
        return False
    tokens, other_tokens = limits.counter.count_many([text.fixed, earlier.fixed])
    return tokens >= other_tokens


@rule("BC510", "duplicate-base-prompt", Severity.WARNING)
def duplicate_base_prompt(plan: Plan, _: Declarations) -> Violations:
    placed = [
        path
        for path, directive, always in directives(plan.declaration)
        if isinstance(directive, SystemMessageSpec) and directive.base and always
    ]
    for path in placed[1:]:
        yield plan.violation(
            (*path, "base"),
            "the base system prompt is placed a second time",
            advice="Place it once.",
        )


@rule("BC511", "empty-nested-context", Severity.WARNING)
def empty_nested_context(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    if context is None or context.messages or context.packs:
        return
    if is_inserted(context, declared):
        problem = "the nested context has neither messages nor packs"
        yield plan.violation(("name",), problem, advice="Add messages to it, or do not insert it.")


_OF_RETRIEVERS: Final = ("ordering", "on_error", "timeout_seconds", "dedupe")


@rule("BC512", "retriever-option-on-context", Severity.WARNING)
def retriever_option_on_context(plan: Plan, declared: Declarations) -> Violations:
    for insert in inserts(plan, declared):
        for key in _OF_RETRIEVERS if insert.nested else ():
            if key in insert.options.model_fields_set:
                because = f"'{insert.name}' is a context, not a retriever"
                advice = f"Set it on the packs that context '{insert.name}' inserts."
                yield without_effect(plan, (*insert.path, key), because, advice)


@rule("BC513", "duplicate-pack", Severity.WARNING)
def duplicate_pack(plan: Plan, declared: Declarations) -> Violations:
    seen: set[str] = set()
    for insert in inserts(plan, declared):
        if insert.always and insert.name in seen:
            yield plan.violation(
                (*insert.path, "name"),
                f"pack '{insert.name}' is inserted a second time, with its own share",
                advice=f"Insert it once, and quote its text elsewhere as {{context.{insert.name}}}.",
            )
        seen |= {insert.name} if insert.always else set()


@rule("BC514", "roles-in-nested-context", Severity.WARNING)
def roles_in_nested_context(plan: Plan, declared: Declarations) -> Violations:
    for insert in inserts(plan, declared):
        if insert.nested is None:
            continue
        roles = (
            directive.type
            for _, directive, _ in directives(insert.nested)
            if isinstance(directive, UserMessageSpec | AssistantMessageSpec)
        )
        role = next(roles, None)
        if role:
            yield plan.violation(
                (*insert.path, "name"),
                f"context '{insert.name}' has {role} messages, which become plain text here",
                advice="Place these messages in the outer context, or make them system texts.",
            )


@rule("BC515", "block-format-on-context", Severity.ERROR)
def block_format_on_context(plan: Plan, declared: Declarations) -> Violations:
    for insert in inserts(plan, declared):
        form = declared.format(insert.options) if insert.nested else None
        if form is None:
            continue
        path = (*insert.path, "format")
        is_named = isinstance(insert.options.format, str)
        for key in sorted(form.model_fields_set - {*AROUND_ITEMS}):
            yield plan.violation(
                path if is_named else (*path, key),
                f"'{key}' is for the blocks of a retriever, and '{insert.name}' is a context",
                advice=f"Set it in the formats of the packs that context '{insert.name}' inserts.",
            )


@rule("BC516", "ineffective-format-key", Severity.WARNING)
def ineffective_format_key(plan: Plan, _: Declarations) -> Violations:
    for path, options in packs_with_paths(plan.declaration):
        if not isinstance(options.format, FormatSpec):
            continue
        at = (*path, "format")
        if options.title is not None and options.format.title is not None:
            yield without_effect(plan, (*at, "title"), "the pack has a title of its own")
        yield from _unused_cut_note(plan, options.format, at)
    if isinstance(plan.declaration, FormatDeclaration):
        yield from _unused_cut_note(plan, plan.declaration.format, ())


def _unused_cut_note(plan: Plan, form: FormatSpec, path: Steps) -> Violations:
    if form.cut_note is not None and not _may_shorten(form):
        because = "a block that its item changes is never shortened"
        yield without_effect(plan, (*path, "cut_note"), because)


def _may_shorten(form: FormatSpec) -> bool:
    """Whether there is a block that is written with its own text once, as it is."""
    if form.item is None:
        return True
    try:
        return any(
            item_template(text, "item").is_content_once
            for text in (form.item, *form.items.values())
        )
    except TemplateError:  # reported by BC401 and BC426
        return True
