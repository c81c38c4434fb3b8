"""The assembler: declarations in, model calls out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypedDict, Unpack

from biblicus_context.assembly.call import (
    Call,
    Message,
    PreviousCall,
    Retriever,
    RetrieverFunction,
)
from biblicus_context.assembly.compaction import Compaction
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import Yardsticks, limits_of
from biblicus_context.assembly.pipeline import assembled
from biblicus_context.assembly.registries import (
    Registries,
    contexts_from,
    corpora_from,
    function_of,
    functions_from,
    is_function,
    over_corpora,
    policies_from,
    retrievers_from,
)
from biblicus_context.assembly.result.previous import previous_from
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.place import place
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.threads import run
from biblicus_context.errors import ContextError, InputError
from biblicus_context.spec.budget import ContextBudgetSpec
from biblicus_context.spec.policy import ContextPolicySpec
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.embedders import KeyHosts
    from biblicus_context.stores import Principal

_MOST_SUMMARIES: Final = 512


class AssembleOptions(TypedDict, total=False):
    """Options of a call, in addition to the arguments of Biblicus' `assemble`."""

    inputs: Mapping[str, Any]
    """Short for template_context={"input": ...}."""
    history: Sequence[Message]
    """Short for history_messages."""
    tools: Sequence[Mapping[str, Any]]
    """Tool definitions that are sent with the messages; their tokens come off the input budget."""
    model: str
    """Instead of the policy's model."""
    budget: int
    """Tokens, instead of the policy's input budget."""
    previous: ContextAssemblyResult | Mapping[str, Any] | str | None
    """The result of the previous call, or its JSON: the history begins where it began there, while that fits."""


class ContextAssembler:
    """Assembles declared contexts; registries are typed once, here.

    >>> assembler = ContextAssembler({"hello": {"messages": [{"type": "system", "content": "Hi."}]}})
    >>> assembler.assemble("hello").system_prompt
    'Hi.'
    """

    def __init__(  # noqa: PLR0913 - five come from Biblicus, in its order
        self,
        context_registry: Mapping[str, Any],
        retriever_registry: Mapping[str, Any] | None = None,
        corpus_registry: Mapping[str, Any] | None = None,
        compactor_registry: Mapping[str, Any] | None = None,
        default_retriever: Retriever | None = None,
        *,
        policy_registry: Mapping[str, Any] | None = None,
        retriever_functions: Mapping[str, Retriever] | None = None,
        counters: Mapping[str, Any] | None = None,
        models: ModelTable | Mapping[str, Any] | str | Path | None = None,
        summarizer: Any = None,
        principal: Principal | None = None,
        retrieval_parts: Mapping[str, Mapping[str, Any]] | None = None,
        allow_keys: KeyHosts | None = None,
        parallel: bool | None = None,
    ) -> None:
        retrievers, functions = retrievers_from(retriever_registry)
        corpora = corpora_from(corpus_registry)
        table = _models(models)
        known_counters = Counters(counters or {}, table)
        self._registries = Registries(
            contexts=contexts_from(context_registry),
            retrievers=retrievers,
            functions={**functions, **functions_from(retriever_functions)},
            corpora=corpora,
            policies=policies_from(policy_registry),
            yardsticks=Yardsticks(
                counters=known_counters,
                models=table,
                compactors=Compaction(compactor_registry or {}, summarizer),
                conversation=Conversation(),
            ),
            summaries=BoundedMemory(_MOST_SUMMARIES),
            default_retriever=_retriever("default_retriever", default_retriever),
            parallel=parallel,
            over_corpora=over_corpora(
                retrievers, corpora, principal, retrieval_parts, known_counters, allow_keys
            ),
        )

    @classmethod
    def from_path(cls, path: str | Path, *more: str | Path, **registries: Any) -> Self:
        """An assembler for the declarations in files or folders, and what Python adds to them.

        A callable under the name of a declared retriever is called with its declared settings.
        """
        from biblicus_context.reading import load_project  # a fifth of the start, only for files

        handed_in = {
            name
            for entries in registries.values()
            if isinstance(entries, Mapping)
            for name in entries
        }
        project = load_project(path, *more, also=handed_in)
        declared = {
            "context_registry": project.contexts,
            "retriever_registry": project.retrievers,
            "corpus_registry": project.corpora,
            "compactor_registry": project.compactors,
            "policy_registry": project.policies,
        }
        functions = {
            **{
                name: entry
                for name, entry in (registries.get("retriever_registry") or {}).items()
                if name in project.retrievers and is_function(entry)
            },
            **(registries.pop("retriever_functions", None) or {}),
        }
        for registry, entries in declared.items():
            given = registries.get(registry) or {}
            added = {name: entry for name, entry in given.items() if name not in functions}
            registries[registry] = {**entries, **added}
        return cls(**registries, retriever_functions=functions)

    def assemble(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> ContextAssemblyResult:
        """Assemble one model call."""
        draft = self._draft(
            context_name,
            base_system_prompt,
            history_messages,
            user_message,
            template_context,
            retriever_override,
            **options,
        )
        return place(run(assembled(draft, self._registries)))

    async def aassemble(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> ContextAssemblyResult:
        """Assemble one model call; retrievers and compactors that are async are awaited."""
        from biblicus_context.base.tasks import arun  # asyncio is a tenth of the start

        draft = self._draft(
            context_name,
            base_system_prompt,
            history_messages,
            user_message,
            template_context,
            retriever_override,
            **options,
        )
        return place(await arun(assembled(draft, self._registries)))

    def _draft(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> Draft:
        _refuse_unknown(options)
        context = self._registries.context(_text("context_name", context_name))
        names = _names(template_context, options.get("inputs"))
        policy = self._registries.policy(context) or ContextPolicySpec()
        policy = _overridden(policy, options.get("model"), options.get("budget"))
        history = options.get("history")
        call = Call(
            names=self._registries.inputs(context, names),
            history=_history(history_messages if history is None else history),
            user_message=_text("user_message", user_message),
            base_system_prompt=_text("base_system_prompt", base_system_prompt),
            retriever=_retriever("retriever_override", retriever_override),
            previous=_previous(options.get("previous")),
            assembly=os.urandom(8).hex(),
            fenced=self._registries.fences(context_name),
        )
        tools = options.get("tools") or ()
        try:
            limits = limits_of(policy, self._registries.yardsticks, tools)
        except ContextError as error:
            raise error.at(f"context '{context.name}' policy") from None
        return Draft(context, call, limits)


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in AssembleOptions.__annotations__:
            raise InputError("unknown option", found=name, valid=AssembleOptions.__annotations__)


def _names(
    template_context: Mapping[str, Any] | None, inputs: Mapping[str, Any] | None
) -> dict[str, Any]:
    names = dict(template_context or {})
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


def _overridden(
    policy: ContextPolicySpec, model: str | None, budget: int | None
) -> ContextPolicySpec:
    """The policy with this call's model and budget in place of its own."""
    update: dict[str, Any] = {}
    if model is not None:
        update.update(model=_text("model", model), counter=None, window=None, framing=None)
    if budget is not None:
        if type(budget) is not int or budget < 1:
            raise InputError("budget must be at least 1 token", found=budget)
        update["input_budget"] = ContextBudgetSpec(max_tokens=budget)
    return policy.model_copy(update=update) if update else policy


def _history(messages: Any) -> Sequence[Message]:
    if messages is None:
        return ()
    if isinstance(messages, list | tuple):
        return messages
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InputError(
            "history must be a list of messages",
            found=type(messages).__name__,
            fix="Pass [{'role': 'user', 'content': '...'}, ...].",
        )
    return list(messages)


def _previous(given: object) -> PreviousCall | None:
    return None if given is None else previous_from(given)


def _retriever(name: str, value: Retriever | None) -> RetrieverFunction | None:
    return None if value is None else function_of(value, name)


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text", found=type(value).__name__)
    return value


def _models(models: ModelTable | Mapping[str, Any] | str | Path | None) -> ModelTable:
    if models is None:
        return ModelTable.shipped()
    if isinstance(models, ModelTable):
        return models
    if isinstance(models, str | Path):
        return ModelTable.from_file(models)
    return ModelTable.shipped().with_models(models)
