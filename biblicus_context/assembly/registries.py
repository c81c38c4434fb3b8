"""The registries of an assembler; whatever callers pass is typed here, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from biblicus_context.assembly.call import Retriever, RetrieverFunction
from biblicus_context.assembly.combinations import Combinations
from biblicus_context.assembly.graph import check_graph
from biblicus_context.assembly.inputs import checked_inputs
from biblicus_context.assembly.limits import Limits, Yardsticks, limits_of
from biblicus_context.assembly.queries.rewriting import Rewriting
from biblicus_context.assembly.steps.parts import Names
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import ContextError, InputError, PlanError, UnknownNameError
from biblicus_context.retrieval.foreign.known import is_foreign_retriever
from biblicus_context.retrieval.requests.settings import RequestSettings, request_settings
from biblicus_context.spec.base import Spec
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration, has_index
from biblicus_context.spec.format import FormatDeclaration, FormatSpec
from biblicus_context.spec.pack import PackOptions
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration
from biblicus_context.spec.retriever import WITHOUT_CORPUS, RetrieverDeclaration

if TYPE_CHECKING:
    from biblicus_context.corpora import Corpus
    from biblicus_context.corpora.declared import DeclaredRetrievers
    from biblicus_context.embedders import KeyHosts
    from biblicus_context.retrieval.foreign.adapters import adapted
    from biblicus_context.stores import Principal
else:  # few use another library
    adapted = Deferred("biblicus_context.retrieval.foreign.adapters:adapted")

IndexWhen: TypeAlias = Literal["never", "missing", "stale"]
"""Which indexes of declared corpora an assembler makes when it is built."""

_ONLY_IN_FILES: Final = "like"
_COMPILED_AT_ONCE: Final = 32
"""Contexts that are worked out when an assembler is made; a command reads hundreds to call one."""

S = TypeVar("S", bound=Spec)


@dataclass(frozen=True, slots=True)
class Registries:
    """Declarations by name, callables by name, and what policies are measured with."""

    contexts: Mapping[str, ContextDeclaration]
    retrievers: Mapping[str, RetrieverDeclaration]
    functions: Mapping[str, RetrieverFunction]
    corpora: Mapping[str, CorpusDeclaration]
    policies: Mapping[str, ContextPolicySpec]
    formats: Mapping[str, FormatSpec]
    yardsticks: Yardsticks
    summaries: BoundedMemory[tuple[str, str, int, str], str]
    default_retriever: RetrieverFunction | None = None
    over_corpora: DeclaredRetrievers | None = None
    combinations: Combinations = field(default_factory=lambda: Combinations({}))
    rewriting: Rewriting | None = None
    parallel: bool | None = None
    """Whether retrievers may be asked in other threads; None: only to keep an event loop free."""
    # What declarations come to, by name. `for_principal` shares these five with the original, as
    # nothing in them depends on who asks; two threads at worst work out the same entry twice.
    _checked: set[str] = field(default_factory=set)
    _settings: dict[str, RequestSettings] = field(default_factory=dict)
    _looks_back: dict[str, bool] = field(default_factory=dict)
    _fences: dict[str, bool] = field(default_factory=dict)
    _limits: dict[str, Limits] = field(default_factory=dict)

    def for_principal(self, principal: Principal) -> Registries:
        """The same registries, with declared corpora read as another principal."""
        if self.over_corpora is None:
            return self
        return replace(self, over_corpora=self.over_corpora.for_principal(principal))

    def context(self, name: str) -> ContextDeclaration:
        """The context of this registry key, once its graph is known to be sound."""
        if name not in self.contexts:
            raise UnknownNameError("Context", name, self.contexts)
        if name not in self._checked:
            check_graph(name, self.contexts, self.retrievers, self.combinations)
            self._checked.add(name)
        return self.contexts[name]

    def policy(self, context: ContextDeclaration) -> ContextPolicySpec | None:
        """The context's policy, looked up where it is given by name."""
        if not isinstance(context.policy, str):
            return context.policy
        if context.policy not in self.policies:
            raise UnknownNameError(
                "Policy", context.policy, self.policies, place=f"context '{context.name}'"
            )
        return self.policies[context.policy]

    def limits(self, name: str) -> Limits:
        """The limits of the context of this registry key in calls that change none; remembered."""
        if name not in self._limits:
            context = self.context(name)
            policy = self.policy(context) or ContextPolicySpec()
            self._limits[name] = self.limits_under(policy, context, ())
        return self._limits[name]

    def limits_under(
        self,
        policy: ContextPolicySpec,
        context: ContextDeclaration,
        tools: Sequence[Mapping[str, Any]],
    ) -> Limits:
        """The same under another policy, or with tools."""
        try:
            return limits_of(policy, self.yardsticks, tools)
        except ContextError as error:
            raise error.at(f"context '{context.name}' policy") from None

    def compile(self) -> None:
        """Work out now what every call of a context needs, and no call changes.

        What is wrong with a context is an error of its calls: others of the registry may be sound.
        """
        for name in [*self.contexts][:_COMPILED_AT_ONCE]:
            with suppress(ContextError):
                context = self.context(name)
                self.limits(name)
                self.fences(name)
                for insert in context.inserts:
                    self.looks_back(insert.name)

    def format(self, options: PackOptions, place: str) -> FormatSpec | None:
        """How a pack is written, looked up where it is given by name."""
        if not isinstance(options.format, str):
            return options.format
        if options.format not in self.formats:
            raise UnknownNameError("Format", options.format, self.formats, place=place)
        return self.formats[options.format]

    def retriever_settings(self, name: str) -> RequestSettings:
        """A retriever's settings, typed; remembered."""
        if name not in self._settings:
            self._settings[name] = request_settings(self.retrievers[name], self.corpora)
        return self._settings[name]

    def retriever_function(self, name: str) -> RetrieverFunction | None:
        """The callable of this name, else the default one, else what is declared over a corpus."""
        function = self.functions.get(name, self.default_retriever)
        if function is None and self.over_corpora is not None:
            return self.over_corpora.get(name)
        return function

    def asked_by(self, name: str) -> Iterator[str]:
        """The name of a retriever, and of those that it combines."""
        yield name
        for source in self.combinations.names_of(name):
            yield from self.asked_by(source)

    def looks_back(self, name: str) -> bool:
        """Whether a pack may quote packs placed before it, in its query or in nested texts."""
        if name not in self._looks_back:
            context = self.contexts.get(name)
            if context is None:
                asked = map(self.retriever_settings, self.asked_by(name))
                quotes = any(
                    "context" in f"{each.query_spec.template} {each.templates}" for each in asked
                )
            else:
                quotes = any("context" in text for text in context.texts) or any(
                    self.looks_back(insert.name) for insert in context.inserts
                )
            self._looks_back[name] = quotes
        return self._looks_back[name]

    def fences(self, name: str, changed: ContextDeclaration | None = None) -> bool:
        """Whether a context, or one that it nests, writes a pack between tags.

        `changed` is the same context with the formats of a call.
        """
        context = self.contexts.get(name)
        if context is None:
            return False
        if (
            changed is not None
            and changed is not context
            and any(map(self._fenced, changed.inserts))
        ):
            return True
        if name not in self._fences:
            self._fences[name] = any(
                self._fenced(one) or self.fences(one.name) for one in context.inserts
            )
        return self._fences[name]

    def _fenced(self, options: PackOptions) -> bool:
        form = self.format(options, f"pack '{options.name}'")
        return form is not None and form.fence

    def inputs(self, context: ContextDeclaration, names: Names, *, nested: bool = False) -> Names:
        """The names with the context's inputs checked and completed."""
        given = names.get("input")
        if given is None or given == []:
            given = {}
        if not isinstance(given, Mapping):
            raise InputError(
                "inputs must be a mapping of names to values",
                place=f"context '{context.name}'",
                found=type(given).__name__,
            )
        return {**names, "input": checked_inputs(context, given, nested=nested)}


def contexts_from(registry: Mapping[str, Any]) -> dict[str, ContextDeclaration]:
    """Contexts under their registry keys; a declaration's own name need not be the same."""
    return _declarations(registry, ContextDeclaration)


def corpora_from(registry: Mapping[str, Any]) -> dict[str, CorpusDeclaration]:
    """Corpora under their registry keys."""
    return _declarations(registry, CorpusDeclaration)


def with_passed(
    declared: Mapping[str, CorpusDeclaration], passed: Mapping[str, Corpus]
) -> dict[str, CorpusDeclaration]:
    """The declared corpora, and a declaration for each that only Python knows."""
    found = {name: CorpusDeclaration(name=name, config={"store": name}) for name in passed}
    own = {name: each for name, each in declared.items() if has_index(each.config)}
    return {**declared, **found, **own}


def policies_from(registry: Mapping[str, Any]) -> dict[str, ContextPolicySpec]:
    """Policies under their registry keys."""
    policies: dict[str, ContextPolicySpec] = {}
    for name, value in registry.items():
        policies[name] = (
            value.policy
            if isinstance(value, PolicyDeclaration)
            else _declaration(value, ContextPolicySpec, name=None)
        )
    return policies


def formats_from(registry: Mapping[str, Any]) -> dict[str, FormatSpec]:
    """Formats under their registry keys."""
    return {
        name: value.format
        if isinstance(value, FormatDeclaration)
        else _declaration(value, FormatSpec, name=None)
        for name, value in registry.items()
    }


def retrievers_from(
    registry: Mapping[str, Any],
) -> tuple[dict[str, RetrieverDeclaration], dict[str, RetrieverFunction]]:
    """Retriever declarations and, where an entry can be called, the callables."""
    declared: dict[str, RetrieverDeclaration] = {}
    functions: dict[str, RetrieverFunction] = {}
    for name, value in registry.items():
        if is_function(value):
            declared[name] = RetrieverDeclaration(name=name)
        else:
            declared[name] = _declaration(value, RetrieverDeclaration, name=name)
            _refuse_like(name, declared[name])
        if callable(value) or is_foreign_retriever(value):
            functions[name] = function_of(value, f"registry entry '{name}'")
    return declared, functions


def _refuse_like(name: str, declared: RetrieverDeclaration) -> None:
    """The retrievers of files have all their settings already; Python has `**` for it."""
    if declared.like is not None:
        raise PlanError(
            f"'{_ONLY_IN_FILES}' is a key of files",
            place=f"retriever '{name}'",
            found=declared.like,
            fix="Pass all settings, such as {**config_of_the_other, 'limit': 5}.",
        )


def functions_from(
    functions: Mapping[str, Retriever],
) -> dict[str, RetrieverFunction]:
    """Retrievers without settings of their own, as callables."""
    return {
        name: function_of(value, f"retriever_functions '{name}'")
        for name, value in functions.items()
    }


def function_of(retriever: Retriever, place: str) -> RetrieverFunction:
    """The callable that answers requests, whichever library a retriever is of."""
    if callable(retriever):
        return retriever
    return adapted(retriever, place=place)


def over_corpora(
    retrievers: Mapping[str, RetrieverDeclaration],
    corpora: Mapping[str, CorpusDeclaration],
    principal: Principal | None = None,
    parts: Mapping[str, Mapping[str, Any]] | None = None,
    allow_keys: KeyHosts | None = None,
    index: IndexWhen = "never",
    passed: Mapping[str, Corpus] | None = None,
    *,
    yardsticks: Yardsticks,
) -> DeclaredRetrievers | None:
    """Retrievers over the declared and passed corpora; None where there are none."""
    if not corpora and not passed and not any(map(_asks_outside, retrievers.values())):
        return None
    from biblicus_context.corpora.declared import (  # half of the start, and loads numpy
        DeclaredRetrievers,
        Parts,
    )

    declared = DeclaredRetrievers(
        retrievers,
        corpora,
        principal,
        passed=passed,
        parts=Parts.of(parts, compactors=yardsticks.compactors),
        counters=yardsticks.counters,
        allow_keys=allow_keys,
    )
    if index != "never":
        declared.index(index)
    return declared


def _asks_outside(retriever: RetrieverDeclaration) -> bool:
    return retriever.config.get("retriever_id") in WITHOUT_CORPUS


def is_function(entry: Any) -> bool:
    """Whether a registry entry is a retriever without settings of its own."""
    if callable(entry):
        return not hasattr(entry, "config")
    return is_foreign_retriever(entry)


def _declarations(registry: Mapping[str, Any], kind: type[S]) -> dict[str, S]:
    return {name: _declaration(value, kind, name=name) for name, value in registry.items()}


def _declaration(value: Any, kind: type[S], *, name: str | None) -> S:
    """One entry as a declaration: it may be one, a mapping, or another library's model."""
    if isinstance(value, kind):
        return value
    if isinstance(value, Mapping):
        given = dict(value)
    elif isinstance(value, BaseModel):
        # Another library's declaration may carry more than ours knows.
        given = value.model_dump(exclude_none=True, include=set(kind.model_fields))
    else:
        given = _attributes(value, kind, name)
    if name is not None:
        given.setdefault("name", name)
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise _plan_error(error, kind, name) from None


def _plan_error(error: ValidationError, kind: type[Spec], name: str | None) -> PlanError:
    """The first problem that pydantic found, as an error with place, found value and valid values."""
    invalid = first_invalid(error)
    *path, last = invalid.path or ("",)
    place = f"{kind.__name__.removesuffix('Declaration').removesuffix('Spec')} '{name}'"
    where = f"{place} {invalid.place}".rstrip()
    match invalid.reason:
        case "extra_forbidden":
            valid = [] if path else _fields(kind)
            return PlanError("unknown key", place=where, found=str(last), valid=valid)
        case "union_tag_invalid":
            tags = str(invalid.details["expected_tags"]).replace("'", "").split(", ")
            written = invalid.value if isinstance(invalid.value, Mapping) else {"type": None}
            if "type" not in written:
                fix = "Write 'type' instead of 'role'." if "role" in written else None
                return PlanError("the type is missing", place=where, valid=tags, fix=fix)
            return PlanError("unknown type", place=where, found=invalid.details["tag"], valid=tags)
        case _:
            found = invalid.value if isinstance(invalid.value, str | int | float) else None
            return PlanError(invalid.problem, place=where, found=found)


def _fields(kind: type[Spec]) -> list[str]:
    """What a declaration may have in Python."""
    return [name for name in kind.model_fields if name != _ONLY_IN_FILES]


def _attributes(value: Any, kind: type[S], name: str | None) -> dict[str, Any]:
    """The attributes of any object that have our names, without `name`: the registry names the entry."""
    fields = set(_fields(kind)) - {"name"}
    given = {field: getattr(value, field) for field in fields if hasattr(value, field)}
    if not given:
        found = type(value).__name__
        raise PlanError(
            "this is not a declaration",
            place=f"registry entry '{name}'",
            found=found,
            valid=[kind.__name__, "a mapping", f"an object with {' or '.join(sorted(fields))}"],
            fix=f"Pass {found.lower()}.retriever()." if hasattr(value, "retriever") else None,
        )
    return given
