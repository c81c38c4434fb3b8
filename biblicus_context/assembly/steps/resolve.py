"""Step 1: directives become parts; templates are rendered once, values never parsed again.

A text that quotes a pack (`{context.kb}`) is rendered when the pack is there; its template is
checked now all the same, so a mistake in it shows before anything is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from biblicus_context.assembly.call import RetrieverFunction
from biblicus_context.assembly.draft import Draft, Unplaced
from biblicus_context.assembly.reasons import PartKind, Reason
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.parts import (
    CombinedSources,
    FirstPart,
    HistoryPart,
    Names,
    NestedSource,
    PackPart,
    Part,
    RetrieverSource,
    TextPart,
)
from biblicus_context.assembly.steps.quotes import with_copies
from biblicus_context.base.deferred import Deferred
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.requests.abilities import FillsShare
from biblicus_context.spec.directive import (
    ContextInsertSpec,
    FirstSpec,
    HistoryInsertSpec,
    SystemMessageSpec,
    TextDirective,
)
from biblicus_context.spec.pack import PackOptions
from biblicus_context.text.templates.placeholders import fill, names_in, with_first_names
from biblicus_context.text.templates.template import compile_condition, compile_template

if TYPE_CHECKING:
    from biblicus_context.spec.combined import SourceSpec
else:  # few plans have one
    SourceSpec = Deferred("biblicus_context.spec.combined:SourceSpec")

Directive: TypeAlias = TextDirective | ContextInsertSpec | HistoryInsertSpec | FirstSpec


def resolve(draft: Draft, registries: Registries) -> Draft:
    """The draft with its parts."""
    resolver = _Resolver(draft, registries)
    parts = resolver.default_plan() if draft.context.messages is None else resolver.explicit_plan()
    return with_copies(draft._replace(parts=tuple(parts), unplaced=tuple(resolver.unplaced)))


@dataclass
class _Resolver:
    draft: Draft
    registries: Registries

    def __post_init__(self) -> None:
        self.context = self.draft.context
        self.call = self.draft.call
        self.names = self.draft.with_packs({})
        self.unplaced: list[Unplaced] = []

    def default_plan(self) -> list[Part]:
        packs = [
            self._pack(entry, f"packs[{i}]") for i, entry in enumerate(self.context.packs or ())
        ]
        if self.draft.level:
            return [*packs]
        base = TextPart("base_system_prompt", "system", self.call.base_system_prompt)
        history = HistoryPart("history", HistoryInsertSpec(type="history"))
        return [base, *packs, history, TextPart("user_message", "user", self.call.user_message)]

    def explicit_plan(self) -> list[Part]:
        parts: list[Part] = []
        for number, directive in enumerate(self.context.messages or ()):
            place = f"messages[{number}]"
            if directive.when is None or self._holds(directive, place):
                parts.append(self._part(directive, place))
        if self.draft.level:
            return parts
        asks = "user" in [part.role for part in parts if isinstance(part, TextPart)]
        self._note_unplaced_arguments(parts, asks=asks)
        if not asks:
            message = TextPart("user_message", "user", self.call.user_message, is_fallback=True)
            parts.append(message)
        return parts

    def _note_unplaced_arguments(self, parts: list[Part], *, asks: bool) -> None:
        """Arguments that no directive places; `asks`: the plan has a user message of its own."""
        call = self.call
        if call.history and HistoryPart not in map(type, parts):
            reason = Reason("plan", detail="the plan places no history")
            entry = Unplaced("history_messages", "history", reason, messages=len(call.history))
            self.unplaced.append(entry)
        if call.base_system_prompt and not self._asks_for_base():
            text = TextPart("base_system_prompt", "system", call.base_system_prompt)
            reason = Reason("plan", detail="the plan does not ask for it (base: true)")
            self.unplaced.append(Unplaced(text.place, "system", reason, text))
        if call.user_message and asks:
            self.unplaced.append(own_question(call.user_message))

    def _asks_for_base(self) -> bool:
        systems = (one for one in self.context.directives if isinstance(one, SystemMessageSpec))
        return any(one.base for one in systems)

    def _holds(self, directive: Directive, place: str) -> bool:
        if directive.when is None:
            return True
        condition = compile_condition(directive.when, place=self._at(f"{place}.when"))
        if condition.holds(self.names):
            return True
        reason = Reason("when", detail=directive.when)
        self.unplaced.append(Unplaced(place, _kind(directive), reason))
        return False

    def _part(self, directive: Directive, place: str) -> Part:
        match directive:
            case FirstSpec():
                return self._first(directive, place)
            case ContextInsertSpec():
                return self._pack(directive, place)
            case HistoryInsertSpec():
                return HistoryPart(place, directive)
            case _:
                return self._text(directive, place)

    def _text(self, directive: TextDirective, place: str) -> TextPart:
        shrink, priority = False, 0
        if isinstance(directive, SystemMessageSpec):
            shrink, priority = directive.shrink, directive.priority
            if directive.base:
                text = self.call.base_system_prompt
                return TextPart(place, "system", text, shrink=shrink, priority=priority)
        if directive.content is not None and "{" not in directive.content:
            return TextPart(place, directive.type, directive.content, None, shrink, priority)
        render, used = self._renderer(directive, place)
        if "context" in used:
            return TextPart(place, directive.type, "", render, shrink, priority)
        return TextPart(place, directive.type, render(self.names), None, shrink, priority)

    def _renderer(
        self, directive: TextDirective, place: str
    ) -> tuple[Callable[[Names], str], frozenset[str]]:
        """What writes a text, and the names that it uses."""
        own = dict(directive.vars)
        at = self._at(place)
        if directive.template is not None:
            template = compile_template(directive.template, place=at)
            return lambda names: template.render({**names, **own}), template.names
        content = directive.content or ""
        used = with_first_names(names_in(content))
        return lambda names: fill(content, {**names, **own}, place=at), used

    def _first(self, spec: FirstSpec, place: str) -> FirstPart:
        alternatives: list[TextPart | PackPart] = []
        for number, directive in enumerate(spec.first):
            at = f"{place}.first[{number}]"
            if self._holds(directive, at):
                part = self._part(directive, at)
                assert isinstance(part, TextPart | PackPart)
                alternatives.append(part)
        return FirstPart(place, tuple(alternatives))

    def _pack(self, options: PackOptions, place: str) -> PackPart:
        looks_back = self.registries.looks_back(options.name)
        quoted = isinstance(options, ContextInsertSpec) and options.place == "quoted"
        form = self._format(options, self._at(place))
        nested = self.registries.contexts.get(options.name)
        if nested is not None:
            if form is not None:
                form.refuse_items(self._at(place))
            return PackPart(place, options, NestedSource(nested), looks_back, quoted, form=form)
        return PackPart(place, options, self._source(options.name), looks_back, quoted, form=form)

    def _format(self, options: PackOptions, place: str) -> PackFormat | None:
        spec = self.registries.format(options, place)
        form = PackFormat.of(spec, options.title, place)
        if form is not None:
            form.check(self.names)
        return form

    def _source(self, name: str) -> RetrieverSource:
        registries = self.registries
        settings, parallel = registries.retriever_settings(name), registries.parallel
        combination = registries.combinations.get(name)
        if combination is None:
            return self._chosen(name, RetrieverSource(settings, self._function(name), parallel))
        keys = zip(combination.spec.of, registries.combinations.names_of(name), strict=True)
        sources = tuple((spec, self._source(key)) for spec, key in keys)
        return RetrieverSource(settings, None, parallel, CombinedSources(combination, sources))

    def _chosen(self, name: str, source: RetrieverSource) -> RetrieverSource:
        """The source; an override, in place of a corpus of ours, with what the plan chooses of its blocks.

        A callable under the name of a retriever replaces it as a whole: it may have chosen already.
        """
        settings, function = source.settings, source.function
        if self.call.retriever is None or not settings.over_corpus:
            return source
        if function is None or isinstance(function, FillsShare):
            return source
        combination = self.registries.combinations.of_one(name)
        if combination is None:
            return source
        spec = SourceSpec(name=name, limit=settings.limit)
        one = CombinedSources(combination, ((spec, source),))
        return source._replace(settings=settings._replace(limit=None), function=None, combined=one)

    def _function(self, name: str) -> RetrieverFunction | None:
        own = self.call.retriever or self.call.retrievers.get(name)
        return own or self.registries.retriever_function(name)

    def _at(self, place: str) -> str:
        return f"context '{self.context.name}' {place}"


def own_question(text: str) -> Unplaced:
    """The caller's message where the plan has a user message of its own."""
    part = TextPart("user_message", "user", text)
    reason = Reason("plan", detail="the plan has a user message of its own")
    return Unplaced(part.place, "user", reason, part)


def _kind(directive: Directive) -> PartKind:
    return "first" if isinstance(directive, FirstSpec) else directive.type
