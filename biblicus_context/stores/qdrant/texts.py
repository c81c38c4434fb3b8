"""Documents and blocks as JSON, so that nothing in a database is ever executed."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from biblicus_context.stores import checks
from biblicus_context.stores.model import Block, Document, Json
from biblicus_context.stores.moments import moment, optional_microseconds
from biblicus_context.stores.principal import Readers

_QUICK: Final = 1
"""How thoroughly texts are compressed: the network is faster than the best compression."""
_MOMENTS: Final = ("created", "updated", "accessed", "valid_from", "valid_to")
_NOTHING: Final = Document(id="")


def packed(value: object) -> str:
    """A value as a text for a payload."""
    # Signs outside of ASCII are escaped: half of a surrogate pair comes back as it was.
    return packed_bytes(json.dumps(value, separators=(",", ":")).encode())


def unpacked(text: str) -> Any:
    """The value of such a text."""
    return json.loads(unpacked_bytes(text))


def packed_bytes(data: bytes) -> str:
    """Bytes as a text for a payload."""
    return b64encode(zlib.compress(data, _QUICK)).decode()


def unpacked_bytes(text: str) -> bytes:
    """The bytes of such a text."""
    return zlib.decompress(b64decode(text))


def document_as_json(document: Document, place: str) -> dict[str, Any]:
    """What differs from an empty document; metadata that is no JSON is an InputError."""
    own = {
        each.name: getattr(document, each.name)
        for each in fields(document)
        if getattr(document, each.name) != getattr(_NOTHING, each.name)
    }
    own |= {name: optional_microseconds(own[name]) for name in _MOMENTS if name in own}
    if "tags" in own:
        own["tags"] = [*document.tags]
    if "metadata" in own:
        own["metadata"] = metadata_as_json(document.metadata, f"{place}.document.metadata")
    if "readers" in own:
        readers = document.readers
        own["readers"] = [sorted(readers.users), sorted(readers.groups), readers.closed]
    return {"id": document.id, **own}


def document_of(value: Mapping[str, Any]) -> Document:
    """The document again."""
    own = {**value}
    own |= {name: moment(own[name]) for name in _MOMENTS if name in own}
    if "tags" in own:
        own["tags"] = tuple(own["tags"])
    if "readers" in own:
        users, groups, closed = own["readers"]
        own["readers"] = Readers(frozenset(users), frozenset(groups), closed=closed)
    return Document(**own)


def metadata_as_json(metadata: Mapping[str, Json], place: str) -> dict[str, Any]:
    """Metadata as it is read back."""
    found: dict[str, Any] = json.loads(checks.json_text(dict(metadata), place))
    return found


def copied(value: Any) -> Any:
    """A copy of a value that was JSON, as whoever gets it may change it."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value


class BlockText(NamedTuple):
    """What is fetched of a block: what is searched or listed of it is in memory."""

    text: str
    indexed_text: str | None
    heading: Sequence[str]
    lines: Sequence[int] | None

    @classmethod
    def of(cls, block: Block) -> BlockText:
        """Of a block."""
        return cls(block.text, block.indexed_text, block.heading, block.lines)

    @property
    def data(self) -> str:
        """As a payload keeps it."""
        value = json.dumps(self, ensure_ascii=False, separators=(",", ":"))
        try:
            value.encode()
        except UnicodeEncodeError:  # half of a surrogate pair
            return json.dumps(self, separators=(",", ":"))
        return value

    @classmethod
    def read(cls, data: str) -> BlockText:
        """From a payload."""
        return cls(*json.loads(data))

    @property
    def searched(self) -> str:
        """The text that words are looked for in."""
        return self.text if self.indexed_text is None else self.indexed_text
