"""The context builder: a request in, a payload out; what goes where is declared in the plan."""

from __future__ import annotations

from asyncio import to_thread
from collections import Counter as Counts, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, get_args

import biblicus_context as engine
from biblicus_context.base import SynchronousDoor, door, require, synchronous
from biblicus_context.corpora import Corpus, read_in_thread
from biblicus_context.reading import shipped_plan
from biblicus_context.stores import Document, Filters, StoreError, View
from biblicus_context.systems.workspace import models
from biblicus_context.systems.workspace.block_store import BlockStore
from biblicus_context.systems.workspace.property_questions import (
    TRACKED,
    in_order_of_days,
    may_ask,
    property_question,
)
from biblicus_context.systems.workspace.record_tree import RecordTree
from biblicus_context.text import Counters

T = TypeVar("T")

_COLLECTORS: Final = get_args(models.Collector)
_TITLES: Final = ("Focused Content", "Related Content", "Connected Items", "Recent Activity")
_BOUNDS: Final = {"start": "from", "end": "before"}  # as filters name them
_ATTEMPTS: Final = 5
_PACKS: Final = (*_COLLECTORS, "matching")
_MOST_TRACKED: Final = 5_000
"""Blocks with properties that a question may be about."""
_MOST_MATCHING: Final = 200
_MOST_USERS: Final = 8
_MOST_ASSEMBLERS: Final = 16
"""Kinds of requests and floors whose plans are kept ready."""
_ALONE: Final = {"template": "{input.query}", "follow_up": False}
_OF_TYPES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "search": {"semantic": {"limit": 30, "rank_window": 40, "query": _ALONE}},
    "automate": {"semantic": {"query": _ALONE}},
}
"""What a search and an automation change: passages of more pages, and a query that stands alone."""
_SHALLOW: Final = {"focus": {"of": {"summary": {"after": 0}}}}
"""Where nothing inside a page follows, its outline has its first blocks."""
_NOBODY: Final = engine.Principal("nowhere", user="nobody")
_COMPACTORS: Final = {"keep_start": "truncate", "keep_end": "tail"}


class _Matching(NamedTuple):
    """The blocks whose properties a request asks for, and what it asks."""

    documents: tuple[str, ...] = ()
    said: str = ""


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
        self._made = partial(
            engine.ContextAssembler.from_path,
            plan or shipped_plan("workspace"),
            corpora={"blocks": store.corpus},
            compactor_registry={"shorten": shorten},
            **options,
        )
        self._assemblers = OrderedDict[tuple[str, bool, str], engine.ContextAssembler]()
        inserts = self._of_type("").contexts["workspace"].inserts
        self._lists_matching = any(each.name == "matching" for each in inserts)
        self._known: dict[engine.Principal, tuple[int, tuple[Document, ...]]] = {}
        if plan is not None or config != models.ContextConfig():
            self._check()

    @property
    def sync(self) -> SynchronousContextBuilder:
        """`build` and `validate` without `await`."""
        return SynchronousContextBuilder(self)

    def _of_type(
        self, kind: str, *, shallow: bool = False, floor: models.Floor = None
    ) -> engine.ContextAssembler:
        """The assembler for a type of request, made when it is asked for first."""
        changes = [_OF_TYPES.get(kind, {}), _SHALLOW if shallow else {}]
        own = {} if floor is None else {"semantic": {"min_score": _min_score(floor)}}
        key = (kind if kind in _OF_TYPES else "", shallow, str(floor))
        if key not in self._assemblers:
            made = self._made(retriever_settings=_settings(self._config, changes, own))
            while len(self._assemblers) >= _MOST_ASSEMBLERS:
                self._assemblers.popitem(last=False)
            self._assemblers[key] = made
        return self._assemblers[key]

    def _check(self) -> None:
        """Build a context of an empty workspace: a wrong setting is an error here, and not in a call."""
        empty = self._of_type("").replace(observers=()).for_principal(_NOBODY)
        request = models.ContextRequest(query="settings", user=models.User("nobody", "nowhere"))
        inputs = _inputs(request, self._config.token_budget, _Matching())
        empty.assemble("workspace", inputs=inputs, model=self._config.model)

    async def build(self, request: models.ContextRequest) -> models.ContextPayload:
        """What a model needs for a request, within its budget, of what its user may read.

        Of what is hidden or deleted while it is built nothing is in it: it is built again then. A focus
        and included blocks that are not there, or that the user may not read, are left out and named in
        `metadata.unknown`: a page that a colleague deletes does not end a chat about it.
        """
        require(models.ContextRequest, "Pass ContextRequest(...).", request=request)
        asked, known = _with_pinned(request), set[str]()
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
        is_shallow = request.hints is not None and request.hints.max_depth == 0
        of_type = self._of_type(request.type, shallow=is_shallow, floor=request.floor)
        assembler = of_type.for_principal(request.user.principal)
        matching = await to_thread(self._matching, request)
        while True:  # with a smaller budget each time: at the latest one of 0 is refused
            result = await assembler.aassemble(
                "workspace",
                inputs=_inputs(request, budget, matching),
                history=request.conversation_history,
                budget=budget.total - spent,
                shares=self._shares(budget, request, matching),
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
        parts = [part for part in result.receipt.parts if part.name in _PACKS]
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

    def _matching(self, request: models.ContextRequest) -> _Matching:
        """The blocks whose properties a request asks for: by its hints, or else by the words of its query."""
        hints = request.hints or models.ContextHints()
        corpus = self._store.corpus.for_principal(request.user.principal)
        today = datetime.now(UTC).date()
        if hints.properties or hints.types:
            wanted = {"metadata": {**(hints.properties or {})}, "kind": [*hints.types]}
            filters = {name: each for name, each in wanted.items() if each}
            found, said = [*islice(corpus.documents(filters), _MOST_TRACKED)], _conditions(hints)
            found = in_order_of_days(found)
        elif self._lists_matching and hints.properties is None and may_ask(request.query):
            tracked = self._tracked(corpus)
            asked = property_question(request.query, tracked, user=request.user.id, today=today)
            found, said = (asked.matching(tracked), asked.said) if asked else ([], "")
        else:
            return _Matching()
        ids = [each.id for each in found if each.id not in {*hints.exclude_blocks}]
        count = f"{len(ids)} block{'s' if len(ids) != 1 else ''}"
        return _Matching(tuple(ids[:_MOST_MATCHING]), f"{count}: {said}" if ids else "")

    def _tracked(self, corpus: engine.Corpus) -> tuple[Document, ...]:
        """The blocks of a user that have properties, read once in each version."""
        if corpus.index.is_awaited:
            return ()
        version, who = corpus.index.state.version, corpus.principal
        known = self._known.get(who)
        if known is None or known[0] != version:
            documents = islice(corpus.documents({"kind": [*TRACKED]}), _MOST_TRACKED)
            while len(self._known) >= _MOST_USERS:
                self._known.pop(next(iter(self._known)), None)
            self._known[who] = known = version, tuple(documents)
        return known[1]

    def _shares(
        self, budget: models.TokenBudget, request: models.ContextRequest, matching: _Matching
    ) -> dict[str, Any]:
        """What each category is guaranteed; 0 leaves it out, but not blocks that are to be included."""
        hints = request.hints or models.ContextHints()
        off = (name for name, setting in self._config.collectors.items() if setting is False)
        sure = budget.model_dump(include={*_COLLECTORS, "history"})
        sure |= {"focus": budget.focus or 100 * len(hints.include_blocks), **dict.fromkeys(off, 0)}
        if request.type == "search":  # passages of pages, and nothing that only is in use
            sure["activity"] = 0
        # What has the properties that are asked for is the answer; what is found by words is around it.
        part = 4 * sure["semantic"] // 5 if matching.documents else 0
        sure["semantic"] -= part
        if self._lists_matching:  # a copy of the plan of an earlier release has no such pack
            sure["matching"] = part
        return {name: {"min_tokens": least} if least else 0 for name, least in sure.items()}


class SynchronousContextBuilder(SynchronousDoor[ContextBuilder]):
    """The methods of a `ContextBuilder` without `await`."""

    build = synchronous(ContextBuilder.build)

    def estimate_tokens(self, payload: models.ContextPayload) -> int:
        """As `ContextBuilder.estimate_tokens`."""
        return self._of.estimate_tokens(payload)

    def validate(self, payload: models.ContextPayload) -> models.ContextValidationResult:
        """As `ContextBuilder.validate`."""
        return self._of.validate(payload)


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
    parts = [part for part in result.receipt.parts if part.name in _PACKS]
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
        packs = ("matching", name) if name == "semantic" else (name,)
        found = [each for pack in packs for each in result.citations if each.pack == pack]
        items = [_item(each, above.get(each.document or "", ())) for each in found]
        tokens = sum(given.get(pack, 0) for pack in packs)
        yield models.ContextSection(name, title, items, tokens)
    yield models.ContextSection("history", "", _said(result.history), given.get("history", 0))


def _conditions(hints: models.ContextHints) -> str:
    """The conditions of the hints in words."""
    of_types = [f"type {' or '.join(hints.types)}"] * bool(hints.types)
    said = (f"{name} {_in_words(each)}" for name, each in (hints.properties or {}).items())
    return " and ".join([*of_types, *said])


def _in_words(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    if "in" in value:
        return " or ".join(map(str, value["in"]))
    return " ".join(f"{name} {each}" for name, each in value.items())


def _with_pinned(request: models.ContextRequest) -> models.ContextRequest:
    """The request with the blocks that its user has pinned among those to include."""
    pinned = request.preferences.pinned if request.preferences else ()
    if not pinned:
        return request
    hints = request.hints or models.ContextHints()
    blocks = [*dict.fromkeys([*hints.include_blocks, *pinned])]
    changed = hints.model_copy(update={"include_blocks": blocks})
    return request.model_copy(update={"hints": changed})


def _inputs(
    request: models.ContextRequest, budget: models.TokenBudget, matching: _Matching
) -> dict[str, Any]:
    focus, hints = request.focus or models.Focus(), request.hints or models.ContextHints()
    times = {_BOUNDS[name]: when for name, when in hints.time_range.items()}
    wishes = hints.model_dump(exclude={"types", "properties"}) | {"time_range": times}
    known: dict[str, Any] = {"query": request.query, "type": request.type, "system": budget.system}
    wants = request.preferences or models.Preferences()
    known["preferences"] = {"language": wants.language, "tone": wants.tone}
    known |= {"matching": {"documents": [*matching.documents], "said": matching.said}}
    return {**known, "focus": focus.model_dump(), "hints": wishes}


def _settings(
    config: models.ContextConfig,
    changes: Sequence[Mapping[str, Any]],
    of_request: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """The changed settings of the retrievers in the plan: those of the request win, then the configuration."""
    rank = {"rank": {name: {"weight": each} for name, each in config.weights.items()}}
    own: dict[str, Any] = {
        name: each for name, each in config.collectors.items() if isinstance(each, Mapping)
    }
    found: dict[str, Any] = dict.fromkeys(_COLLECTORS, rank)
    for each in (*changes, own, of_request):
        found = _merged(found, each)
    return found


def _min_score(floor: models.Floor) -> Any:
    return floor if floor == "auto" else {"best": floor}


def _merged(known: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(known)
    for name, each in changes.items():
        before = merged.get(name)
        if isinstance(before, Mapping) and isinstance(each, Mapping):
            merged[name] = _merged(before, each)
        else:
            merged[name] = each
    return merged


def _item(found: engine.Citation, above: tuple[Document, ...]) -> models.ContextItem:
    path = tuple(each.title for each in above if not each.metadata.get("untitled"))
    known = (found.document or "", found.kind or "", found.excerpt, found.score or 0.0)
    documents = dict.fromkeys([known[0], *found.contains, *(each.id for each in above)])
    updated = above[-1].updated if above else None
    return models.ContextItem(*known, found.title or "", path, updated, (*documents,))


def _said(messages: list[dict[str, Any]]) -> list[models.ContextItem]:
    return [models.ContextItem("", each["role"], each["content"]) for each in messages]
