"""The size of the text that a plan places in every call, counted as the engine counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.base.deferred import Deferred
from biblicus_context.errors import ContextError
from biblicus_context.lint.facts.budgets.packs import (
    PackInsert,
    always_placed,
    asks_retrievers,
    inserts_of,
)
from biblicus_context.lint.facts.memoize import once_per_project
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import MOST_NESTED, nested_contexts
from biblicus_context.lint.facts.templates.parsing import parse_template
from biblicus_context.lint.facts.templates.texts import DirectiveText, Steps, texts
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents, SurroundingText
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import FirstSpec, SystemMessageSpec
from biblicus_context.spec.pack import PackOptions
from biblicus_context.text.counters.estimate import EstimatingCounter

_USUAL_COUNTER: Final = "o200k_base"
"""A nested context is counted as the one around it is; which text is the smallest hardly depends on it."""
MOST_PIECES = 1_000
"""Texts of nested contexts that are read."""
_laid_out: Final = Deferred("biblicus_context.assembly.steps.layout:fixed_tokens")
"""Loads the engine, which few plans need: an upper bound of nearly all texts fits."""


@dataclass(frozen=True, slots=True)
class PinnedText:
    """The text that is placed in every call and cannot shrink."""

    tokens: int
    largest: Steps
    """The path of the largest text."""
    largest_tokens: int


class ConstantText(NamedTuple):
    """A text that is the same in every call, and its path."""

    path: Steps
    role: Literal["system", "user", "assistant"]
    text: str


def pinned_text(
    context: ContextDeclaration, limits: Limits, declared: Declarations
) -> PinnedText | None:
    """The pinned text of a context and of those that it inserts; None where it fits.

    The result is a lower bound: placeholders are empty, conditions are not met, and of
    alternatives the smallest is placed.
    """
    budget = limits.budget
    fixed = list(_pinned_texts(context, limits, declared))
    if budget is None or not fixed or _at_most(fixed, limits) <= budget:
        return None
    tokens: int = _laid_out(context, limits, [(text.role, text.text) for text in fixed])
    sizes = limits.counter.count_many([text.text for text in fixed])
    largest = max(range(len(fixed)), key=sizes.__getitem__)
    return PinnedText(tokens, fixed[largest].path, sizes[largest])


@once_per_project
def authored_text(context: ContextDeclaration, declared: Declarations) -> str:
    """The text that a nested context places in every call and that cannot shrink."""
    return BETWEEN_PACKS.join(_authored(context, declared, {}, shrinks=True))


@once_per_project
def whole_text(context: ContextDeclaration, declared: Declarations) -> str:
    """The text that a nested context places in every call where nothing shrinks."""
    return BETWEEN_PACKS.join(_authored(context, declared, {}, shrinks=False))


@once_per_project
def holds_only_text(context: ContextDeclaration, declared: Declarations) -> bool:
    """Whether a nested context asks for no evidence and has no text that may give way."""
    return not asks_retrievers(context, declared) and all(
        text.always and not is_shrinkable(text)
        for each in (context, *nested_contexts(context, declared))
        for text in texts(each)
    )


def _authored(
    context: ContextDeclaration,
    declared: Declarations,
    known: dict[str, tuple[str, ...]],
    depth: int = 0,
    *,
    shrinks: bool,
) -> tuple[str, ...]:
    """Each context is read once; texts and depth are capped, since nesting multiplies them."""
    if context.name not in known and depth == MOST_NESTED:
        return ()
    if context.name not in known:
        known[context.name] = ()
        said: list[str] = []
        for each in always_placed(context, declared):
            if not isinstance(each, PackInsert):
                said += () if shrinks and is_shrinkable(each) else (each.fixed,)
            elif each.nested:
                inner = _authored(each.nested, declared, known, depth + 1, shrinks=shrinks)
                said += _with_format(each.options, inner, declared)
        said += _smallest_alternatives(context, declared)
        known[context.name] = tuple(filter(None, said[:MOST_PIECES]))
    return known[context.name]


def _smallest_alternatives(context: ContextDeclaration, declared: Declarations) -> Iterator[str]:
    """The least that each group of texts comes to: one of them is always placed."""
    by_path = {text.directive: text for text in texts(context)}
    count = declared.yardsticks.counters.get(_USUAL_COUNTER).count
    for index, directive in enumerate(context.messages or ()):
        if isinstance(directive, FirstSpec) and directive.when is None:
            text = _smallest(directive, index, by_path, count)
            if text is not None:
                yield text.fixed


def inserted_text(insert: PackInsert, limits: Limits, declared: Declarations) -> str:
    """The text that a nested context places in every call, with what its format writes around it."""
    if insert.nested is None:
        return ""
    placed = whole_text if limits.overflow == "error" else authored_text
    text = placed(insert.nested, declared)
    return BETWEEN_PACKS.join(_with_format(insert.options, (text,) if text else (), declared))


def _with_format(
    options: PackOptions, said: tuple[str, ...], declared: Declarations
) -> tuple[str, ...]:
    """The texts of a nested context between the title, header and footer of its pack."""
    try:
        form = PackFormat.of(declared.format(options), options.title, options.name)
    except ContextError:  # another rule reports it
        return said
    if form is None or not said:
        return said
    before, after = _around(form)
    first, *rest = said
    *others, last = (before + first, *rest)
    return (*others, last + after)


def _around(form: PackFormat) -> tuple[str, str]:
    """What is written before and after a pack without blocks; what only a call knows is empty."""
    try:
        return form.before(Contents(), {}), form.after(Contents(), {})
    except ContextError:
        title, header, footer = map(_fixed, (form.title, form.header, form.footer))
        return (f"{title}\n" if title else "") + header, footer


def _fixed(text: SurroundingText | None) -> str:
    return (
        "".join(each.text for each in parse_template(text.template.source).pieces) if text else ""
    )


def is_shrinkable(text: DirectiveText) -> bool:
    """Whether the compactor may shorten a text."""
    return isinstance(text.spec, SystemMessageSpec) and text.spec.shrink


def most_tokens(text: str, limits: Limits) -> int:
    """An upper bound without tokenising: every token has at least one byte."""
    counter = limits.counter
    margin = counter.margin if isinstance(counter, EstimatingCounter) else 1
    return int((len(text.encode(errors="replace")) + 1) * margin) + 1


def _at_most(fixed: list[ConstantText], limits: Limits) -> int:
    framing = limits.framing
    return framing.per_reply + sum(
        most_tokens(f"{text.text}\n\n", limits) + framing.per_message for text in fixed
    )


def _pinned_texts(
    context: ContextDeclaration, limits: Limits, declared: Declarations
) -> Iterator[ConstantText]:
    """In plan order; with `overflow: error` no text shrinks, and with `none` no text has to."""
    if limits.overflow == "none":
        return
    by_path = {text.directive: text for text in texts(context)}
    inserted = {insert.path: insert for insert in inserts_of(context, declared) if insert.always}
    for path, insert in inserted.items():
        if path[0] == "packs":
            yield from _inserted_text(insert, limits, declared)
    # Only what every call sends: a text with `when` may be left out, and of a group the least is sent.
    for index, directive in enumerate(context.messages or ()):
        if ("messages", index) in inserted:
            yield from _inserted_text(inserted["messages", index], limits, declared)
            continue
        text = by_path.get(("messages", index))
        if isinstance(directive, FirstSpec) and directive.when is None:
            text = _smallest(directive, index, by_path, limits.counter.count)
        elif text is not None and not text.always:
            continue
        if text and not (limits.overflow == "compact" and is_shrinkable(text)):
            yield ConstantText(text.path, text.spec.type, text.fixed)


def _inserted_text(
    insert: PackInsert, limits: Limits, declared: Declarations
) -> Iterator[ConstantText]:
    if insert.nested is not None:
        text = inserted_text(insert, limits, declared)
        yield ConstantText((*insert.path, "name"), "system", text)


def _smallest(
    group: FirstSpec,
    index: int,
    by_path: dict[Steps, DirectiveText],
    count: Callable[[str], int],
) -> DirectiveText | None:
    """The smallest alternative, where all are texts without a condition."""
    paths: list[Steps] = [("messages", index, "first", at) for at in range(len(group.first))]
    found = [by_path[path] for path in paths if path in by_path]
    if len(found) < len(paths) or any(alternative.when for alternative in group.first):
        return None
    return min(found, key=lambda text: count(text.fixed))
