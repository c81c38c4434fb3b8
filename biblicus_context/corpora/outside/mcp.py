"""`retriever_id: mcp`: what a tool of an MCP server answers, as evidence.

The answer of a tool is data: it is bounded, typed and placed like any other block. Errors of the
server are told by their kind alone, as their texts may have anything in them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from typing import Any, Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.connections import connection_url
from biblicus_context.base.deadlines import at_most
from biblicus_context.base.lazy import lazy
from biblicus_context.corpora.outside.mcp_server import McpServer
from biblicus_context.embedders import AllowedKeys
from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.retriever_settings import McpFieldsSpec, McpSpec
from biblicus_context.stores import Principal, StoreError

_SCHEMES: Final = ("https", "http")
_MOST_ITEMS: Final = 200
_REMEMBERED: Final = 64
_FRESH: Final = 10.0
"""Seconds in which pages of one question come from one answer."""
_LISTS: Final = ("items", "results")


class ToolItem(NamedTuple):
    """One item of an answer."""

    id: str
    text: str
    title: str = ""
    source: str = ""
    score: float = 0.0


class McpTool:
    """A tool that a plan declares; shared by all principals."""

    def __init__(self, spec: McpSpec, *, place: str, allow_keys: AllowedKeys) -> None:
        del allow_keys  # for embedders; the key of a server is in its connection
        if (spec.tenant_argument is None) != spec.everybody:
            raise PlanError(
                "nothing says whose the answers are"
                if spec.tenant_argument is None
                else "answers for a tenant are not for everybody",
                place=place,
                fix="Write either `tenant_argument`, the argument that gets who asks, or `everybody: true`.",
            )
        self.spec, self.place = spec, place
        self._answers = BoundedMemory[tuple[Principal, str], tuple[float, Sequence[ToolItem]]](
            _REMEMBERED
        )

    @lazy
    def server(self) -> McpServer:
        """The server of the connection."""
        place = f"{self.place}.connection"
        return McpServer.of(connection_url(self.spec.connection, _SCHEMES, place=place))

    def retriever(self, principal: Principal, /) -> McpRetriever:
        """What the tool answers to a principal."""
        return McpRetriever(self, principal)

    def found(self, principal: Principal, query: str) -> Sequence[ToolItem]:
        """The items of an answer; pages of one question come from the same one."""
        key, now = (principal, query), time.monotonic()
        known = self._answers.get(key)
        if known is not None and now - known[0] < _FRESH:
            return known[1]
        arguments = {**self.spec.arguments, self.spec.query_argument: query}
        if self.spec.tenant_argument is not None:
            arguments[self.spec.tenant_argument] = self._tenant(principal)
        answer = asyncio.run(
            self.server.called(self.spec.tool, arguments, at_most(self.spec.seconds), self.place)
        )
        found = _items(answer, self.spec, self.place)[:_MOST_ITEMS]
        self._answers.put(key, (now, found))
        return found

    def _tenant(self, principal: Principal) -> str:
        if self.spec.tenant_is == "workspace":
            return principal.workspace
        if principal.user is None:
            raise InputError("the tool is asked for a user, and the principal names none")
        return principal.user


@dataclass(frozen=True, slots=True)
class McpRetriever:
    """The answers of a tool to one principal."""

    declared: McpTool
    principal: Principal

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page of the answer, in the order of the server."""
        if not request.query.strip():
            return ContextPack(text="", evidence_count=0)
        spec = self.declared.spec
        found = self.declared.found(self.principal, request.query)
        page = found[request.offset : request.offset + request.limit]
        blocks = [_block(each, spec) for each in page]
        return ContextPack(
            text=spec.join_with.join(each.text for each in blocks),
            evidence_count=len(blocks),
            blocks=blocks,
            more=len(found) > request.offset + request.limit,
        )


def _items(answer: Any, spec: McpSpec, place: str) -> list[ToolItem]:
    structured = answer.structured_content
    listed = _listed(structured, spec.items, place)
    if listed is None:
        texts = (getattr(each, "text", None) for each in answer.content)
        return [ToolItem(_named(each), each) for each in texts if each]
    return [found for each in listed if (found := _found(each, spec.fields)) is not None]


def _listed(structured: Any, items: str | None, place: str) -> Sequence[Any] | None:
    """The list of items in a structured answer; None where it has none."""
    if items is not None:
        found = _at(structured, items)
        if not isinstance(found, list):
            raise StoreError(f"{place}.items: the answer has no list at '{items}'")
        return found
    lists = {
        name: value
        for name, value in (structured.items() if isinstance(structured, Mapping) else ())
        if isinstance(value, list)
    }
    named = [lists[name] for name in _LISTS if name in lists]
    return named[0] if named else next(iter(lists.values())) if len(lists) == 1 else None


def _found(item: Any, fields: McpFieldsSpec) -> ToolItem | None:
    text = item if isinstance(item, str) else _at(item, fields.text)
    if not isinstance(text, str) or not text.strip():
        return None
    score = _at(item, fields.score)
    return ToolItem(
        id=_text(_at(item, fields.id)) or _named(text),
        text=text,
        title=_text(_at(item, fields.title)),
        source=_text(_at(item, fields.source)),
        score=float(score) if isinstance(score, int | float) and isfinite(score) else 0.0,
    )


def _at(value: Any, path: str | None) -> Any:
    for key in path.split(".") if path else ():
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if path else None


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _named(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _block(found: ToolItem, spec: McpSpec) -> ContextPackBlock:
    name = spec.connection.removeprefix("connection:")
    source = found.source or f"{name}/{spec.tool}"
    facts = Candidate(
        id=found.id,
        text=found.text,
        tokens=0,
        score=found.score,
        document=found.source or found.id,
        source=source,
        where=source,
        title=found.title,
    )
    return ContextPackBlock.with_facts(
        facts,
        evidence_item_id=found.id,
        text=found.text,
        source=source,
        score=found.score,
        metadata={"title": found.title} if found.title else None,
    )
