"""Pydantic models in a corpus: an async store of one type of them, in which each workspace is a tenant."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, NamedTuple, Self, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.base.options import options_of, require, require_counts
from biblicus_context.corpora.async_reading import read_in_thread
from biblicus_context.corpora.clusters import Cluster
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.corpus_records import Removed
from biblicus_context.corpora.record_model import VIEW, RecordModel, RelevantItems, ranked_items
from biblicus_context.embedders import Embedder
from biblicus_context.errors import InputError
from biblicus_context.ingest.records import Record
from biblicus_context.ingest.records.record_lines import record_of_line
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.stores import Principal, Relation, Store, checks
from biblicus_context.text.counters import Counters, default_counter

M = TypeVar("M", bound=RecordModel)
_LONGEST_TOKEN: Final = 16
"""Characters of a token, hardly ever more: what has more for each need not be counted."""


@dataclass(frozen=True, slots=True)
class FoundModel(Generic[M]):
    """A model that a search found."""

    model: M
    similarity: float
    """How similar it is to the query, from 0 to 1, as `min_score` measures it."""
    score: float
    """What the search ordered it by."""
    text: str
    """What was found of it: a long text is cut into blocks."""
    is_part: bool = False
    """Whether that is not all of it."""


@dataclass(frozen=True, slots=True)
class JudgedModels(Generic[M]):
    """What a search found, and whether any of it is relevant, where that was decided."""

    found: list[FoundModel[M]]
    relevance: Relevance | None


class ModelPage(NamedTuple, Generic[M]):
    """Some of the models of a workspace."""

    items: Sequence[M]
    next: str | None
    """What to pass as `after` for the next page; None: there is none."""


@door
class ModelStore(Generic[M]):
    """The models of a corpus, by workspace; a subclass names their type.

    What is written is found when the call returns, and nothing of another workspace can be reached.

    >>> import asyncio
    >>> from tempfile import mkdtemp
    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> class Note(RecordModel):
    ...     id: str
    ...     words: Annotated[str, Field(alias="text")]
    >>> class NoteStore(ModelStore[Note]):
    ...     model = Note
    >>> notes = NoteStore.open(mkdtemp())
    >>> asyncio.run(notes.put([Note(id="n1", words="Tea is hot.")], "acme"))
    >>> asyncio.run(notes.get(["n1"], "acme"))
    [Note(id='n1', words='Tea is hot.')]
    """

    model: type[M]
    name: ClassVar[str] = "records"
    """Of the corpus, as errors call it."""

    def __init__(self, corpus: Corpus, model: type[M] | None = None) -> None:
        self.corpus = corpus
        if model is not None:
            self.model = model

    @classmethod
    def open(
        cls,
        place: str | Path | Store,
        model: type[M] | None = None,
        *,
        embedder: Embedder | None = None,
    ) -> Self:
        """The models in a folder, or in an open store; an embedder takes the place of the default one.

        Without a subclass, pass their type.
        """
        return cls(Corpus.open_records(place, name=cls.name, embedder=embedder), model)

    async def put(
        self, models: Iterable[M], workspace_id: str, *, remove: Collection[str] = ()
    ) -> None:
        """Write models and remove others by id, all of it or nothing; each replaces the one with its id."""
        records = [self._record(each) for each in checks.several(models, "models", "models")]
        await to_thread(self.of(workspace_id).put, records, remove)

    async def put_many(self, models: Iterable[M], workspace_id: str) -> None:
        """Write any number of models in little memory: a thousand at a time, each as `put` does."""
        records = map(self._record, checks.several(models, "models", "models"))
        await to_thread(self.of(workspace_id).put_many, records)

    async def get(self, ids: str | Sequence[str], workspace_id: str) -> list[M]:
        """The models with these ids; unknown ones are missing."""
        corpus = self.of(workspace_id)
        found = await read_in_thread(corpus, partial(corpus.get, _listed(ids)))
        return [self._model(each) for each in found]

    async def update(self, model_id: str, workspace_id: str, **changes: Any) -> bool:
        """Change fields of a model; False if there is no such model."""
        return await to_thread(self._changed, self.of(workspace_id), model_id, changes)

    async def remove(self, ids: str | Sequence[str], workspace_id: str) -> Removed:
        """Remove models with their relations, and with every byte of them in files."""
        return await to_thread(self.of(workspace_id).remove, _listed(ids))

    async def clear(self, workspace_id: str) -> None:
        """Remove a whole workspace; no byte of it stays in the store."""
        await to_thread(self.of(workspace_id).clear)

    async def remains_until(self, workspace_id: str) -> datetime | None:
        """Until when files may hold bytes of what was removed or replaced; None: none do."""
        return await to_thread(lambda: self.of(workspace_id).remains_until)

    async def purge(self, workspace_id: str, timeout: float = 60.0) -> None:
        """Wait up to so many seconds for reads that still need what was removed, and erase it."""
        await to_thread(self.of(workspace_id).purge, timeout)

    async def embed_waiting(self, workspace_id: str, most: int | None = None) -> int:
        """Embed up to `most` texts (None: all) that wait for the vectors of the embedder.

        They were thousands at once, or were written with the default embedder of an earlier release.
        Returns how many still wait. Until then searches find them by the vectors that they have.
        """
        return await to_thread(self.of(workspace_id).embed_waiting, most)

    async def search(
        self,
        query: str,
        workspace_id: str,
        /,
        *,
        view: str | None = None,
        whole_within: int | None = None,
        **settings: Any,
    ) -> list[FoundModel[M]]:
        """The models that match, best first; `settings` are those of `Corpus.search`.

        A `vector` of the corpus' model may be among them, and `max_tokens` in place of a `limit`.
        With a `view` only these texts of the models are searched. Of a long text its best part is
        found, unless all that is found has no more than `whole_within` tokens (of `counter`).
        """
        return (
            await self.judged_search(
                query, workspace_id, view=view, whole_within=whole_within, **settings
            )
        ).found

    async def judged_search(
        self,
        query: str,
        workspace_id: str,
        /,
        *,
        view: str | None = None,
        whole_within: int | None = None,
        **settings: Any,
    ) -> JudgedModels[M]:
        """The same, with the decision whether any of them is relevant, where `min_score` is `auto`."""
        if view is not None:
            settings["filters"] = {**(settings.get("filters") or {}), **_of_view(view)}
        corpus = self.of(workspace_id)
        search = partial(self._found, corpus, query, settings, whole_within)
        return await read_in_thread(corpus, search)

    async def relevant(self, query: str, workspace_id: str, /, **settings: Any) -> RelevantItems[M]:
        """The same, each model once, with figures that fall in the order of the search."""
        once = {"maximum_items_per_source": 1, **settings}
        judged = await self.judged_search(query, workspace_id, **once)
        models, alike = [e.model for e in judged.found], [e.similarity for e in judged.found]
        return ranked_items(models, alike, judged.relevance)

    async def ids(self, workspace_id: str, filters: Mapping[str, Any] | None = None) -> list[str]:
        """The ids of all models, or of those that meet the filters, in their order."""
        corpus = self.of(workspace_id)
        return await to_thread(lambda: [each.id for each in corpus.documents(filters)])

    async def page(
        self,
        workspace_id: str,
        filters: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
    ) -> ModelPage[M]:
        """A page of the models that meet the filters of a retriever, in the order of their ids.

        Without filters also those that are superseded; each page is of the state of its call.
        """
        require_counts(limit=limit)
        corpus = self.of(workspace_id)
        return await read_in_thread(corpus, partial(self._page, corpus, filters, after, limit))

    async def clusters(
        self, workspace_id: str, *, view: str | None = None, most: int = 8
    ) -> list[Cluster]:
        """Up to `most` clusters of models whose texts, or those of a view, say something similar."""
        corpus = self.of(workspace_id)
        if view is None:
            return await to_thread(corpus.clusters, None, most)
        text_of = partial(_text_of_view, view)
        return await to_thread(corpus.clusters, _of_view(view), most, text_of=text_of)

    async def related(self, model_id: str, workspace_id: str) -> list[tuple[M, Relation]]:
        """The models at the other ends of its relations; those that are superseded or not valid are missing."""
        (found,) = await self.related_to([model_id], workspace_id)
        return found

    async def related_to(
        self, model_ids: Sequence[str], workspace_id: str
    ) -> list[list[tuple[M, Relation]]]:
        """The same for each of many models, in a few reads."""
        corpus = self.of(workspace_id)
        return await read_in_thread(corpus, partial(self._related, corpus, [*model_ids]))

    async def relate(self, relation: Relation, workspace_id: str) -> None:
        """Write an arrow between two models."""
        await to_thread(self.of(workspace_id).relate, [relation])

    def export_lines(self, workspace_id: str) -> Iterator[str]:
        """Every model with its relations as a line of JSON, one at a time in memory."""
        return self.of(workspace_id).export_lines()

    def import_lines(
        self, lines: Iterable[str], workspace_id: str, *, remove_others: bool = False
    ) -> int:
        """Write what `export_lines` returned, and return the number of models.

        With `remove_others` models that are not among the lines are removed: what was deleted where
        they come from is deleted here.
        """
        corpus = self.of(workspace_id)
        if not remove_others:
            return corpus.import_lines(lines).records
        kept = [*lines]
        written = corpus.import_lines(kept).records
        ids = {record_of_line(each, "lines").id for each in kept if each.strip()}
        gone = [each.id for each in corpus.documents() if each.id not in ids]
        if gone:
            corpus.remove(gone)
        return written

    def of(self, workspace_id: str) -> Corpus:
        """The corpus as one workspace sees it."""
        return self.corpus.for_principal(Principal(workspace_id))

    def close(self) -> None:
        """Close the store."""
        self.corpus.close()

    def _changed(self, corpus: Corpus, model_id: str, changes: Mapping[str, Any]) -> bool:
        fields = self.model.record_fields
        for name in changes:
            if name not in fields or name == "id":
                valid = [each for each in fields if each != "id"]
                raise InputError("not a field that can be changed", found=name, valid=valid)
        found = corpus.get([model_id])
        if not found:
            return False
        known = self._model(found[0])
        changed = options_of(self.model, None, {**dict(known), **changes}).as_record()
        touched = {fields[name] for name in changes} | ({"parts"} if changed.parts else set())
        return corpus.update(model_id, **{name: getattr(changed, name) for name in touched})

    def _record(self, model: M) -> Record:
        require(self.model, f"Make it with {self.model.__name__}(...).", model=model)
        return model.as_record()

    def _found(
        self, corpus: Corpus, query: str, settings: Mapping[str, Any], whole_within: int | None
    ) -> JudgedModels[M]:
        hits, relevance = corpus.judged_search(query, **settings)
        alike = corpus.likeness(query, hits, vector=settings.get("vector"))
        # Only where a text was cut, which its lines show, the hit is not all of it.
        cut = {each.document.id for each in hits if each.block.lines}
        whole = {each.id: each for each in corpus.get([*cut])} if cut else {}
        records = [whole.get(hit.document.id, hit.record) for hit in hits]
        if (
            cut
            and whole_within
            and _fits([each.text for each in records], whole_within, settings.get("counter"))
        ):
            cut = set()
        models = [
            FoundModel(
                self._model(record),
                similarity,
                hit.score,
                hit.block.text if record.id in cut else record.text,
                is_part=record.id in cut,
            )
            for hit, record, similarity in zip(hits, records, alike, strict=True)
        ]
        return JudgedModels(models, relevance)

    def _page(
        self, corpus: Corpus, filters: Mapping[str, Any] | None, after: str | None, limit: int
    ) -> ModelPage[M]:
        found = [*islice(corpus.documents(filters, after=after), limit + 1)]
        ids = [each.id for each in found[:limit]]
        models = [self._model(each) for each in corpus.get(ids)]
        return ModelPage(models, ids[-1] if len(found) > limit else None)

    def _related(self, corpus: Corpus, model_ids: Sequence[str]) -> list[list[tuple[M, Relation]]]:
        arrows = corpus.relations(model_ids, direction="both")
        at: dict[str, list[tuple[str, Relation]]] = {each: [] for each in model_ids}
        for arrow in arrows:
            if arrow.source in at:
                at[arrow.source].append((arrow.target, arrow))
            # An arrow of a model to itself would otherwise be there once for each end.
            if arrow.target in at and arrow.target != arrow.source:
                at[arrow.target].append((arrow.source, arrow))
        ends = {end: None for own in at.values() for end, _ in own}
        now = datetime.now(UTC)
        found = corpus.get([*ends]) if ends else ()
        known = {each.id: self._model(each) for each in found if each.is_current(now)}
        return [
            [(known[end], arrow) for end, arrow in at[each] if end in known] for each in model_ids
        ]

    def _model(self, record: Record) -> M:
        return self.model.of_record(record)


def _fits(texts: Iterable[str], tokens: int, counter: str | None) -> bool:
    joined = "\n".join(texts)
    if len(joined) > _LONGEST_TOKEN * tokens:
        return False
    count = default_counter() if counter is None else Counters().get(counter)
    return count.count(joined) <= tokens


def _of_view(view: str) -> dict[str, Any]:
    return {"block_metadata": {VIEW: view}}


def _text_of_view(view: str, record: Record) -> str:
    return "\n".join(each.text for each in record.parts if each.metadata.get(VIEW) == view)


def _listed(ids: str | Sequence[str]) -> Sequence[str]:
    """One id is a list of one: taken letter by letter it would silently name nothing."""
    return [ids] if isinstance(ids, str) else checks.sequence(ids, "ids")
