"""Prime contexts over HTTP, as their design has them: `/context/build` and `/context/feedback`."""

# ruff: noqa: N815 - the design's names, which its clients know

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from biblicus_context.service.authentication import user_of
from biblicus_context.service.callers import Caller
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.scopes import KeyScope
from biblicus_context.systems import prime

_GROUP: Final = "Prime"
_Name = Annotated[str, Field(min_length=1, max_length=512)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PrimeBody(_Model):
    """A message of a thread."""

    threadId: _Name
    message: Annotated[str, Field(min_length=1)]
    receipt: bool = Field(default=False, description="Whether the receipt is returned.")


class FeedbackBody(_Model):
    """Whether an item was useful."""

    contextItemId: Annotated[str, Field(min_length=1)]
    useful: bool


class PrimeItemMetadata(BaseModel):
    """Where an item comes from, and why it was found."""

    path: str | None
    createdAt: AwareDatetime | None
    matchedKeywords: tuple[str, ...]
    searchRank: float | None


class PrimeItem(BaseModel):
    """One item of evidence."""

    id: str
    type: Literal["file", "chunk", "message", "reference"]
    content: str
    excerpt: str | None
    source: str
    relevance: float
    tokens: int
    metadata: PrimeItemMetadata


class PrimeCitation(BaseModel):
    """What an answer names an item by."""

    id: str
    source: str
    type: Literal["file", "document", "message"]
    path: str | None
    excerpt: str | None
    relevance: float
    usedInResponse: bool


class PrimeStats(BaseModel):
    """Files that the thread refers to, other files found, messages, and items left out."""

    explicitCount: int
    searchCount: int
    historyCount: int
    excludedCount: int


class PrimeData(BaseModel):
    """The context of one message; `text` is what to send."""

    totalTokens: int
    items: list[PrimeItem]
    citations: list[PrimeCitation]
    stats: PrimeStats
    text: str
    receipt: dict[str, Any] | None = None


class PrimeMeta(BaseModel):
    """Its figures."""

    tokenUsage: int
    sourceCount: int
    citationCount: int


class PrimeAnswer(BaseModel):
    """A context and its figures."""

    data: PrimeData
    meta: PrimeMeta


class Success(BaseModel):
    """It is done."""

    success: Literal[True] = True


class PrimeFile(_Model):
    """A file of the user."""

    id: _Name
    path: _Name
    content: str
    createdAt: AwareDatetime | None = None
    updatedAt: AwareDatetime | None = None
    metadata: dict[str, JsonValue] = {}


class FilesBody(_Model):
    """Files to write; each replaces the file of its id."""

    files: Annotated[list[PrimeFile], Field(min_length=1, max_length=1_000)]


class FileIdsBody(_Model):
    """Files to remove."""

    ids: Annotated[list[_Name], Field(min_length=1, max_length=1_000)]


class PrimeMessage(_Model):
    """A message of a thread."""

    role: _Name
    content: str
    id: _Name | None = None
    createdAt: AwareDatetime | None = None


class MessagesBody(_Model):
    """Messages to add, oldest first."""

    threadId: _Name
    messages: Annotated[list[PrimeMessage], Field(min_length=1, max_length=1_000)]


class ReferenceBody(_Model):
    """A thread, and a file that it refers to."""

    threadId: _Name
    fileId: _Name


class ThreadBody(_Model):
    """A thread."""

    threadId: _Name


class MessageIdsBody(_Model):
    """Messages of a thread."""

    threadId: _Name
    ids: Annotated[list[_Name], Field(min_length=1, max_length=1_000)]


class FileBody(_Model):
    """A file."""

    fileId: _Name


class PurgeBody(_Model):
    """How long to wait."""

    timeout: float = Field(default=60.0, gt=0, le=600, description="Seconds.")


class NothingBody(_Model):
    """Nothing: the key says whose."""


NOT_SERVED: Final = {
    "build_prime_context": "`/context/build` does it", "record_feedback": "`/context/feedback` does it",
    "invalidate": "its pattern would reach contexts of other users",
    "open": "the service opens the store", "close": "the service closes the store",
}  # fmt: skip
"""Methods of the service of prime contexts that have no route of their own, and why."""


class PrimeOperations:
    """What callers do with prime contexts, each for the user of its key."""

    def __init__(self, service: Callable[[], prime.StoredService]) -> None:
        self._service = service

    def all(self) -> list[Operation]:
        """Every operation."""
        write: dict[str, Any] = {"answer": Success, "scope": KeyScope.WRITE, "is_write": True}
        own: dict[str, Any] = {"method": "POST", "group": _GROUP}
        return [
            Operation(name="prime_build", path="/context/build", body=PrimeBody, work=self._build,
                      answer=PrimeAnswer, scope=KeyScope.READ,
                      summary="The evidence for a message of a thread.", **own),
            Operation(name="prime_feedback", path="/context/feedback", body=FeedbackBody,
                      work=self._feedback, summary="Count whether an item was useful.",
                      **own, **write),
            Operation(name="prime_put_files", path="/v1/prime/put-files", body=FilesBody,
                      work=self._put_files, summary="Write files of the user.", **own, **write),
            Operation(name="prime_remove_files", path="/v1/prime/remove-files", body=FileIdsBody,
                      work=self._remove_files, summary="Remove files of the user.", **own, **write),
            Operation(name="prime_add_messages", path="/v1/prime/add-messages", body=MessagesBody,
                      work=self._add_messages, summary="Add messages to a thread.", **own, **write),
            Operation(name="prime_add_reference", path="/v1/prime/add-reference",
                      body=ReferenceBody, work=self._add_reference,
                      summary="Let a thread refer to a file.", **own, **write),
            Operation(name="prime_remove_reference", path="/v1/prime/remove-reference",
                      body=ReferenceBody, work=self._remove_reference,
                      summary="Let a thread no longer refer to a file.", **own, **write),
            Operation(name="prime_remove_thread", path="/v1/prime/remove-thread", body=ThreadBody,
                      work=self._remove_thread,
                      summary="Remove a thread: its messages, and what it refers to.",
                      **own, **write),
            Operation(name="prime_remove_messages", path="/v1/prime/remove-messages",
                      body=MessageIdsBody, work=self._remove_messages,
                      summary="Remove messages of a thread.", **own, **write),
            Operation(name="prime_update_access_time", path="/v1/prime/update-access-time",
                      body=FileBody, work=self._update_access_time,
                      summary="Let a file be one that its user opened just now.", **own, **write),
            Operation(name="prime_forget_user", path="/v1/prime/forget-user", body=NothingBody,
                      work=self._forget_user,
                      summary="Remove all files, references and messages of the user.",
                      **own, **write),
            Operation(name="prime_purge", path="/v1/prime/purge", body=PurgeBody,
                      work=self._purge, summary="Wait for reads that need what was removed, and erase it.",
                      **own, **write),
            Operation(name="prime_remains_until", path="/v1/prime/remains-until",
                      body=NothingBody, work=self._remains_until, answer=datetime | None,
                      scope=KeyScope.READ,
                      summary="Until when files may hold bytes of what was removed; null: none do.",
                      **own),
        ]  # fmt: skip

    async def _build(self, call: OperationCall) -> PrimeAnswer:
        body: PrimeBody = call.body
        made = await self._service().build_prime_context(
            body.threadId, body.message, _user_id(call.caller)
        )
        receipt = made.receipt.to_json() if body.receipt else None
        known = _camel(made.model_dump(exclude={"receipt"})) | {"receipt": receipt}
        meta = PrimeMeta(
            tokenUsage=made.total_tokens,
            sourceCount=len(made.items),
            citationCount=len(made.citations),
        )
        return PrimeAnswer(data=PrimeData.model_validate(known), meta=meta)

    async def _feedback(self, call: OperationCall) -> Success:
        body: FeedbackBody = call.body
        user = _user_id(call.caller)
        await self._service().record_feedback(body.contextItemId, user, useful=body.useful)
        return Success()

    async def _put_files(self, call: OperationCall) -> Success:
        user = _user_id(call.caller)
        files = [
            prime.File(
                id=each.id,
                path=each.path,
                content=each.content,
                owner_user_id=user,
                created_at=each.createdAt,
                updated_at=each.updatedAt,
                metadata=each.metadata,
            )
            for each in call.body.files
        ]
        await self._service().files.put(*files)
        return Success()

    async def _remove_files(self, call: OperationCall) -> Success:
        await self._service().files.remove(*call.body.ids, user_id=_user_id(call.caller))
        return Success()

    async def _add_messages(self, call: OperationCall) -> Success:
        messages = [
            prime.Message(
                role=each.role, content=each.content, id=each.id, created_at=each.createdAt
            )
            for each in call.body.messages
        ]
        user = _user_id(call.caller)
        await self._service().messages.add(call.body.threadId, *messages, user_id=user)
        return Success()

    async def _add_reference(self, call: OperationCall) -> Success:
        body: ReferenceBody = call.body
        user = _user_id(call.caller)
        await self._service().references.add(body.threadId, body.fileId, user_id=user)
        return Success()

    async def _remove_reference(self, call: OperationCall) -> Success:
        body: ReferenceBody = call.body
        user = _user_id(call.caller)
        await self._service().references.remove(body.threadId, body.fileId, user_id=user)
        return Success()

    async def _remove_thread(self, call: OperationCall) -> Success:
        await self._service().remove_thread(call.body.threadId, _user_id(call.caller))
        return Success()

    async def _remove_messages(self, call: OperationCall) -> Success:
        body: MessageIdsBody = call.body
        user = _user_id(call.caller)
        await self._service().messages.remove(body.threadId, *body.ids, user_id=user)
        return Success()

    async def _update_access_time(self, call: OperationCall) -> Success:
        await self._service().files.update_access_time(call.body.fileId, _user_id(call.caller))
        return Success()

    async def _forget_user(self, call: OperationCall) -> Success:
        await self._service().forget_user(_user_id(call.caller))
        return Success()

    async def _purge(self, call: OperationCall) -> Success:
        await self._service().purge(_user_id(call.caller), call.body.timeout)
        return Success()

    async def _remains_until(self, call: OperationCall) -> datetime | None:
        return await self._service().remains_until(_user_id(call.caller))


def _user_id(caller: Caller) -> str:
    """The user of a key as the system knows one: users of two workspaces may have the same name."""
    name = caller.principal.workspace
    return f"{len(name)}:{name}/{user_of(caller)}"


def _camel(value: Any) -> Any:
    """Values with the names of the design."""
    if isinstance(value, Mapping):
        return {_camel_name(str(name)): _camel(each) for name, each in value.items()}
    return [_camel(each) for each in value] if isinstance(value, list | tuple) else value


def _camel_name(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(each.capitalize() for each in more)
