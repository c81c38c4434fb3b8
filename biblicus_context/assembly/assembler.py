"""The assembler: declarations in, model calls out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from biblicus_context.assembly.arguments import (
    AssembleOptions,
    function_from,
    history_from,
    models_from,
    names_from,
    parallel_from,
    policy_from,
    previous_call_from,
    refuse_unknown,
    registry_from,
    retriever_from,
    text_from,
    tools_from,
)
from biblicus_context.assembly.call import Call, Message, Retriever
from biblicus_context.assembly.compaction import Compaction
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import Yardsticks, limits_of
from biblicus_context.assembly.pipeline import assembled
from biblicus_context.assembly.queries.rewriting import QueryRewriter, rewriting_from
from biblicus_context.assembly.registries import (
    Registries,
    contexts_from,
    corpora_from,
    functions_from,
    is_function,
    over_corpora,
    policies_from,
    retrievers_from,
)
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.place import place
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.threads import run
from biblicus_context.errors import ContextError
from biblicus_context.spec.policy import ContextPolicySpec
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.embedders import KeyHosts
    from biblicus_context.stores import Principal

_MOST_SUMMARIES: Final = 512


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
        query_rewriter: QueryRewriter | None = None,
        query_rewriter_timeout: float | None = 10.0,
    ) -> None:
        retrievers, functions = retrievers_from(
            registry_from("retriever_registry", retriever_registry)
        )
        corpora = corpora_from(registry_from("corpus_registry", corpus_registry))
        table = models_from(models)
        known_counters = Counters(registry_from("counters", counters), table)
        self._registries = Registries(
            contexts=contexts_from(registry_from("context_registry", context_registry)),
            retrievers=retrievers,
            functions={
                **functions,
                **functions_from(registry_from("retriever_functions", retriever_functions)),
            },
            corpora=corpora,
            policies=policies_from(registry_from("policy_registry", policy_registry)),
            yardsticks=Yardsticks(
                counters=known_counters,
                models=table,
                compactors=Compaction(
                    registry_from("compactor_registry", compactor_registry),
                    function_from("summarizer", summarizer),
                ),
                conversation=Conversation(),
            ),
            summaries=BoundedMemory(_MOST_SUMMARIES),
            default_retriever=retriever_from("default_retriever", default_retriever),
            parallel=parallel_from(parallel),
            rewriting=rewriting_from(query_rewriter, query_rewriter_timeout),
            over_corpora=over_corpora(
                retrievers,
                corpora,
                principal,
                registry_from("retrieval_parts", retrieval_parts),
                known_counters,
                allow_keys,
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
        refuse_unknown(options)
        context = self._registries.context(text_from("context_name", context_name))
        names = names_from(template_context, options.get("inputs"))
        policy = self._registries.policy(context) or ContextPolicySpec()
        policy = policy_from(policy, options.get("model"), options.get("budget"))
        history = options.get("history")
        call = Call(
            names=self._registries.inputs(context, names),
            history=history_from(history_messages if history is None else history),
            user_message=text_from("user_message", user_message),
            base_system_prompt=text_from("base_system_prompt", base_system_prompt),
            retriever=retriever_from("retriever_override", retriever_override),
            previous=previous_call_from(options.get("previous")),
            assembly=os.urandom(8).hex(),
            fenced=self._registries.fences(context_name),
        )
        tools = tools_from(options.get("tools"))
        try:
            limits = limits_of(policy, self._registries.yardsticks, tools)
        except ContextError as error:
            raise error.at(f"context '{context.name}' policy") from None
        return Draft(context, call, limits)
