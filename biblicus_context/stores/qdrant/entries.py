"""Writes as texts, and back: typed JSON, so that nothing in a database is ever executed."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from biblicus_context.stores import checks
from biblicus_context.stores.arguments import RecordedUsage
from biblicus_context.stores.model import Batch, Block, Document, Entry, Relation, Vectors
from biblicus_context.stores.principal import Principal, Readers

_QUICK: Final = 1
"""How thoroughly a write is compressed: the network is faster than the best compression."""
_MOMENTS: Final = ("created", "updated", "accessed", "valid_from", "valid_to")


def packed(value: Mapping[str, Any]) -> str:
    """A value as a text for a payload."""
    # Signs outside of ASCII are escaped: half of a surrogate pair comes back as it was.
    return b64encode(zlib.compress(json.dumps(value).encode(), _QUICK)).decode()


def unpacked(text: str) -> Any:
    """The value of such a text."""
    return json.loads(zlib.decompress(b64decode(text)))


def principal_as_json(who: Principal) -> dict[str, Any]:
    """As whom something is written."""
    return {
        "workspace": who.workspace,
        "user": who.user,
        "groups": sorted(who.groups),
        "sees_all": who.sees_all,
    }


def principal_of(value: Mapping[str, Any]) -> Principal:
    """The principal again."""
    return Principal(
        value["workspace"], value["user"], frozenset(value["groups"]), value["sees_all"]
    )


def batch_as_json(batch: Batch) -> dict[str, Any]:
    """A batch; metadata that is no JSON is an InputError."""
    return {
        "put": [_entry_as_json(n, each) for n, each in enumerate(batch.put)],
        "remove": [*batch.remove],
        "relate": [_fields(each) for each in batch.relate],
        "unrelate": [_fields(each) for each in batch.unrelate],
    }


def batch_of(value: Mapping[str, Any]) -> Batch:
    """The batch again."""
    return Batch(
        put=tuple(map(_entry_of, value["put"])),
        remove=tuple(value["remove"]),
        relate=tuple(Relation(**each) for each in value["relate"]),
        unrelate=tuple(Relation(**each) for each in value["unrelate"]),
    )


def usage_as_json(usage: RecordedUsage) -> dict[str, Any]:
    """What is counted."""
    return {**_fields(usage), "when": _text_of(usage.when)}


def usage_of(value: Mapping[str, Any]) -> RecordedUsage:
    """What is counted, again."""
    names = {part: tuple(value[part]) for part in ("used", "helpful", "unhelpful")}
    return RecordedUsage(**names, when=_moment_of(value["when"]))


def _entry_as_json(at: int, entry: Entry) -> dict[str, Any]:
    document, place = entry.document, f"put[{at}]"
    readers = document.readers
    known = _fields(document) | {
        "tags": [*document.tags],
        "metadata": _metadata(document.metadata, f"{place}.document.metadata"),
        "readers": [sorted(readers.users), sorted(readers.groups), readers.closed],
        **{name: _text_of(getattr(document, name)) for name in _MOMENTS},
    }
    blocks = entry.blocks
    return {
        "document": known,
        "blocks": None
        if blocks is None
        else [
            _fields(each) | {"metadata": _metadata(each.metadata, f"{place}.blocks[{n}].metadata")}
            for n, each in enumerate(blocks)
        ],
        "vectors": [
            _fields(each) | {"data": b64encode(each.data).decode()} for each in entry.vectors
        ],
    }


def _entry_of(value: Mapping[str, Any]) -> Entry:
    document, blocks = value["document"], value["blocks"]
    users, groups, closed = document["readers"]
    return Entry(
        Document(
            **{
                **document,
                "tags": tuple(document["tags"]),
                "readers": Readers(frozenset(users), frozenset(groups), closed=closed),
                **{name: _moment_of(document[name]) for name in _MOMENTS},
            }
        ),
        None if blocks is None else tuple(map(_block_of, blocks)),
        tuple(
            Vectors(each["model"], each["dimensions"], b64decode(each["data"]), tuple(each["keys"]))
            for each in value["vectors"]
        ),
    )


def _block_of(value: Mapping[str, Any]) -> Block:
    lines = value["lines"]
    own = {"heading": tuple(value["heading"]), "lines": None if lines is None else tuple(lines)}
    return Block(**{**value, **own})


def _fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, not those of what is in them."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _metadata(metadata: Mapping[str, Any], place: str) -> Any:
    return json.loads(checks.json_text(dict(metadata), place))


def _text_of(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()


def _moment_of(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
