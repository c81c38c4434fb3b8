"""The settings of a retriever over a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from pydantic import ValidationError

from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.base.registry import Registry
from biblicus_context.corpora.search.rankers.registry import RETRIEVERS, Ranker, RetrieverKind
from biblicus_context.errors import ContextError, InputError, PlanError
from biblicus_context.retrieval.choosing.choosing import choosing_problems
from biblicus_context.retrieval.choosing.parts import ChoosingParts
from biblicus_context.retrieval.requests.setting_problems import (
    SettingsProblem,
    all_problems,
    problem_of,
)
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.retriever import TEMPLATE_SETTINGS
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.text.compaction import Compaction


@dataclass(frozen=True, slots=True)
class Parts:
    """The rankers by `retriever_id`, and the parts that every retriever has."""

    retrievers: Registry[Ranker] = RETRIEVERS
    choosing: ChoosingParts = field(default_factory=ChoosingParts)

    @classmethod
    def of(
        cls,
        added: Mapping[str, Mapping[str, Any]] | None,
        *,
        compactors: Compaction | None = None,
    ) -> Self:
        """The built-in parts, and those that a caller adds to a family by name."""
        return cls(
            RETRIEVERS.adding((added or {}).get("retrievers", {})),
            ChoosingParts.of(added, compactors=compactors),
        )

    def kind(self, retriever_id: object) -> RetrieverKind | None:
        """The kind that a `retriever_id` names; a plain callable has the settings of every retriever."""
        entry = self.retrievers.find(retriever_id)
        if entry is None or isinstance(entry, RetrieverKind):
            return entry
        return RetrieverKind(cast("Ranker", entry))


BUILT_IN: Final = Parts()


_OTHER_LIBRARY: Final = (
    "Pass a retriever of another library from Python under this name; on the command line "
    "--packs reads its recorded answers."
)
_LEFT_OPEN: Final = frozenset({"created", "updated", "accessed", "exclude_documents"})
"""Filters that a call may fill with nothing: any time, and no document excluded."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of one retriever over a corpus, parsed once.

    Settings with placeholders are parsed again for each call that fills them.
    """

    spec: SearchSpec
    kind: RetrieverKind
    config: Mapping[str, Any]
    parts: Parts
    place: str
    templates: tuple[str, ...]
    """The settings with placeholders."""

    @property
    def is_built_in(self) -> bool:
        """Whether the ranker is one of this package."""
        return self.kind in RETRIEVERS.entries.values()

    @classmethod
    def parse(cls, config: Mapping[str, Any], parts: Parts, *, place: str) -> Self:
        """The typed settings; a PlanError for the first problem."""
        refuse_too_deep(config, place)
        name = config.get("retriever_id", parts.retrievers.default)
        kind = parts.kind(name)
        if kind is None:
            raise _unknown_retriever(name, parts).error(place)
        templates = tuple(key for key in TEMPLATE_SETTINGS if has_placeholders(config.get(key)))
        try:
            spec = kind.settings.model_validate(_typed(config, name))
        except ValidationError as error:
            first = all_problems(error, kind.settings)[0]
            # Filters are often values of a call, and not of a plan.
            of_call = first.path[:1] == ("filters",)
            raise first.error(place, InputError if of_call else PlanError) from None
        return cls(spec, kind, config, parts, place, templates)

    def filled_values(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """The templates as the engine filled them into the metadata of a request.

        Searching by a text that still has placeholders would silently find nothing.
        """
        for key in self.templates:
            if key not in metadata:
                raise PlanError(
                    "placeholders are filled where a context inserts the retriever",
                    place=f"{self.place}.{key}",
                    found=self.config[key],
                    fix="Write values in their place, or assemble a context that inserts it.",
                )
        values = {key: metadata[key] for key in self.templates}
        if "filters" in values:
            values["filters"] = _without_empty(values["filters"])
        floor = metadata.get("min_score")  # of the combined retriever that this is a source of
        if floor is not None and self.spec.min_score is None:
            values["min_score"] = floor
        return values

    def filled(self, values: Mapping[str, Any]) -> SearchSettings:
        """The settings with these values in place of the templates."""
        if not values:
            return self
        return self.parse({**self.config, **values}, self.parts, place=self.place)


def _typed(config: Mapping[str, Any], name: object) -> dict[str, Any]:
    """The settings whose types are known before a call: filters may wait for its values."""
    known = {**config, "retriever_id": name}
    if has_placeholders(known.get("filters")):
        del known["filters"]
    return known


def _without_empty(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a call may leave open. Another filter without a value stays an error: it restricts."""
    return {key: value for key, value in filters.items() if value or key not in _LEFT_OPEN}


def problems(config: Mapping[str, Any], parts: Parts = BUILT_IN) -> Iterator[SettingsProblem]:
    """Every problem of the settings of a retriever that shows without a corpus."""
    name = config.get("retriever_id", parts.retrievers.default)
    try:
        kind = parts.kind(name)
    except ContextError as error:
        yield problem_of("retriever_id", error)
        return
    if kind is None:
        yield _unknown_retriever(name, parts)
        return
    try:
        kind.settings.model_validate(_typed(config, name))
    except ValidationError as error:
        yield from all_problems(error, kind.settings)
    yield from choosing_problems(config, parts.choosing)


def _unknown_retriever(name: Any, parts: Parts) -> SettingsProblem:
    valid = parts.retrievers.names
    return SettingsProblem(("retriever_id",), "unknown retriever_id", name, valid, _OTHER_LIBRARY)
