"""The context builder: a request in, a payload out; what goes where is declared in the plan."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import biblicus_context as engine
from biblicus_context.base import door, require
from biblicus_context.corpora import Corpus, read_in_thread
from biblicus_context.reading import shipped_plan
from biblicus_context.stores import Document, Filters, StoreError, View
from biblicus_context.systems.workspace import models
from biblicus_context.systems.workspace.block_store import BlockStore
from biblicus_context.systems.workspace.record_tree import RecordTree
from biblicus_context.text import Counters

T = TypeVar("T")

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
            version, request, unknown = await self._read(asked.user, partial(_begun, asked))
            try:
                payload, after = await self._built(request, unknown)
            except engine.RetrieverError:
                if await self._read(asked.user, _version) == version:
                    raise
                continue  # what it is about is hidden or deleted since
            # What was not there before it was built cannot have been read: it is of another corpus.
            lost = set[str]()
            if after != version:  # somebody wrote meanwhile
                lost = await self._read(asked.user, partial(_lost, payload)) - known
            if not lost:
                return payload
            known |= lost
        problem = (
            f"what user '{request.user.id}' may read changed while it was read, {_ATTEMPTS} times"
        )
        raise StoreError(problem, fix="Ask again.")

    async def _read(self, user: models.User, read: Callable[[View | None], T]) -> T:
        """What is read as a user, in one view; None where nothing was ever written."""
        corpus = self._store.corpus.for_principal(user.principal)
        index = corpus.index
        if index.is_awaited:
            return read(None)
        return await read_in_thread(corpus, partial(index.read, None, read))

    async def _built(
        self, request: models.ContextRequest, unknown: tuple[str, ...]
    ) -> tuple[models.ContextPayload, int]:
        """The payload, and the version when all of it was there."""
        budget, spent = request.token_budget or self._config.token_budget, 0
        assembler = self._assembler.for_principal(request.user.principal)
        while True:  # with a smaller budget each time: at the latest one of 0 is refused
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
        corpus = self._store.corpus.for_principal(request.user.principal)
        sections, version = await self._read(
            request.user, lambda view: ([*_sections(result, corpus)], _version(view))
        )
        parts = [part for part in result.receipt.parts if part.name in _COLLECTORS]
        used = tuple(part.name for part in parts if part.requests)
        included = len({each.document for each in result.citations})
        considered = len({block.id for part in parts for block in part.blocks})
        now = datetime.now(UTC)
        metadata = models.ContextMetadata(
            tokens, request, budget, now, used, included, considered, unknown
        )
        return models.ContextPayload(sections, metadata, result.as_text(), result), version

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


def _version(view: View | None) -> int:
    return 0 if view is None else view.version


def _begun(
    asked: models.ContextRequest, view: View | None
) -> tuple[int, models.ContextRequest, tuple[str, ...]]:
    """The version before anything else is read, the request about what its user may read, and what
    it names besides that, by field.
    """
    focus, hints = asked.focus or models.Focus(), asked.hints or models.ContextHints()
    named = {f"focus.{name}": each for name, each in focus if each is not None}
    included = {f"hints.include_blocks[{n}]": each for n, each in enumerate(hints.include_blocks)}
    every = {**named, **included}
    known = _known([*{*every.values()}], view) if view is not None and every else set[str]()
    unknown = {place: each for place, each in every.items() if each not in known}
    if not unknown:
        return _version(view), asked, ()
    kept = {name: each if each in known else None for name, each in focus}
    blocks = [each for each in hints.include_blocks if each in known]
    changed = {
        "focus": models.Focus(**kept),
        "hints": hints.model_copy(update={"include_blocks": blocks}),
    }
    said = tuple(f"{place}: {each}" for place, each in unknown.items())
    return _version(view), asked.model_copy(update=changed), said


def _known(ids: Sequence[str], view: View) -> set[str]:
    """Those that name documents: by id, else by path."""
    known = {each.id for each in view.documents(ids)}
    # Rare, and a pattern each: what is named is nearly always an id.
    paths = (each for each in ids if each not in known)
    return known | {
        each for each in paths if view.list_documents(filters=Filters(paths=(each,)), limit=1)
    }


def _lost(payload: models.ContextPayload, view: View | None) -> set[str]:
    """What was offered, and its user may no longer read, or not under the title that it was placed with."""
    result = payload.result
    parts = [part for part in result.receipt.parts if part.name in _COLLECTORS]
    offered = {block.id for part in parts for block in part.blocks}
    contained = {name for each in result.citations for name in each.contains}
    found = () if view is None else view.evidence([*offered])
    titles = {each.block.id: each.document.title for each in found}
    inside = set() if view is None else {each.id for each in view.documents([*contained])}
    renamed = {
        f"{each.evidence} {each.title}"
        for each in result.citations
        if titles.get(each.evidence) != (each.title or "")
    }
    return renamed | (offered - titles.keys()) | (contained - inside)


def _sections(
    result: engine.ContextAssemblyResult, corpus: Corpus
) -> Iterator[models.ContextSection]:
    above = corpus.ancestors([each.document or "" for each in result.citations])
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
