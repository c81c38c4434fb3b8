"""The combined retrievers of an assembler, by name; each is built when it is first used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.cycles import find_cycles
from biblicus_context.base.deferred import Deferred
from biblicus_context.errors import ContextError, PlanError, UnknownNameError
from biblicus_context.spec.choosing import ChoosingSpec, RequestSpec
from biblicus_context.spec.retriever import COMBINED, RetrieverDeclaration
from biblicus_context.text.compaction import Compaction

if TYPE_CHECKING:
    from biblicus_context.retrieval.choosing.combination import (
        Combination,
        combined_spec,
        parsed_combination,
    )
    from biblicus_context.spec.combined import SourceSpec
else:  # what ranks and chooses is much of the import, and few plans combine retrievers
    _HERE = "biblicus_context.retrieval.choosing.combination"
    combined_spec = Deferred(f"{_HERE}:combined_spec")
    parsed_combination = Deferred(f"{_HERE}:parsed_combination")

_CHOOSING: Final = ChoosingSpec.model_fields.keys() - RequestSpec.model_fields.keys()


@dataclass(frozen=True, slots=True)
class Combinations:
    """Which retrievers are combined, and of what."""

    retrievers: Mapping[str, RetrieverDeclaration]
    functions: Collection[str] = ()
    """Names that a callable answers for, whatever is declared under them."""
    contexts: Collection[str] = ()
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parts that the caller adds, by family."""
    compaction: Compaction = field(default_factory=Compaction)
    """Builds the compactors that settings name."""
    _built: dict[str, Combination] = field(default_factory=dict)
    _of_one: dict[str, Combination | None] = field(default_factory=dict)

    def get(self, name: str) -> Combination | None:
        """The combination of this name; None if it is another retriever."""
        declared = self.retrievers.get(name)
        if declared is None or name in self.functions or not is_combined(declared):
            return None
        if name not in self._built:
            if declared.corpus is not None:
                raise PlanError(
                    "a combined retriever searches no corpus itself",
                    place=f"retriever '{name}' corpus",
                    found=declared.corpus,
                    fix="Remove it, and write the corpus next to the retriever_id of each source.",
                )
            self._built[name] = self._parsed(name, declared.config)
        return self._built[name]

    def of_one(self, name: str) -> Combination | None:
        """What a retriever over a corpus of ours chooses of the blocks of a program that answers for it.

        None if it declares nothing of the kind. Blocks keep the scores that they have.
        """
        if name not in self._of_one:
            declared = self.retrievers.get(name)
            own = declared.config if declared else {}
            chooses = not _CHOOSING.isdisjoint(own)
            self._of_one[name] = self._choosing(name, own) if chooses else None
        return self._of_one[name]

    def _choosing(self, name: str, own: Mapping[str, Any]) -> Combination:
        shared = {key: own[key] for key in ChoosingSpec.model_fields if key in own}
        shared.pop(
            "limit", None
        )  # it is that of the program's blocks, not of those that are chosen
        config = {**shared, "retriever_id": COMBINED, "of": [name], "fusion": "given_scores"}
        return self._parsed(name, config)

    def _parsed(self, name: str, config: Mapping[str, Any]) -> Combination:
        place = f"retriever '{name}' config"
        return parsed_combination(config, self.parts, self.compaction, place=place)

    def names_of(self, name: str) -> tuple[str, ...]:
        """The names of its sources in the registry; none if it is not combined."""
        combination = self.get(name)
        return tuple(key_of(name, source) for source in combination.spec.of) if combination else ()

    def leaves_of(self, name: str, timeout: float | None = None) -> dict[str, float | None]:
        """What is asked in place of it: itself, or the sources that are not combined, with time limits."""
        found: dict[str, float | None] = {}
        waiting, seen = [(name, timeout)], {name}
        for one, limit in waiting:
            combination = self.get(one)
            if combination is None:
                found[one] = limit
                continue
            for source in combination.spec.of:
                key = key_of(one, source)
                if key not in seen:
                    seen.add(key)
                    waiting.append((key, source.timeout_seconds or limit))
        return found

    def check(self, name: str) -> dict[str, tuple[str, ...]]:
        """The sources of a combined retriever, and of those among them; raise at a cycle or an unknown name."""
        if self.get(name) is None:
            return {}
        uses: dict[str, tuple[str, ...]] = {}
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in uses:
                uses[one] = self.names_of(one)
                self._refuse_unknown(one, uses[one])
                waiting += uses[one]
        for cycle in find_cycles(uses):
            around = " -> ".join([*cycle, cycle[0]])
            raise PlanError(
                f"combined retrievers are sources of each other: {around}",
                place=f"retriever '{name}' config",
                fix="Remove one of these sources.",
            )
        return {one: sources for one, sources in uses.items() if sources}

    def _refuse_unknown(self, name: str, sources: Collection[str]) -> None:
        place = f"retriever '{name}' config: of"
        for source in sources:
            if source in self.contexts and source not in self.retrievers:
                raise PlanError(
                    f"a source is a retriever, and '{source}' is a context",
                    place=place,
                    fix="Insert the context next to the combined retriever, as a pack of its own.",
                )
            if source not in self.retrievers:
                raise UnknownNameError("Retriever", source, self.retrievers, place=place)


def is_combined(declared: RetrieverDeclaration) -> bool:
    """Whether it is declared as a combined retriever."""
    return declared.config.get("retriever_id") == COMBINED and "of" in declared.config


def key_of(name: str, source: SourceSpec) -> str:
    """The name of a source in the registry: its own, or one below its combined retriever."""
    return source.name if source.retriever_id is None else f"{name}/{source.name}"


def with_inline_sources(
    retrievers: Mapping[str, RetrieverDeclaration],
) -> dict[str, RetrieverDeclaration]:
    """The retrievers, with those that combined ones declare in place.

    Invalid settings declare nothing here: they are an error when they are used.
    """
    found = dict(retrievers)
    waiting = [*retrievers.items()]
    for name, declared in waiting:
        inline = {key_of(name, each): each for each in _inline(name, declared)}
        for key, source in inline.items():
            found[key] = RetrieverDeclaration(name=key, config=source.config)
            waiting.append((key, found[key]))
    return found


def _inline(name: str, declared: RetrieverDeclaration) -> Iterator[SourceSpec]:
    if not is_combined(declared):
        return
    try:
        spec = combined_spec(declared.config, name)
    except ContextError:
        return
    yield from (source for source in spec.of if source.retriever_id is not None)


def without_queries(declared: RetrieverDeclaration) -> RetrieverDeclaration:
    """The retriever, asked as it is: without query templates, its own and those of inline sources."""
    return declared.model_copy(update={"config": _without_query(declared.config)})


def _without_query(config: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in config.items() if key != "query"}
    sources = kept.get("of")
    if isinstance(sources, list | tuple):
        kept["of"] = [
            _without_query(each) if isinstance(each, Mapping) else each for each in sources
        ]
    return kept
