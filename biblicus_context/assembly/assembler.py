"""The assembler: declarations in, model calls out."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, Unpack

from biblicus_context.assembly.arguments import (
    AssembleOptions,
    call_retrievers_from,
    function_from,
    history_from,
    index_from,
    models_from,
    names_from,
    now_from,
    observers_from,
    parallel_from,
    policy_from,
    previous_call_from,
    refuse_unknown,
    registry_from,
    retriever_from,
    text_from,
    tools_from,
)
from biblicus_context.assembly.call import Call, ClientMessage, Message, Retriever
from biblicus_context.assembly.changed_settings import with_settings
from biblicus_context.assembly.combinations import Combinations, with_inline_sources
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.given_formats import with_formats
from biblicus_context.assembly.given_shares import with_shares
from biblicus_context.assembly.limits import Limits, Yardsticks
from biblicus_context.assembly.pipeline import assembled
from biblicus_context.assembly.queries.rewriting import QueryRewriter, rewriting_from
from biblicus_context.assembly.registries import (
    IndexWhen,
    Registries,
    contexts_from,
    corpora_from,
    formats_from,
    functions_from,
    is_function,
    over_corpora,
    policies_from,
    retrievers_from,
    with_passed,
)
from biblicus_context.assembly.reporting import Observer, reported
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.retrieving import retrieved
from biblicus_context.assembly.steps.place import place
from biblicus_context.assembly.wanted_inputs import wanted_inputs
from biblicus_context.assembly.warming import warm_up
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effectful
from biblicus_context.base.threads import run
from biblicus_context.base.tracing import traced_as
from biblicus_context.errors import InputError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.spec.context import ContextDeclaration, InputSpec
from biblicus_context.spec.policy import ContextPolicySpec
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counter, CounterLike, Counters
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.corpora import Corpus
    from biblicus_context.embedders import KeyHosts
    from biblicus_context.reading import Project
    from biblicus_context.stores import Principal

T = TypeVar("T")

_MOST_SUMMARIES: Final = 512
_DECLARED: Final[Mapping[str, Callable[[Project], Mapping[str, Any]]]] = {
    "context_registry": lambda project: project.contexts,
    "retriever_registry": lambda project: project.retrievers,
    "corpus_registry": lambda project: project.corpora,
    "compactor_registry": lambda project: project.compactors,
    "policy_registry": lambda project: project.policies,
    "format_registry": lambda project: project.formats,
}


@door
class ContextAssembler:
    """Assembles declared contexts; registries are typed once, here.

    >>> assembler = ContextAssembler({"hello": {"messages": [{"type": "system", "content": "Hi."}]}})
    >>> assembler
    ContextAssembler(contexts=['hello'])
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
        format_registry: Mapping[str, Any] | None = None,
        retriever_functions: Mapping[str, Retriever] | None = None,
        counters: Mapping[str, CounterLike] | None = None,
        models: ModelTable | Mapping[str, Any] | str | Path | None = None,
        summarizer: Any = None,
        principal: Principal | None = None,
        retrieval_parts: Mapping[str, Mapping[str, Any]] | None = None,
        allow_keys: KeyHosts | None = None,
        parallel: bool | None = None,
        observers: Sequence[Observer] = (),
        index: IndexWhen = "never",
        query_rewriter: QueryRewriter | None = None,
        query_rewriter_timeout: float | None = 10.0,
        corpora: Mapping[str, Corpus] | None = None,
    ) -> None:
        """Type the registries; an entry is a declaration, a mapping, or an object with its attributes.

        Args:
            context_registry: Contexts by name.
            retriever_registry: Retrievers by name: declarations, callables, or retrievers of LangChain,
                LlamaIndex and Haystack.
            corpus_registry: Corpora by name.
            compactor_registry: Compactors by name: declarations, objects with `compact`, callables.
            default_retriever: Answers for retrievers that have no callable and no corpus.
            policy_registry: Policies by name.
            format_registry: Formats by name.
            retriever_functions: Callables by name, for retrievers whose settings are declared elsewhere.
            counters: Counters by name: objects or callables.
            models: A `ModelTable`, a mapping of models, or the path of a file.
            summarizer: The callable that `{type: summarize}` uses.
            principal: The user for whom declared corpora are searched.
            retrieval_parts: Parts that settings of retrievers can name, by family and name.
            allow_keys: Servers that a declared embedder may send a key to: `{"MY_KEY": "host"}`.
            parallel: True calls sync retrievers in threads, at the same time; False never does; None
                does only in `aassemble`, to keep the event loop free.
            observers: Callables that get the receipt of each result. One that raises is logged, and
                the result is returned all the same.
            query_rewriter: Turns the query of each retriever into a better one, for example by a model.
            query_rewriter_timeout: Seconds after which the query stays as it is; None waits for ever.
            index: Whether indexes of declared corpora are made now: "never"; "missing", where there
                is none; or "stale", also where files have changed.
            corpora: Open corpora by name, which take the place of declared ones: what a program
                writes to them and what plans read share one store and one embedder.
        """
        self._given = {name: each for name, each in locals().items() if name != "self"}
        retrievers, functions = retrievers_from(
            registry_from("retriever_registry", retriever_registry)
        )
        retrievers = with_inline_sources(retrievers)
        functions |= functions_from(registry_from("retriever_functions", retriever_functions))
        contexts = contexts_from(registry_from("context_registry", context_registry))
        added_parts = registry_from("retrieval_parts", retrieval_parts)
        passed = registry_from("corpora", corpora)
        declared = with_passed(
            corpora_from(registry_from("corpus_registry", corpus_registry)), passed
        )
        table = models_from(models)
        yardsticks = Yardsticks(
            counters=Counters(registry_from("counters", counters), table),
            models=table,
            compactors=Compaction(
                registry_from("compactor_registry", compactor_registry),
                function_from("summarizer", summarizer),
            ),
            conversation=Conversation(),
        )
        self._observers = observers_from(observers)
        self._registries = Registries(
            contexts=contexts,
            retrievers=retrievers,
            functions=functions,
            corpora=declared,
            policies=policies_from(registry_from("policy_registry", policy_registry)),
            formats=formats_from(registry_from("format_registry", format_registry)),
            yardsticks=yardsticks,
            summaries=BoundedMemory(_MOST_SUMMARIES),
            default_retriever=retriever_from("default_retriever", default_retriever),
            combinations=Combinations(
                retrievers, functions, contexts, added_parts, yardsticks.compactors
            ),
            parallel=parallel_from(parallel),
            rewriting=rewriting_from(query_rewriter, query_rewriter_timeout),
            over_corpora=over_corpora(
                retrievers,
                declared,
                principal,
                added_parts,
                allow_keys,
                index_from(index),
                passed,
                yardsticks=yardsticks,
            ),
        )
        self._registries.compile()

    @classmethod
    def from_path(
        cls,
        path: str | Path,
        *more: str | Path,
        index: IndexWhen = "never",
        retriever_settings: Mapping[str, Mapping[str, Any]] | None = None,
        **registries: Any,
    ) -> Self:
        """An assembler for the declarations in files or folders, and what Python adds to them.

        A callable under the name of a declared retriever is called with its declared settings.

        Args:
            path: A file or a folder of plans.
            *more: More of them.
            index: Whether indexes of the declared corpora are made now: "never"; "missing", where
                there is none; or "stale", also where files have changed.
            retriever_settings: Settings of declared retrievers that are changed, by name, such as
                `{"kb_search": {"limit": 5}}`; mappings are merged key by key.
            **registries: The other arguments of `ContextAssembler`, such as `default_retriever`. An
                entry replaces the declaration of its name in a file.
        """
        from biblicus_context.reading import load_project  # a fifth of the start, only for files

        given = {
            name: registry_from(name, registries.pop(name, None))
            for name in (*_DECLARED, "retriever_functions")
        }
        passed = [*given.values(), registry_from("corpora", registries.get("corpora"))]
        project = load_project(path, *more, also={name for each in passed for name in each})
        functions = {
            **{
                name: entry
                for name, entry in given["retriever_registry"].items()
                if name in project.retrievers and is_function(entry)
            },
            **given["retriever_functions"],
        }
        for registry, entries in _DECLARED.items():
            added = {name: each for name, each in given[registry].items() if name not in functions}
            registries[registry] = {**entries(project), **added}
        registries["retriever_registry"] = with_settings(
            registries["retriever_registry"], retriever_settings
        )
        return cls(**registries, retriever_functions=functions, index=index)

    def for_principal(self, principal: Principal) -> Self:
        """The same assembler, with declared corpora read as another principal.

        It shares everything that was compiled and opened, and costs next to nothing: a server makes
        one for each request. Retrievers that Python passed are the same for everybody.
        """
        found = object.__new__(type(self))  # `copy` would make it anew, as a pickle does
        vars(found).update(vars(self))
        found._registries = self._registries.for_principal(principal)
        found._given = {**self._given, "principal": principal}
        return found

    def replace(self, **arguments: Any) -> Self:
        """The same assembler with some other arguments.

        It costs as much as a new one: declared corpora are opened again, and texts compiled again.

        >>> assembler = ContextAssembler({"hello": {"messages": [{"type": "user", "content": "Hi."}]}})
        >>> assembler.replace(counters={"o200k_base": len}).assemble("hello").token_count
        3
        """
        return type(self)(**{**self._given, "index": "never", **arguments})

    def __reduce__(self) -> tuple[Any, ...]:
        """What was passed to it travels to another process, which opens its own files and caches.

        Indexes were made here; callables travel if they are functions of a module.
        """
        for name, given in self._given.items():
            _require_picklable(name, given)
        return _made_again, (type(self), {**self._given, "index": "never"})

    @property
    def contexts(self) -> Mapping[str, ContextDeclaration]:
        """The declared contexts by name.

        >>> [*ContextAssembler({"hello": {"messages": []}}).contexts]
        ['hello']
        """
        return MappingProxyType(self._registries.contexts)

    def inputs(self, context_name: str) -> Mapping[str, InputSpec]:
        """The inputs of a context by name: those it declares, else those that its texts use.

        >>> plan = {"messages": [{"type": "user", "content": "{input.question}"}]}
        >>> ContextAssembler({"ask": plan}).inputs("ask")["question"].required
        True
        """
        return wanted_inputs(text_from("context_name", context_name), self._registries)

    def warm_up(self, *, freeze: bool = False) -> None:
        """Load now what the first call would wait for, and report now what it would fail for.

        It checks every context, and loads vocabularies, templates, compactors, indexes of corpora and
        their embedders. Retrievers with a method `warm_up` are warmed up too. Call it when a server
        starts.

        With `freeze`, the collector of garbage no longer goes through what is there now, in the whole
        process (`gc.freeze`): for a server that has loaded what it keeps.
        """
        warm_up(self._registries)
        if freeze:
            gc.collect()
            gc.freeze()

    def counter(self, context_name: str, model: str | None = None) -> Counter:
        """What counts the tokens of a context, for the model of its policy or for another one.

        >>> ContextAssembler({"hello": {"messages": []}}).counter("hello", "gpt-4").name
        'cl100k_base'
        """
        context = self._registries.context(text_from("context_name", context_name))
        policy = self._registries.policy(context) or ContextPolicySpec()
        return self._registries.limits_under(policy_from(policy, model, None), context, ()).counter

    def __repr__(self) -> str:
        named = {
            "contexts": self._registries.contexts,
            "retrievers": self._registries.retrievers,
            "corpora": self._registries.corpora,
        }
        said = (f"{noun}={[*entries]}" for noun, entries in named.items() if entries)
        return f"{type(self).__name__}({', '.join(said)})"

    def assemble(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message | ClientMessage] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> ContextAssemblyResult:
        """Assemble one model call.

        >>> plan = {
        ...     "messages": [
        ...         {"type": "system", "content": "You are a support agent for {input.product}."},
        ...         {"type": "history"},
        ...         {"type": "user", "content": "{input.question}"},
        ...     ]
        ... }
        >>> result = ContextAssembler({"support": plan}).assemble(
        ...     "support",
        ...     inputs={"product": "lamps", "question": "Where is my order?"},
        ...     history=[{"role": "user", "content": "Hello."}],
        ...     budget=1000,
        ... )
        >>> result.system_prompt, result.user_message, result.token_count
        ('You are a support agent for lamps.', 'Where is my order?', 15)

        Args:
            context_name: The context to assemble, such as `"support"`.
            base_system_prompt: Text that the default plan places first, and other plans where a
                directive has `base: true`, such as `"You are kind."`.
            history_messages: The messages so far, oldest first, such as
                `[{"role": "user", "content": "Hello."}]`, or messages of OpenAI's, Anthropic's or
                Google's SDK, of LangChain or pydantic-ai as they are. They are never changed.
            user_message: The user message, where the plan has no user text, such as `"Why?"`.
            template_context: All names that texts can use, such as `{"input": {"product": "lamps"}}`.
            retriever_override: Answers for all retrievers in this call, such as
                `lambda request: ["Parcels take three days."]`.
            **options: Any of the following.
                `inputs`: short for `template_context={"input": inputs}`, such as `{"product": "lamps"}`.
                `history`: short for `history_messages`.
                `retrievers`: callables for declared retrievers in this call, by name, such as
                `{"kb": lambda request: ["Parcels take three days."]}`.
                `tools`: tool definitions that you send with the messages, such as
                `[{"type": "function", "function": {"name": "track"}}]`; their tokens come off the budget.
                `model`: replaces the policy's model, such as `"gpt-4o"`; None is the policy's.
                `budget`: replaces the policy's input budget, in tokens, such as `8000`.
                `shares`: replaces the budgets of packs and of the history, in tokens, such as
                `{"kb_search": 3000, "history": 0}`; 0 leaves one out.
                `formats`: replaces the formats of packs, by name, such as `{"kb": "chat"}` or
                `{"kb": {"item": "- {content}"}}`.
                `now`: the moment that recency and relative times such as `within: 72h` are measured from,
                such as `datetime(2026, 5, 1, tzinfo=UTC)`; the current time by default.
                `previous`: the result of the previous call, or its JSON: this call begins as that one
                did, as long as that fits.

        Returns:
            What to send, its tokens, and the receipt.

        Raises:
            BudgetError: What cannot shrink does not fit.
            InputError: An argument or an input is missing or wrong.
            RetrieverError: A retriever failed, and its pack is not `on_error: skip`.
            PlanError: The declarations are contradictory, or a name is not declared.
        """
        draft = self._draft(
            context_name,
            base_system_prompt,
            history_messages,
            user_message,
            template_context,
            retriever_override,
            **options,
        )
        with self._traced(context_name):
            return run(self._assembled(draft))

    async def aassemble(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message | ClientMessage] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> ContextAssemblyResult:
        """Assemble one model call; retrievers, compactors and observers that are async are awaited.

        The arguments, the result and the errors are those of `assemble`.
        """
        draft = self._draft(
            context_name,
            base_system_prompt,
            history_messages,
            user_message,
            template_context,
            retriever_override,
            **options,
        )
        with self._traced(context_name):
            return await _awaited(self._assembled(draft))

    def retrieve(
        self,
        retriever_name: str,
        query: str,
        *,
        inputs: Mapping[str, Any] | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> ContextPack:
        """What a retriever of the registry finds, combined or not, without a context around it.

        >>> assembler = ContextAssembler(
        ...     {},
        ...     {
        ...         "all": {"config": {"retriever_id": "combined", "of": ["notes", "mail"]}},
        ...         "notes": lambda request: ["A note."],
        ...         "mail": lambda request: ["A letter."],
        ...     },
        ... )
        >>> [block.text for block in assembler.retrieve("all", "What is new?").blocks]
        ['A note.', 'A letter.']

        Args:
            retriever_name: The retriever, such as `"kb_search"`.
            query: The query of retrievers without a query template, such as `"Who returns shoes?"`.
            inputs: Values for placeholders in query templates and settings.
            limit: Replaces the retriever's limit of blocks.
            max_tokens: The share that the answer has to fit into.
        """
        return run(self._retrieved(retriever_name, query, inputs, limit, max_tokens))

    async def aretrieve(
        self,
        retriever_name: str,
        query: str,
        *,
        inputs: Mapping[str, Any] | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> ContextPack:
        """The same as `retrieve`; retrievers that are async are awaited."""
        return await _awaited(self._retrieved(retriever_name, query, inputs, limit, max_tokens))

    def _retrieved(
        self,
        name: str,
        query: str,
        inputs: Mapping[str, Any] | None,
        limit: int | None,
        max_tokens: int | None,
    ) -> Effectful[ContextPack]:
        return retrieved(
            self._registries,
            text_from("retriever_name", name),
            text_from("query", query),
            registry_from("inputs", inputs),
            limit=limit,
            max_tokens=max_tokens,
        )

    def _traced(self, context_name: str) -> AbstractContextManager[None]:
        """A span for an assembly, where an observer makes spans."""
        tracing = next(filter(None, (each.tracing for each in self._observers)), None)
        if tracing is None:
            return nullcontext()
        return traced_as(tracing, "assemble", {"context": context_name})

    def _assembled(self, draft: Draft) -> Effectful[ContextAssemblyResult]:
        result = place((yield from assembled(draft, self._registries)))
        yield from reported(result, self._observers)
        return result

    def _draft(
        self,
        context_name: str,
        base_system_prompt: str = "",
        history_messages: Sequence[Message | ClientMessage] = (),
        user_message: str | None = None,
        template_context: Mapping[str, Any] | None = None,
        retriever_override: Retriever | None = None,
        **options: Unpack[AssembleOptions],
    ) -> Draft:
        registries = self._registries
        context = registries.context(text_from("context_name", context_name))
        limits = None
        if options:
            refuse_unknown(options, lambda: wanted_inputs(context_name, registries))
            context = with_shares(context, options.get("shares"))
            context = with_formats(context, options.get("formats"))
            limits = self._changed_limits(context, options)
        names = names_from(template_context, options.get("inputs"))
        history = options.get("history")
        call = Call(
            names=registries.inputs(context, names),
            now=now_from(options.get("now")),
            history=history_from(history_messages if history is None else history),
            user_message=text_from("user_message", user_message),
            base_system_prompt=text_from("base_system_prompt", base_system_prompt),
            retriever=retriever_from("retriever_override", retriever_override),
            retrievers=call_retrievers_from(options.get("retrievers"), registries.retrievers),
            previous=previous_call_from(options.get("previous")),
            assembly=os.urandom(8).hex(),
            fenced=registries.fences(context_name, context),
        )
        return Draft(context, call, limits or registries.limits(context_name))

    def _changed_limits(
        self, context: ContextDeclaration, options: AssembleOptions
    ) -> Limits | None:
        """The limits where this call changes them."""
        model, budget = options.get("model"), options.get("budget")
        tools = tools_from(options.get("tools"))
        if model is None and budget is None and not tools:
            return None
        declared = self._registries.policy(context) or ContextPolicySpec()
        policy = policy_from(declared, model, budget)
        return self._registries.limits_under(policy, context, tools)


def _made_again(kind: type[ContextAssembler], given: Mapping[str, Any]) -> ContextAssembler:
    return kind(**given)


def _require_picklable(name: str, given: object) -> None:
    import pickle  # few assemblers are sent to another process

    try:
        pickle.dumps(given)
    except Exception as error:
        fix = "Make the assembler in each process, or pass functions that a module defines by name."
        problem = f"this cannot be sent to another process: {error}"
        raise InputError(problem, place=name, fix=fix) from error


async def _awaited(computation: Effectful[T]) -> T:
    from biblicus_context.base.tasks import arun  # asyncio is a tenth of the start

    return await arun(computation)
