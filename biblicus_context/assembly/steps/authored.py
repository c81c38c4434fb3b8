"""What the texts of a nested context need: they are as pinned as those of the outer plan."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import nested_limits
from biblicus_context.assembly.packs.formatted import TextsAround
from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.parts import FirstPart, NestedSource, PackPart, TextPart
from biblicus_context.assembly.steps.resolve import resolve
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import FirstSpec
from biblicus_context.text.counters import Counter, count_joined


class AuthoredTexts(NamedTuple):
    """The texts of a context that never shrink, nested ones included."""

    pinned: tuple[str, ...] = ()
    is_all: bool = True
    """Whether the context can hold nothing else."""

    def tokens(self, counter: Counter) -> int:
        """The tokens of the pinned texts, joined as they are placed."""
        parts = [part for text in self.pinned for part in (BETWEEN_PACKS, text)]
        (tokens,) = count_joined(counter, [parts[1:]])
        return tokens


def inner_draft(
    draft: Draft, registries: Registries, source: NestedSource, share: int | None
) -> Draft:
    """A nested context as a draft of its own, with the names that it sees now."""
    packs = {at: gathered.fitted for at, gathered in draft.packs.items()}
    names = draft.names(packs, quoted=False)
    context, policy = source.context, registries.policy(source.context)
    return Draft(
        context=context,
        call=draft.call._replace(names=registries.inputs(context, names, nested=True)),
        limits=nested_limits(policy, draft.limits, share, registries.yardsticks),
        level=draft.level + 1,
    )


def texts_of(
    draft: Draft, registries: Registries, part: PackPart, source: NestedSource
) -> AuthoredTexts:
    """The texts of a nested context, with what its format writes around them.

    A pack that is not there yet counts as empty.
    """
    texts = _own_texts(draft, registries, source)
    if part.form is None or not texts.pinned:
        return texts
    before, after = _around(draft, part, part.form)
    first, *rest = texts.pinned
    *others, last = (before + first, *rest)
    return texts._replace(pinned=(*others, last + after))


def tokens_around(
    draft: Draft, registries: Registries, part: PackPart, source: NestedSource
) -> int:
    """What a format writes around a nested context, which has that much less for what it holds."""
    if part.form is None or not part.form.surrounds:
        return 0
    counter = draft.limits.counter
    texts = _own_texts(draft, registries, source)
    if not texts.pinned:
        return sum(counter.count_many(_around(draft, part, part.form)))
    # As they are counted together with the texts: what is left must be enough for these.
    return max(0, texts_of(draft, registries, part, source).tokens(counter) - texts.tokens(counter))


def has_alternatives(registries: Registries, context: ContextDeclaration) -> bool:
    """Whether a context, or one in it, chooses among alternatives."""
    waiting, seen = [context], {context.name}
    while waiting:
        each = waiting.pop()
        if any(isinstance(directive, FirstSpec) for directive in each.messages or ()):
            return True
        names = {insert.name for insert in each.inserts} - seen
        seen |= names
        waiting += (registries.contexts[name] for name in names if name in registries.contexts)
    return False


def _own_texts(draft: Draft, registries: Registries, source: NestedSource) -> AuthoredTexts:
    empty = {at: "" for at, each in enumerate(draft.parts) if isinstance(each, PackPart)}
    draft = draft._replace(call=draft.call._replace(names=draft.with_packs(empty)))
    return texts_in(resolve(inner_draft(draft, registries, source, None), registries), registries)


def _around(draft: Draft, part: PackPart, form: PackFormat) -> tuple[str, str]:
    return TextsAround(form, part.place, draft.call.names, draft.call.fenced).texts(Contents())


def texts_in(draft: Draft, registries: Registries) -> AuthoredTexts:
    """The texts of a draft whose parts are known."""
    pinned: list[str] = []
    is_all = True
    for index, part in enumerate(draft.parts):
        if isinstance(part, PackPart) and isinstance(part.source, NestedSource):
            inner = texts_of(draft, registries, part, part.source)
            pinned += inner.pinned * part.copies
            is_all = is_all and inner.is_all
        else:
            pinned.append(pinned_text(draft, index))
            is_all = is_all and isinstance(part, TextPart) and not _gives_way(draft, part)
    return AuthoredTexts(tuple(filter(None, pinned)), is_all)


def pinned_text(draft: Draft, index: int) -> str:
    """What never shrinks of a part that is not a pack; of alternatives the smallest."""
    match draft.parts[index]:
        case TextPart(shrink=True) if draft.limits.overflow != "error":
            return ""
        case TextPart():
            return draft.text_without_packs(index) or ""
        case FirstPart() as group:
            return _smallest(draft, group)
    return ""


def _gives_way(draft: Draft, part: TextPart) -> bool:
    shrinks = part.shrink and draft.limits.overflow != "error"
    return shrinks or part.render is not None


def _smallest(draft: Draft, group: FirstPart) -> str:
    """The least that a group of texts comes to; with packs, the text that is placed where none fits."""
    texts = [part.text for part in group.alternatives if isinstance(part, TextPart)]
    if len(texts) < len(group.alternatives):
        last = group.alternatives[-1]
        return last.text if isinstance(last, TextPart) else ""
    return min(texts, key=draft.limits.counter.count)
