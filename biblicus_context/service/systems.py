"""The four systems over HTTP: which of their methods are served, to whom, and as whom."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from biblicus_context.base import BoundedMemory, logger
from biblicus_context.service.authentication import user_of
from biblicus_context.service.callers import Caller
from biblicus_context.service.facades import Facade
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.prime import PrimeOperations
from biblicus_context.service.problems import ProblemError, refusal
from biblicus_context.service.scopes import KeyScope
from biblicus_context.systems import learning, memory, prime, workspace

_READ, _WRITE, _ADMIN = KeyScope.READ, KeyScope.WRITE, KeyScope.ADMIN
_MOST_STORES: Final = 64
_PYTHON: Final = {
    "open": "the service opens the store", "close": "the service closes the store",
    "sync": "every route is one of the async methods",
}  # fmt: skip
_OF_RECORDS: Final = {
    **_PYTHON,
    "put": "`remember` does it", "put_many": "`remember_many` does it",
    "remove": "`forget` does it", "clear": "`forget_workspace` does it",
    "forget_workspace": "the engine's forgets what was searched as well",
    "search": "the engine's `search` has a verdict", "judged_search": "the same",
    "relevant": "the same", "search_memories": "the engine's `search` calls it",
    "clusters": "it compares all memories with each other, for as long as that takes",
    "related": "`search` with `include_relationships` returns them", "related_to": "the same",
    "get_memory_relationships": "the same", "get_relationships_of": "the same",
    "of": "it returns a corpus", "export_lines": "`page` returns them page by page",
    "import_lines": "`remember_many` writes them",
}  # fmt: skip
_READS_FOLDER: Final = "it reads a folder of the server"
_STATUSES: Final = {
    "template_not_found": 422,
    "validation_error": 422,
    "embedding_error": 502,
    "storage_error": 503,
    "search_error": 502,
}


class Systems:
    """The systems over stores in one folder, each opened when it is first asked."""

    def __init__(
        self, place: Path, on_prime: Callable[[prime.ContextMetrics], None] | None = None
    ) -> None:
        self._place, self._on_prime = place, on_prime
        self._learning = BoundedMemory[str, learning.LearningStore](_MOST_STORES)

    def operations(self) -> list[Operation]:
        """Every operation of every system."""
        made = [each for facade in self.facades() for each in facade.operations()]
        return [*made, *PrimeOperations(lambda: self.prime).all(), self._build_of_workspace()]

    def facades(self) -> Sequence[Facade]:
        """The classes whose methods are routes; a builder and prime contexts have their own."""
        return (*self._of_memory(), *self._of_workspace(), *self._of_learning())

    @cached_property
    def memory_store(self) -> memory.MemoryStore:
        """The memories of all workspaces."""
        return memory.MemoryStore.open(self._place / "memory")

    @cached_property
    def memory_engine(self) -> memory.ContextEngine:
        """What searches them."""
        # Its own log has queries: what failed is logged by its name instead.
        silent = logging.Logger("memory")
        silent.addHandler(logging.NullHandler())
        return memory.ContextEngine(self.memory_store, logger=silent)

    @cached_property
    def prime(self) -> prime.StoredService:
        """The files and messages of all users."""
        return prime.ContextAssemblyService.open(
            self._place / "prime", workspace="served", on_metrics=self._on_prime
        )

    @cached_property
    def blocks(self) -> workspace.BlockStore:
        """The blocks of all workspaces."""
        return workspace.BlockStore.open(self._place / "workspace")

    @cached_property
    def builder(self) -> workspace.ContextBuilder:
        """What builds contexts of them."""
        return workspace.ContextBuilder(self.blocks)

    def learning_store(self, caller: Caller) -> learning.LearningStore:
        """What the workspace of a caller learned."""
        name = caller.principal.workspace
        place = self._place / "learning"
        return self._learning.get_or_compute(name, lambda: learning.LearningStore.open(place, name))

    def close(self) -> None:
        """Close the stores that were opened."""
        opened = vars(self)
        for name in ("memory_store", "prime", "blocks"):
            if name in opened:
                close = opened[name].corpus.close if name == "memory_store" else opened[name].close
                close()

    def _of_memory(self) -> Sequence[Facade]:
        own: dict[str, Any] = {
            "group": "Memory",
            "path": "/v1/memory",
            "injected": {
                "workspace_id": _workspace,
                "user_id": lambda caller: caller.principal.user,
            },
        }
        text, texts = (
            Annotated[str, Field(min_length=1)],
            Annotated[list[str], Field(max_length=100)],
        )
        messages = Annotated[list[dict[str, JsonValue]], Field(min_length=1, max_length=10_000)]
        search = {"query": text, "options": SearchOptions | None, "more": None}
        build = {"query": text, "options": ContextOptions | None, "more": None}
        return (
            Facade(
                kind=memory.ContextEngine,
                instance=lambda _: self.memory_engine,
                scopes={
                    "search": _READ, "search_batch": _READ, "search_by_vector": _READ,
                    "build_context": _READ, "preview_context": _READ,
                    "build_context_by_vector": _READ,
                    # It shows what others in the workspace asked.
                    "analytics": KeyScope.INSPECT, "forget_workspace": _ADMIN,
                },
                types={
                    "search": search, "search_batch": {**search, "queries": texts},
                    "search_by_vector": {**search, "query": list[float]},
                    "build_context": build, "preview_context": build,
                    "build_context_by_vector": {**build, "query": list[float]},
                },
                leaves_out={
                    "register_ranker": "it takes a function", "register_template": "the same",
                },
                finish=_value,
                returned=_of_results,
                **own,
            ),
            Facade(
                kind=memory.MemoryStore,
                instance=lambda _: self.memory_store,
                scopes={
                    "get": _READ, "ids": _READ, "page": _READ, "remains_until": _READ,
                    "conflicts": _READ, "history": _READ, "remember_conversation": _WRITE,
                    "remember": _WRITE, "remember_many": _WRITE, "update": _WRITE,
                    "forget": _WRITE, "relate": _WRITE, "embed_waiting": _WRITE,
                    "forget_user": _WRITE, "purge": _ADMIN,
                },
                types={
                    "get": {"ids": list[str]}, "forget": {"ids": list[str]},
                    "remember_many": {"models": list[memory.Memory], "remove": list[str]},
                    "remember": {"replaces": list[str]},
                    "remember_conversation": {"messages": messages, "extract": None},
                },
                answers={"get": list[memory.Memory]},
                leaves_out=_OF_RECORDS,
                **own,
            ),
        )  # fmt: skip

    def _of_workspace(self) -> Sequence[Facade]:
        readers = dict.fromkeys(
            ("grant", "revoke", "make_private", "make_public", "inherit_readers", "readers_of",
             "allow_models", "keep_from_models", "audit", "forget_audit", "delete_workspace",
             "purge"), _ADMIN,
        )  # fmt: skip
        writes = ("put_block", "move_block", "delete_block", "forget_blocks", "link",
                  "record_edit", "record_view")  # fmt: skip
        reads = ("get_blocks", "list_blocks", "remains_until")
        named = {"users": list[str], "groups": list[str]}
        return (
            Facade(
                kind=workspace.BlockStore,
                group="Workspace",
                path="/v1/workspace",
                instance=lambda _: self.blocks,
                scopes={**dict.fromkeys(reads, _READ), **dict.fromkeys(writes, _WRITE), **readers},
                injected={"workspace": _workspace, "user": _user},
                types={
                    **dict.fromkeys(("grant", "revoke", "make_private"), named),
                    "audit": {"user": None},  # who may ask sees the changes of everybody
                },
                leaves_out={
                    **_PYTHON,
                    "import_markdown": _READS_FOLDER,
                    "import_notion": _READS_FOLDER,
                },
            ),
        )

    def _of_learning(self) -> Sequence[Facade]:
        own: dict[str, Any] = {"group": "Learning", "path": "/v1/learning", "injected": {}}
        searches = ("memories", "code", "experiences", "values", "commits")
        records = [f"{verb}_{noun}" for verb in ("record", "forget")
                   for noun in ("memory", "experience", "value")]  # fmt: skip
        by_search = dict.fromkeys((f"search_{name}" for name in searches), "a searcher has it")
        return (
            Facade(
                kind=learning.Searcher,
                instance=self.learning_store,
                scopes={f"search_{name}": _READ for name in searches},
                **own,
            ),
            Facade(
                kind=learning.LearningStore,
                instance=self.learning_store,
                scopes={
                    **dict.fromkeys(records, _WRITE), "derive_values": _WRITE,
                    "embed_waiting": _WRITE, "remains_until": _READ, "purge": _ADMIN,
                    "domains": _READ, "strategies": _READ, "search_principles": _READ,
                    "list_memories": _READ, "list_experiences": _READ, "list_values": _READ,
                    "list_code": _READ, "forget": _WRITE, "forget_code": _WRITE,
                    "forget_workspace": _ADMIN,
                },
                leaves_out={
                    **_PYTHON, **by_search, "with_floor": "it returns another store", "searcher": "it returns what searches",
                    "index_code": _READS_FOLDER, "index_commits": _READS_FOLDER,
                },
                **own,
            ),
            Facade(
                kind=learning.ContextAssembler,
                instance=lambda caller: learning.ContextAssembler(
                    self.learning_store(caller).searcher()
                ),
                scopes={"assemble_context": _READ, "get_premortem_context": _READ},
                types={"assemble_context": {"context_types": list[str]}},
                leaves_out={"sync": _PYTHON["sync"]},
                **own,
            ),
        )  # fmt: skip

    def _build_of_workspace(self) -> Operation:
        async def build(call: OperationCall) -> WorkspaceContext:
            body: BuildBody = call.body
            given = {name: getattr(body, name) for name in body.model_fields_set - {"validate_now"}}
            request = workspace.ContextRequest(user=_user(call.caller), **given)
            payload = await self.builder.build(request)
            found = self.builder.validate(payload) if body.validate_now else None
            return WorkspaceContext(
                serialized=payload.serialized,
                total_tokens=payload.metadata.total_tokens,
                blocks_included=payload.metadata.blocks_included,
                blocks_considered=payload.metadata.blocks_considered,
                collectors_used=[*payload.metadata.collectors_used],
                timestamp=payload.metadata.timestamp,
                sections=[
                    WorkspaceSection(
                        type=each.type,
                        title=each.title,
                        token_count=each.token_count,
                        items=[WorkspaceItem.model_validate(item) for item in each.items],
                    )
                    for each in payload.sections
                ],
                problems=None if found is None else [*found.problems],
            )

        return Operation(
            name="workspace_build",
            method="POST",
            path="/v1/workspace/build",
            group="Workspace",
            scope=_READ,
            summary="What a model needs for a request, within its budget, of what its user may read.",
            body=BuildBody,
            answer=WorkspaceContext,
            work=build,
        )


class SearchOptions(memory.SearchOptions):
    """Which memories are searched, and in what order they come."""

    ranker: str = "default"
    history: list[dict[str, JsonValue]] = Field(default=[], max_length=10_000)


class ContextOptions(memory.ContextOptions):
    """The same, and how they are written; without a `limit` they fill the budget."""

    ranker: str = "default"
    history: list[dict[str, JsonValue]] = Field(default=[], max_length=10_000)
    template: str | None = None


class MemoriesFound(BaseModel):
    """The memories that match, best first, and whether any of them is relevant."""

    verdict: str = Field(description="`found`, `weak`, or `nothing` where nothing is relevant.")
    because: str = Field(default="", description="Where nothing is: the figures.")
    results: list[memory.SearchResult]


class BuildBody(BaseModel):
    """A request of a user of a workspace; the key says which user."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1)
    type: Literal["assist", "chat", "search", "automate"] = "assist"
    focus: workspace.Focus | None = None
    conversation_history: list[dict[str, JsonValue]] = Field(default=[], max_length=10_000)
    token_budget: workspace.TokenBudget | None = None
    hints: workspace.ContextHints | None = None
    validate_now: bool = Field(default=False, description="Whether `problems` are looked for, too.")


class WorkspaceItem(BaseModel):
    """A block, or a part of one, as it is placed."""

    model_config = ConfigDict(from_attributes=True)

    block_id: str
    block_type: str
    content: str
    relevance: float
    page_title: str
    path: tuple[str, ...]
    last_modified: AwareDatetime | None


class WorkspaceSection(BaseModel):
    """What one collector found."""

    type: str
    title: str
    token_count: int
    items: list[WorkspaceItem]


class WorkspaceContext(BaseModel):
    """A context of a workspace; `serialized` is what to send."""

    serialized: str
    total_tokens: int
    blocks_included: int
    blocks_considered: int
    collectors_used: list[str]
    timestamp: AwareDatetime
    sections: list[WorkspaceSection]
    problems: list[str] | None = Field(default=None, description="What is wrong, if asked for.")


def _workspace(caller: Caller) -> str:
    return caller.principal.workspace


def _user(caller: Caller) -> workspace.User:
    who = caller.principal
    return workspace.User(user_of(caller), who.workspace, frozenset(who.groups))


def _value(value: Any) -> Any:
    """What a method returned, without the outcome around it; a failure ends the request."""
    if isinstance(value, memory.Err):
        raise _failed(value.error)
    if isinstance(value, memory.Ok):
        return _value(value.value)
    if isinstance(value, memory.FoundMemories):
        because = value.relevance.text if value.relevance is not None else ""
        return MemoriesFound(verdict=value.verdict, because=because, results=[*value])
    return [_value(each) for each in value] if isinstance(value, list) else value


def _failed(failure: memory.Failure) -> ProblemError:
    named = failure.type.replace("_", " ")
    status, title = _STATUSES[failure.type], failure.message or named
    if status >= 500:
        logger("service").error("memory: %s", named)
    return refusal(status, title, name=named, valid=failure.available)


def _of_results(annotation: Any) -> Any:
    """The type of the value of an outcome."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        return list[_of_results(arguments[0])]  # type: ignore[misc]
    if memory.Err in arguments:
        return _of_results(get_args(arguments[0])[0])
    return MemoriesFound if annotation is memory.FoundMemories else annotation
