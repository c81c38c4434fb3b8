"""What callers pass to the assembler, typed where it comes in; an error says what to pass instead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, get_args

from biblicus_context import formats
from biblicus_context.assembly.call import (
    ClientMessage,
    Message,
    PreviousCall,
    Retriever,
    RetrieverFunction,
)
from biblicus_context.assembly.given_formats import GivenFormat
from biblicus_context.assembly.given_shares import GivenShare
from biblicus_context.assembly.limits import with_model
from biblicus_context.assembly.registries import IndexWhen, function_of, functions_from
from biblicus_context.assembly.reporting import Listening
from biblicus_context.assembly.result.previous import previous_from
from biblicus_context.errors import InputError, UnknownNameError, nearest
from biblicus_context.spec.budget import ContextBudgetSpec
from biblicus_context.spec.policy import ContextPolicySpec
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.assembly.result.result import ContextAssemblyResult

V = TypeVar("V")
_PLAIN: Final = frozenset({dict})
_LOOKED_AT: Final = 4096
"""Messages of a history that are looked at to know whose they are: work must not grow with its length."""


class AssembleOptions(TypedDict, total=False):
    """Options of a call, in addition to the arguments of Biblicus' `assemble`."""

    inputs: Mapping[str, Any]
    """Short for template_context={"input": ...}."""
    history: Sequence[Message | ClientMessage]
    """Short for history_messages."""
    retrievers: Mapping[str, Retriever]
    """Callables of this call for declared retrievers, by name."""
    tools: Sequence[Mapping[str, Any]]
    """Tool definitions that are sent with the messages; their tokens come off the input budget."""
    model: str | None
    """Instead of the policy's model; None is the policy's."""
    budget: int
    """Tokens, instead of the policy's input budget."""
    shares: Mapping[str, GivenShare]
    """Tokens of packs and of the history by name, instead of the budgets that the plan declares for them."""
    formats: Mapping[str, GivenFormat]
    """Formats of packs by name, instead of those that the plan declares for them."""
    now: datetime
    """The moment that recency and relative times are measured from, instead of the current time."""
    previous: ContextAssemblyResult | Mapping[str, Any] | str | None
    """The result of the previous call, or its JSON: the history begins where it began there, while that fits."""


def refuse_unknown(options: Mapping[str, Any], inputs: Callable[[], Collection[str]]) -> None:
    """Refuse an option that `assemble` does not have; the inputs of the context have a place."""
    for name in options:
        if name not in AssembleOptions.__annotations__ and name in inputs():
            fix = f"Pass inputs={{{name!r}: ...}}."
            raise InputError(f"'{name}' is an input of the context, not an option", fix=fix)
        if name not in AssembleOptions.__annotations__:
            valid = AssembleOptions.__annotations__
            input_too = (
                None if nearest(name, valid) else f"Pass an input as inputs={{{name!r}: ...}}."
            )
            raise InputError("unknown option", found=name, valid=valid, fix=input_too)


def registry_from(name: str, given: Mapping[str, V] | None) -> dict[str, V]:
    """The entries of a registry by name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f"{name} must be a mapping of names to entries",
            found=given if isinstance(given, str) else type(given).__name__,
            fix="Use ContextAssembler.from_path for files."
            if isinstance(given, str | Path)
            else "Pass {'name': ...}.",
        )
    return {str(key): entry for key, entry in given.items()}


def function_from(name: str, given: Any) -> Any:
    """A callable, or None."""
    if given is not None and not callable(given):
        raise InputError(f"{name} must be a callable", found=type(given).__name__)
    return given


def parallel_from(given: object) -> bool | None:
    """Whether sync retrievers may run in threads."""
    if given is not None and not isinstance(given, bool):
        raise InputError("parallel must be True, False or None", found=given)
    return given


def observers_from(given: Any) -> tuple[Listening, ...]:
    """What gets the receipt of each result."""
    if callable(given) or not isinstance(given, Iterable):
        found = type(given).__name__
        raise InputError("observers must be a list of callables", found=found)
    return tuple(Listening.of(function_from("an observer", each)) for each in given)


def index_from(given: Any) -> IndexWhen:
    """When indexes of corpora are made."""
    valid = get_args(IndexWhen)
    if given not in valid:
        raise InputError("unknown value of index", found=given, valid=valid)
    when: IndexWhen = given
    return when


def names_from(
    template_context: Mapping[str, Any] | None, inputs: Mapping[str, Any] | None
) -> dict[str, Any]:
    """All names that texts can use."""
    names = registry_from("template_context", template_context)
    if inputs is not None:
        if "input" in names:
            raise InputError(
                "inputs are passed twice",
                fix="Use inputs=, or 'input' in template_context, not both.",
            )
        names["input"] = inputs
    names.setdefault("input", {})
    names.setdefault("context", {})
    return names


def policy_from(
    policy: ContextPolicySpec, model: str | None, budget: int | None
) -> ContextPolicySpec:
    """The policy with this call's model and budget in place of its own."""
    if model is not None:
        policy = with_model(policy, text_from("model", model))
    if budget is not None:
        limit = ContextBudgetSpec(max_tokens=_tokens("budget", budget))
        policy = policy.model_copy(update={"input_budget": limit})
    return policy


def _tokens(name: str, given: Any) -> int:
    if type(given) is not int:
        fix = f"Pass {name}={given}." if str(given).isdecimal() else None
        raise InputError(f"{name} must be a whole number of tokens", found=given, fix=fix)
    if given < 1:
        raise InputError(f"{name} must be at least 1 token", found=given)
    return given


def now_from(given: object) -> datetime:
    """The moment of a call; a time without a zone may be any of a day's."""
    if given is None:
        return datetime.now(UTC)
    if not isinstance(given, datetime) or given.utcoffset() is None:
        fix = "For example datetime.now(timezone.utc)."
        raise InputError("now must be a time with a time zone", found=given, fix=fix)
    return given


def history_from(messages: Any) -> Sequence[Message]:
    """The messages of a history; each is checked when it is measured."""
    if messages is None:
        return ()
    if isinstance(messages, list | tuple):
        return messages if _are_ours(messages) else formats.history_from_any_client(messages)
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InputError(
            "history must be a list of messages",
            found=type(messages).__name__,
            fix="Pass [{'role': 'user', 'content': '...'}, ...].",
        )
    return history_from([*messages])


def _are_ours(messages: Sequence[Any]) -> bool:
    """Whether all messages are mappings; of a long history a sample is looked at, and its end."""
    if len(messages) > _LOOKED_AT:
        step = 2 * len(messages) // _LOOKED_AT
        messages = [*messages[::step], *messages[-_LOOKED_AT // 2 :]]
    kinds = {*map(type, messages)}
    return kinds <= _PLAIN or all(issubclass(kind, Mapping) for kind in kinds)


def tools_from(given: Any) -> Sequence[Mapping[str, Any]]:
    """Tool definitions."""
    if not given:
        return ()
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError("tools must be a list of tool definitions", found=type(given).__name__)
    return [*given]


def previous_call_from(given: object) -> PreviousCall | None:
    """What an earlier result sent."""
    return None if given is None else previous_from(given)


def retriever_from(name: str, given: Retriever | None) -> RetrieverFunction | None:
    """The callable of a retriever, or None."""
    return None if given is None else function_of(given, name)


def call_retrievers_from(
    given: Mapping[str, Retriever] | None, declared: Collection[str]
) -> dict[str, RetrieverFunction]:
    """The callables of one call, each for a declared retriever."""
    own = registry_from("retrievers", given)
    for name in own:
        if name not in declared:
            raise UnknownNameError("Retriever", name, declared, place="retrievers")
    return functions_from(own)


def text_from(name: str, given: Any) -> str:
    """A text; None is an empty one."""
    if given is None:
        return ""
    if not isinstance(given, str):
        raise InputError(f"{name} must be text", found=type(given).__name__)
    return given


def models_from(models: ModelTable | Mapping[str, Any] | str | Path | None) -> ModelTable:
    """The table of models."""
    if models is None:
        return ModelTable.shipped()
    if isinstance(models, ModelTable):
        return models
    if isinstance(models, str | Path):
        return ModelTable.from_file(models)
    return ModelTable.shipped().with_models(registry_from("models", models))
