"""What the texts of a nested context need: they are as pinned as those of the outer plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import nested_limits
from biblicus_context.assembly.packs.row import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.parts import FirstPart, Names, NestedSource, PackPart, TextPart
from biblicus_context.assembly.steps.resolve import resolve
from biblicus_context.errors import ContextError
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
    names = draft.names({at: gathered.fitted for at, gathered in draft.packs.items()})
    context, policy = source.context, registries.policy(source.context)
    return Draft(
        context=context,
        call=draft.call._replace(names=registries.inputs(context, names, nested=True)),
        limits=nested_limits(policy, draft.limits, share, registries.yardsticks),
        level=draft.level + 1,
    )


def texts_of(draft: Draft, registries: Registries, source: NestedSource) -> AuthoredTexts:
    """The texts of a nested context. A pack that is not there yet counts as empty."""
    draft = draft._replace(call=draft.call._replace(names=_with_empty_packs(draft)))
    return texts_in(resolve(inner_draft(draft, registries, source, None), registries), registries)


def texts_in(draft: Draft, registries: Registries) -> AuthoredTexts:
    """The texts of a draft whose parts are known."""
    pinned: list[str] = []
    is_all = True
    for part in draft.parts:
        match part:
            case PackPart(source=NestedSource() as source):
                inner = texts_of(draft, registries, source)
                pinned += inner.pinned
                is_all = is_all and inner.is_all
            case TextPart() if not part.shrink or draft.limits.overflow == "error":
                pinned += _own_words(draft, part)
                is_all = is_all and part.render is None
            case FirstPart():
                pinned += _smallest(draft, part)
                is_all = False
            case _:
                is_all = False
    return AuthoredTexts(tuple(pinned), is_all)


def _own_words(draft: Draft, part: TextPart) -> Iterator[str]:
    """The text; where it quotes packs, what is left of it without them."""
    text = part.text
    if part.render is not None:
        try:
            text = part.render(_with_empty_packs(draft))
        except ContextError:  # it cannot be written without the pack
            return
    if text:
        yield text


def _smallest(draft: Draft, group: FirstPart) -> Iterator[str]:
    """The least that a group of texts comes to; a pack among them may be empty."""
    texts = [part.text for part in group.alternatives if isinstance(part, TextPart)]
    if texts and len(texts) == len(group.alternatives):
        smallest = min(texts, key=draft.limits.counter.count)
        if smallest:
            yield smallest


def _with_empty_packs(draft: Draft) -> Names:
    known = draft.names({at: gathered.fitted for at, gathered in draft.packs.items()})
    packs = known["context"]
    assert isinstance(packs, Mapping)
    return {**known, "context": {**dict.fromkeys(_pack_names(draft), ""), **packs}}


def _pack_names(draft: Draft) -> Iterator[str]:
    for part in draft.parts:
        for each in part.alternatives if isinstance(part, FirstPart) else (part,):
            if isinstance(each, PackPart):
                yield each.name
