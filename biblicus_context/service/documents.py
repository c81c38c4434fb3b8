"""Operations over corpora: searching, and the documents that callers write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from biblicus_context import Readers, Record
from biblicus_context.corpora import Corpus, Evidence
from biblicus_context.ingest import RelationTo
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.plans import LivePlans
from biblicus_context.service.problems import refusal
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.settings import LimitSettings

_GROUP: Final = "Corpora"
_Share = Annotated[float, Field(ge=0, le=1)]
_Id = Annotated[str, Field(min_length=1, max_length=512)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchBody(_Model):
    """A search of one corpus."""

    query: str = Field(max_length=20_000)
    limit: int = Field(default=10, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=10_000)
    max_tokens: int | None = Field(
        default=None, ge=1, description="Instead of a limit: as many hits as fill these tokens."
    )
    retriever_id: Literal["hybrid", "keyword", "vector", "recent", "trigram"] = "hybrid"
    filters: dict[str, JsonValue] = Field(default={}, description="As retrievers have them.")


class SearchHit(BaseModel):
    """A block that a search found."""

    id: str
    document: str
    source: str
    text: str
    tokens: int
    score: float
    title: str
    kind: str
    heading: list[str]
    lines: tuple[int, int] | None
    created: AwareDatetime | None
    updated: AwareDatetime | None
    metadata: dict[str, Any]


class SearchAnswer(BaseModel):
    """The hits, best first."""

    hits: list[SearchHit]


class DocumentReaders(_Model):
    """Who may read a document: everybody of its workspace, unless users or groups are named."""

    users: list[str] = []
    groups: list[str] = []
    closed: bool = False


class DocumentRelation(_Model):
    """A typed arrow to another document."""

    target: _Id
    type: _Id
    weight: float = 1.0


class DocumentBody(_Model):
    """A document; it replaces the one with its id."""

    text: str = ""
    kind: _Id = "document"
    title: str = ""
    path: str | None = None
    uri: str | None = None
    created: AwareDatetime | None = None
    updated: AwareDatetime | None = None
    confidence: _Share | None = None
    importance: _Share | None = None
    conversation: str | None = None
    parent: str | None = None
    position: int | None = None
    superseded_by: str | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    tags: list[str] = []
    metadata: dict[str, JsonValue] = {}
    readers: DocumentReaders = DocumentReaders()
    relations: list[DocumentRelation] = []


class NamedDocument(DocumentBody):
    """A document with its id."""

    id: _Id


class BatchBody(_Model):
    """Documents to write and others to remove: all of it or nothing."""

    documents: list[NamedDocument] = []
    remove: list[_Id] = []


class Written(BaseModel):
    """What a request wrote; it is durable, and found at once."""

    version: int
    records: int
    blocks: int
    tokens: int
    waiting: int = Field(description="Blocks that wait for the vectors of the embedder.")


class RemovedDocuments(BaseModel):
    """What a request removed."""

    version: int
    documents: int
    remains_until: AwareDatetime | None = Field(
        description="Until when files may hold bytes of it; null: none do."
    )


class StoredDocument(NamedDocument):
    """A document as it is stored."""

    model_config = ConfigDict(extra="ignore")


class DocumentSummary(BaseModel):
    """A document without its text."""

    id: str
    kind: str
    title: str
    path: str | None
    uri: str | None
    created: AwareDatetime | None
    updated: AwareDatetime | None
    tags: list[str]
    metadata: dict[str, Any]


class DocumentPage(BaseModel):
    """Documents in the order of their ids."""

    documents: list[DocumentSummary]
    next: str | None = Field(description="Pass it as `after` for the next page.")


class PageQuery(_Model):
    """Which page."""

    after: str | None = Field(default=None, max_length=512, description="The id before the first.")
    limit: int = Field(default=50, ge=1, le=500)
    kind: str | None = Field(default=None, max_length=512)


class CorpusSummary(BaseModel):
    """One corpus."""

    name: str
    is_writable: bool = Field(description="Whether callers write its documents; else it has files.")


class CorpusList(BaseModel):
    """The corpora that are served."""

    corpora: list[CorpusSummary]


class CorpusOperations:
    """What callers do with corpora, each in the workspace of its key."""

    def __init__(self, plans: LivePlans, limits: LimitSettings) -> None:
        self._plans, self._limits = plans, limits

    def all(self) -> list[Operation]:
        """Every operation."""
        at = "/v1/corpora/{name}"
        one, many = f"{at}/documents/{{id:path}}", f"{at}/documents"
        read: dict[str, Any] = {"scope": KeyScope.READ, "group": _GROUP}
        write: dict[str, Any] = {"scope": KeyScope.WRITE, "group": _GROUP, "is_write": True}
        return [
            Operation(name="list_corpora", method="GET", path="/v1/corpora", work=self._listed,
                      answer=CorpusList, summary="The corpora that are served.",
                      is_quick=True, **read),
            Operation(name="search", method="POST", path=f"{at}/search", work=self._search,
                      body=SearchBody, answer=SearchAnswer, summary="Search a corpus.", **read),
            Operation(name="list_documents", method="GET", path=many, work=self._page,
                      query=PageQuery, answer=DocumentPage,
                      summary="The documents of a corpus, page by page.", **read),
            Operation(name="write_documents", method="POST", path=many, work=self._batch,
                      body=BatchBody, answer=Written,
                      summary="Write documents and remove others, all of it or nothing.", **write),
            Operation(name="get_document", method="GET", path=one, work=self._get,
                      answer=StoredDocument, summary="A document with its text.", **read),
            Operation(name="put_document", method="PUT", path=one, work=self._put,
                      body=DocumentBody, answer=Written, summary="Write a document.", **write),
            Operation(name="delete_document", method="DELETE", path=one, work=self._delete,
                      answer=RemovedDocuments, summary="Remove a document.", **write),
        ]  # fmt: skip

    def _listed(self, _: OperationCall) -> CorpusList:
        found = self._plans.now.corpora.items()
        return CorpusList(
            corpora=[CorpusSummary(name=name, is_writable=one.root is None) for name, one in found]
        )

    def _search(self, call: OperationCall) -> SearchAnswer:
        body: SearchBody = call.body
        settings: dict[str, Any] = {"retriever_id": body.retriever_id}
        if body.filters:
            settings["filters"] = body.filters
        limit = None if body.max_tokens is not None else body.limit
        found = self._corpus(call).search(
            body.query, limit=limit, offset=body.offset, max_tokens=body.max_tokens, **settings
        )
        return SearchAnswer(hits=[*map(_hit, found)])

    def _page(self, call: OperationCall) -> DocumentPage:
        query: PageQuery = call.query
        filters = None if query.kind is None else {"kind": query.kind}
        listed = self._corpus(call).documents(filters, after=query.after)
        found = [*islice(listed, query.limit + 1)]
        page = found[: query.limit]
        documents = [
            DocumentSummary(
                id=each.id, kind=each.kind, title=each.title, path=each.path, uri=each.uri,
                created=each.created, updated=each.updated, tags=[*each.tags],
                metadata=dict(each.metadata),
            )
            for each in page
        ]  # fmt: skip
        return DocumentPage(
            documents=documents, next=page[-1].id if len(found) > len(page) else None
        )

    def _get(self, call: OperationCall) -> StoredDocument:
        found = self._corpus(call).get([call.path["id"]])
        if not found:
            raise refusal(404, "no such document", place="path.id", found=call.path["id"])
        known = asdict(found[0])
        known["text"] = found[0].text or "\n\n".join(each.text for each in found[0].parts)
        for name in ("users", "groups"):
            known["readers"][name] = sorted(known["readers"][name])
        return StoredDocument.model_validate(known)

    def _put(self, call: OperationCall) -> Written:
        return self._written(call, [_record(call.path["id"], call.body)])

    def _batch(self, call: OperationCall) -> Written:
        body: BatchBody = call.body
        most = self._limits.documents
        if len(body.documents) + len(body.remove) > most:
            fix = f"Pass up to {most:,} at once."
            raise refusal(422, "too many documents", place="body.documents", fix=fix)
        records = [_record(each.id, each) for each in body.documents]
        return self._written(call, records, body.remove)

    def _written(
        self, call: OperationCall, records: Iterable[Record], remove: Iterable[str] = ()
    ) -> Written:
        done = self._corpus(call).put(records, [*remove])
        return Written.model_validate(done, from_attributes=True)

    def _delete(self, call: OperationCall) -> RemovedDocuments:
        done = self._corpus(call).remove([call.path["id"]])
        return RemovedDocuments.model_validate(done, from_attributes=True)

    def _corpus(self, call: OperationCall) -> Corpus:
        corpora, name = self._plans.now.corpora, call.path["name"]
        if name not in corpora:
            known = sorted(corpora)
            raise refusal(404, "no such corpus", place="path.name", found=name, valid=known)
        return corpora[name].for_principal(call.caller.principal)


def _hit(found: Evidence) -> SearchHit:
    block, document = found.block, found.document
    return SearchHit(
        id=block.id, document=document.id, source=found.source, text=block.text,
        tokens=block.tokens, score=found.score, title=document.title, kind=document.kind,
        heading=[*block.heading], lines=block.lines, created=document.created,
        updated=document.updated, metadata={**document.metadata, **block.metadata},
    )  # fmt: skip


def _record(id_: str, body: DocumentBody) -> Record:
    given = {
        name: getattr(body, name)
        for name in body.model_fields_set - {"id", "tags", "readers", "relations"}
    }
    readers = body.readers
    return Record(
        id=id_,
        tags=tuple(body.tags),
        readers=Readers(frozenset(readers.users), frozenset(readers.groups), readers.closed),
        relations=tuple(RelationTo(each.target, each.type, each.weight) for each in body.relations),
        **given,
    )
