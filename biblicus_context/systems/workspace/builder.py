"""The context builder: a request in, a payload out; what goes where is declared in the plan."""

from __future__ import annotations

from asyncio import to_thread
from collections import Counter as Counts
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, get_args

import biblicus_context as engine
from biblicus_context.base import door, require
from biblicus_context.reading import shipped_plan
from biblicus_context.stores import Document, Filters, StoreError
from biblicus_context.systems.workspace import models
from biblicus_context.systems.workspace.block_store import BlockStore
from biblicus_context.systems.workspace.record_tree import RecordTree
from biblicus_context.text import Counters

_COLLECTORS: Final = get_args(models.Collector)
_TITLES: Final = ("Focused Content", "Related Content", "Connected Items", "Recent Activity")
_BOUNDS: Final = {"start": "from", "end": "before"}  # as filters name them
_ATTEMPTS: Final = 5
_NOBODY: Final = engine.Principal("nowhere", user="nobody")
_COMPACTORS: Final = {"keep_start": "truncate", "keep_end": "tail"}


@door
class ContextBuilder:
    """Builds contexts about a workspace of blocks, each for one user and within one budget."""

    def __init__(
        self,
        store: BlockStore,
        config: models.ContextConfig | None = None,
        *,
        plan: str | Path | None = None,
        **options: Any,
    ) -> None:
        """`plan` may be a changed copy of the shipped one; `options` are those of an assembler."""
        require(BlockStore, "Pass BlockStore.open(...).", store=store)
        config = config or models.ContextConfig()
        self._store, self._config = store, config
        self._counter = Counters().get(config.model)
        cut = _COMPACTORS.get(config.truncation, config.truncation)
        shorten = {"type": "long_only", "compactor": cut, "characters": config.min_content_length}
        self._assembler = engine.ContextAssembler.from_path(
            plan or shipped_plan("workspace"),
            corpora={"blocks": store.corpus},
            retriever_settings=_settings(config),
            compactor_registry={"shorten": shorten},
            **options,
        )
        if plan is not None or config != models.ContextConfig():
            self._check()

    def _check(self) -> None:
        """Build a context of an empty workspace: a wrong setting is an error here, and not in a call."""
        empty = self._assembler.replace(observers=()).for_principal(_NOBODY)
        request = models.ContextRequest(query="settings", user=models.User("nobody", "nowhere"))
        inputs = _inputs(request, self._config.token_budget)
        empty.assemble("workspace", inputs=inputs, model=self._config.model)

    async def build(self, request: models.ContextRequest) -> models.ContextPayload:
        """What a model needs for a request, within its budget, of what its user may read.

        Of what is hidden or deleted while it is built nothing is in it: it is built again then. A focus
        and included blocks that are not there, or that the user may not read, are left out and named in
        `metadata.unknown`: a page that a colleague deletes does not end a chat about it.
        """
        require(models.ContextRequest, "Pass ContextRequest(...).", request=request)
        asked, known = request, set[str]()
        for _ in range(_ATTEMPTS):
            version = await to_thread(self._version, request.user)
            request, unknown = await to_thread(self._without_unknown, asked)
            try:
                payload = await self._built(request, unknown)
            except engine.RetrieverError:
                if await to_thread(self._version, asked.user) == version:
                    raise
                continue  # what it is about is hidden or deleted since
            # What was not there before it was built cannot have been read: it is of another corpus.
            lost = await to_thread(self._lost, payload, version) - known
            if not lost:
                return payload
            known |= lost
        problem = (
            f"what user '{request.user.id}' may read changed while it was read, {_ATTEMPTS} times"
        )
        raise StoreError(problem, fix="Ask again.")

    def _without_unknown(
        self, request: models.ContextRequest
    ) -> tuple[models.ContextRequest, tuple[str, ...]]:
        """The request about what its user may read, and what it names besides that, by field."""
        focus, hints = request.focus or models.Focus(), request.hints or models.ContextHints()
        named = {f"focus.{name}": each for name, each in focus if each is not None}
        included = {
            f"hints.include_blocks[{n}]": each for n, each in enumerate(hints.include_blocks)
        }
        if not named and not included:
            return request, ()
        index = self._store.corpus.for_principal(request.user.principal).index
        ids = [*{*named.values(), *included.values()}]
        known = set[str]()
        if not index.is_awaited:
            with index.view() as view:
                known = {each.id for each in view.documents(ids)}
                paths = (each for each in ids if each not in known)
                known |= {
                    each
                    for each in paths
                    if view.list_documents(filters=Filters(paths=(each,)), limit=1)
                }
        unknown = {
            place: each for place, each in {**named, **included}.items() if each not in known
        }
        if not unknown:
            return request, ()
        kept = {name: each if each in known else None for name, each in focus}
        blocks = [each for each in hints.include_blocks if each in known]
        changed = {
            "focus": models.Focus(**kept),
            "hints": hints.model_copy(update={"include_blocks": blocks}),
        }
        said = tuple(f"{place}: {each}" for place, each in unknown.items())
        return request.model_copy(update=changed), said

    async def _built(
        self, request: models.ContextRequest, unknown: tuple[str, ...]
    ) -> models.ContextPayload:
        budget, spent = request.token_budget or self._config.token_budget, 0
        assembler = self._assembler.for_principal(request.user.principal)
        while True:
            result = await assembler.aassemble(
                "workspace",
                inputs=_inputs(request, budget),
                history=request.conversation_history,
                budget=budget.total - spent,
                shares=self._shares(budget, request.hints or models.ContextHints()),
                model=self._config.model,
            )
            tokens = self._counter.count(result.as_text())
            if tokens <= budget.total:
                break
            spent += tokens - budget.total  # as one text, a turn may take more than as a message
        sections = await to_thread(lambda: [*self._sections(result, request.user)])
        parts = [part for part in result.receipt.parts if part.name in _COLLECTORS]
        used = tuple(part.name for part in parts if part.requests)
        included = len({each.document for each in result.citations})
        considered = len({block.id for part in parts for block in part.blocks})
        now = datetime.now(UTC)
        metadata = models.ContextMetadata(
            tokens, request, budget, now, used, included, considered, unknown
        )
        return models.ContextPayload(sections, metadata, result.as_text(), result)

    def _version(self, user: models.User) -> int:
        index = self._store.corpus.for_principal(user.principal).index
        return 0 if index.is_awaited else index.state.version

    def _lost(self, payload: models.ContextPayload, version: int) -> set[str]:
        """What was offered, and its user may no longer read, or not under the title that it was placed with."""
        user, result = payload.metadata.request.user, payload.result
        if self._version(user) == version:  # nobody wrote meanwhile
            return set()
        parts = [part for part in result.receipt.parts if part.name in _COLLECTORS]
        offered = {block.id for part in parts for block in part.blocks}
        contained = {name for each in result.citations for name in each.contains}
        with self._store.corpus.for_principal(user.principal).index.view() as view:
            titles = {each.block.id: each.document.title for each in view.evidence([*offered])}
            inside = {each.id for each in view.documents([*contained])}
        renamed = {
            f"{each.evidence} {each.title}"
            for each in result.citations
            if titles.get(each.evidence) != (each.title or "")
        }
        return renamed | (offered - titles.keys()) | (contained - inside)

    def estimate_tokens(self, payload: models.ContextPayload) -> int:
        """The tokens of the serialised text: a count, no estimate."""
        return self._counter.count(payload.serialized)

    def validate(self, payload: models.ContextPayload) -> models.ContextValidationResult:
        """What is wrong now: with its budget, what its user may read, repetition, and content."""
        return models.ContextValidationResult(not (found := (*self._problems(payload),)), found)

    def _problems(self, payload: models.ContextPayload) -> Iterator[str]:
        user, budget = payload.metadata.request.user, payload.metadata.budget.total
        if (tokens := self.estimate_tokens(payload)) > budget:
            yield f"budget: {tokens} tokens of {budget}"
        found = [item for each in payload.sections if each.title for item in each.items]
        yield from ["empty: no block was found"] * (not found)
        ids = {name for each in found for name in (each.block_id, *each.documents)}
        hidden = ids - self._store.corpus.for_principal(user.principal).ancestors(ids).keys()
        kept = RecordTree(self._store.corpus, user.workspace).kept_from_models(hidden)
        for name in sorted(hidden):
            if name in kept:
                yield f"ai: block '{name}' is kept from models"
            else:
                yield f"permission: user '{user.id}' may not read block '{name}'"
        times = Counts((each.block_id, each.content) for each in found)
        yield from (f"duplicate: block '{name}'" for (name, _), count in times.items() if count > 1)
        text, words = payload.serialized.casefold(), self._config.forbidden
        yield from (f"forbidden: '{word}'" for word in words if word.casefold() in text)

    def _shares(self, budget: models.TokenBudget, hints: models.ContextHints) -> dict[str, Any]:
        """What each category is sure of; 0 leaves it out, but not blocks that are to be included."""
        off = (name for name, setting in self._config.collectors.items() if setting is False)
        sure = budget.model_dump(include={*_COLLECTORS, "history"})
        sure |= {"focus": budget.focus or 100 * len(hints.include_blocks), **dict.fromkeys(off, 0)}
        return {name: {"min_tokens": least} if least else 0 for name, least in sure.items()}

    def _sections(
        self, result: engine.ContextAssemblyResult, user: models.User
    ) -> Iterator[models.ContextSection]:
        ids = [each.document or "" for each in result.citations]
        above = self._store.corpus.for_principal(user.principal).ancestors(ids)
        given = {part.name or part.kind: part.given for part in result.receipt.parts}
        system = [{"role": "system", "content": result.system_prompt}] * bool(result.system_prompt)
        yield models.ContextSection("system", "", _said(system), given.get("system", 0))
        for name, title in zip(_COLLECTORS, _TITLES, strict=True):
            found = [each for each in result.citations if each.pack == name]
            items = [_item(each, above.get(each.document or "", ())) for each in found]
            yield models.ContextSection(name, title, items, given.get(name, 0))
        yield models.ContextSection("history", "", _said(result.history), given.get("history", 0))


def _inputs(request: models.ContextRequest, budget: models.TokenBudget) -> dict[str, Any]:
    focus, hints = request.focus or models.Focus(), request.hints or models.ContextHints()
    times = {_BOUNDS[name]: when for name, when in hints.time_range.items()}
    wishes = hints.model_dump() | {"time_range": times}
    known = {"query": request.query, "type": request.type, "system": budget.system}
    return {**known, "focus": focus.model_dump(), "hints": wishes}


def _settings(config: models.ContextConfig) -> dict[str, dict[str, Any]]:
    """The changed settings of the retrievers in the plan."""
    rank = {"rank": {name: {"weight": each} for name, each in config.weights.items()}}
    own = {name: each for name, each in config.collectors.items() if isinstance(each, Mapping)}
    return {name: {**rank, **own.get(name, {})} for name in _COLLECTORS}


def _item(found: engine.Citation, above: tuple[Document, ...]) -> models.ContextItem:
    path = tuple(each.title for each in above if not each.metadata.get("untitled"))
    known = (found.document or "", found.kind or "", found.excerpt, found.score or 0.0)
    documents = dict.fromkeys([known[0], *found.contains, *(each.id for each in above)])
    updated = above[-1].updated if above else None
    return models.ContextItem(*known, found.title or "", path, updated, (*documents,))


def _said(messages: list[dict[str, Any]]) -> list[models.ContextItem]:
    return [models.ContextItem("", each["role"], each["content"]) for each in messages]
