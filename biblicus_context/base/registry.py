"""Named parts: built in, from entry points, and added by the caller."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from biblicus_context.base.entry_points import entry_points_of
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import PlanError, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Part = TypeVar("Part")


@dataclass(frozen=True)
class Registry(Generic[Part]):
    """A family of parts by name; an entry is a part, or a model or dataclass whose fields are its settings.

    >>> from biblicus_context.retrieval.fusion import FUSIONS
    >>> FUSIONS.build({"type": "reciprocal_rank", "constant": 20})
    ReciprocalRank(constant=20.0)
    """

    noun: str
    """The word for one part of the family in errors."""
    group: str
    """The group of entry points that add to the family."""
    default: str
    entries: Mapping[str, Part | type[Part]]
    incomplete: frozenset[str] = frozenset()
    """Built-in names that cannot be used without settings."""

    def adding(self, extra: Mapping[str, Part | type[Part]]) -> Self:
        """The family with more parts; they replace parts of the same name."""
        if not extra:
            return self
        built_in = cast("dict[str, Part | type[Part]]", self.entries)  # which are not read here
        return replace(self, entries=ChainMap({**extra}, built_in))

    def without_settings(self) -> frozenset[str]:
        """The built-in names that need no settings."""
        return frozenset(self.entries).difference(self.incomplete)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that can be built."""
        return tuple(sorted({*self.entries, *self.added_names}))

    @property
    def added_names(self) -> frozenset[str]:
        """The names that other packages add by entry points."""
        return frozenset(point.name for point in entry_points_of(self.group))

    def build(
        self, config: str | Mapping[str, Any] | None = None, *, also: tuple[str, ...] = ()
    ) -> Part:
        """The part of a name, or of settings whose `type` is a name.

        `also` names options that the caller has read; an error lists them as valid.
        """
        if config is not None and not isinstance(config, str | Mapping):
            raise PlanError(f"a {self.noun} is a name or settings", found=config)
        settings = {"type": config} if isinstance(config, str) else dict(config or {})
        name = settings.pop("type", self.default)
        return self._made(name, self.entry(name), settings, also)

    def entry(self, name: object) -> Part | type[Part]:
        """The entry of a name."""
        known = self.find(name)
        if known is None:
            raise UnknownNameError(self.noun.capitalize(), str(name), self.names)
        return known

    def find(self, name: object) -> Part | type[Part] | None:
        """The entry of a name, or None."""
        known = self.entries.get(name) if isinstance(name, str) else None
        if known is None:
            known = self._from_entry_point(name)
        if known is not None and not callable(known):
            raise self._refused(name, type(known))
        return known

    def _refused(self, name: object, kind: type) -> PlanError:
        return PlanError(
            f"a {self.noun} is a callable, or a model or dataclass that makes one",
            place=f"{self.noun} '{name}'",
            found=kind.__name__,
        )

    def _made(
        self,
        name: str,
        entry: Part | type[Part],
        settings: dict[str, Any],
        also: tuple[str, ...],
    ) -> Part:
        place = f"{self.noun} '{name}'"
        if not isinstance(entry, type):
            if settings:
                raise PlanError("there are no options", place=place, found=next(iter(settings)))
            return entry
        declared = _settings_of(entry)
        if declared is None:
            raise self._refused(name, entry)
        options = [*declared]
        for option in settings:
            if option not in options:
                valid = [*also, *options]
                problem = "unknown option" if valid else "there are no options"
                raise PlanError(problem, place=place, found=option, valid=valid)
        try:
            return cast("Part", _reader(cast("type", entry)).validate_python(settings))
        except ValidationError as error:
            invalid = first_invalid(error)
            if invalid.is_missing:
                problem = f"the option '{invalid.place}' is missing"
                raise PlanError(problem, place=place, valid=options) from None
            raise PlanError(
                f"option '{invalid.place}': {invalid.problem}", place=place, found=invalid.value
            ) from None

    def _from_entry_point(self, name: object) -> Part | type[Part] | None:
        for point in entry_points_of(self.group):
            if point.name == name:
                return cast("Part | type[Part]", loaded(point, self.noun))
        return None


def _settings_of(entry: object) -> Mapping[str, bool] | None:
    """The settings of a part, each with whether it is required; None: it takes none."""
    if not isinstance(entry, type):
        return None
    if issubclass(entry, BaseModel):
        return {
            field.alias or name: field.is_required() for name, field in entry.model_fields.items()
        }
    if not is_dataclass(entry):
        return None
    return {
        each.name: each.default is MISSING and each.default_factory is MISSING
        for each in fields(entry)
    }


@lru_cache(256)
def _reader(entry: type) -> TypeAdapter[Any]:
    """What types the settings of a part; making one takes a hundred times as long as using it."""
    return TypeAdapter(entry)


def loaded(point: EntryPoint, noun: str) -> object:
    """The object of an entry point; an error names the entry point."""
    try:
        found: object = point.load()
    except Exception as error:  # the package of someone else may raise any error when imported
        raise PlanError(
            f"the entry point '{point.value}' cannot be loaded: {type(error).__name__}: {error}",
            place=f"{noun} '{point.name}'",
            fix="Repair or remove the package that declares it.",
        ) from error
    return found
