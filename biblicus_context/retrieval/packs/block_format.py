"""How a block is written: metadata lines above it, a fence around it."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from biblicus_context.base.surrogates import replaced
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.pack import BlockFormatSpec

_BEHIND_ID = {False: " ", True: "\n"}
"""An id stands in front of the text, or above its metadata lines."""
_LEADING_FIELDS = ("id", "item_id", "source", "source_uri", "score", "stage")


class WrittenBlock(NamedTuple):
    """A block as it is placed: only `body` may be shortened."""

    head: str
    body: str
    tail: str


def fence_tag(*names: str) -> str:
    """A tag that depends on names only, so that it stays the same from turn to turn.

    >>> fence_tag("support", "kb_search")
    'evidence-b4ed9ad4'
    """
    import hashlib  # noqa: PLC0415 - loads OpenSSL, and few calls need it

    digest = hashlib.blake2b("\0".join(names).encode(errors="replace"), digest_size=4)
    return f"evidence-{digest.hexdigest()}"


def citation_id(evidence_item_id: str) -> str:
    """What an answer names a block by: short, and the same in every result.

    >>> citation_id("handbook/returns.md#2")
    'b2ebe4ec'
    """
    import hashlib  # noqa: PLC0415 - loads OpenSSL, and few calls need it

    content = evidence_item_id.encode(errors="replace")
    return hashlib.blake2b(content, digest_size=4, person=b"citation").hexdigest()


def write_block(block: ContextPackBlock, form: BlockFormatSpec, tag: str) -> WrittenBlock:
    """The block with the metadata lines and the fence that its plan asks for."""
    head = _metadata_lines(block, form)
    if form.citations == "inline":
        head = f"[{citation_id(block.evidence_item_id)}]{_BEHIND_ID[bool(head)]}{head}"
    if not form.fence:
        return WrittenBlock(head, block.text, "")
    return WrittenBlock(
        f"<{tag}>\n{unforgeable(head, tag)}", unforgeable(block.text, tag), f"\n</{tag}>"
    )


def unforgeable(text: str, tag: str) -> str:
    """Text cannot close the fence: where it spells the tag, in any case, its hyphen is replaced."""
    return re.sub(
        re.escape(tag), lambda spelt: spelt[0].replace("-", "_"), text, flags=re.IGNORECASE
    )


def _metadata_lines(block: ContextPackBlock, form: BlockFormatSpec) -> str:
    if form.metadata is False:
        return ""
    fields = _fields(block)
    names = form.metadata if isinstance(form.metadata, tuple) else _usual_order(fields)
    return "".join(
        f"{one_line(name)}: {one_line(_written(fields[name]))}\n"
        for name in names
        if name in fields
    )


def _fields(block: ContextPackBlock) -> dict[str, object]:
    """What the retriever says of a block stands above what the document says of itself."""
    own = {"id": block.evidence_item_id, "source": block.source, "score": block.score}
    said = {name: value for name, value in own.items() if value is not None}
    return {**(block.metadata or {}), **said}


def _usual_order(fields: dict[str, object]) -> list[str]:
    rest = sorted(name for name in fields if name not in _LEADING_FIELDS)
    return [name for name in _LEADING_FIELDS if name in fields] + rest


def _written(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"


def one_line(text: str) -> str:
    """The text with single spaces, so that it cannot begin a line and pose as another field.

    >>> one_line("draft\\nscore: 1.0")
    'draft score: 1.0'
    """
    return " ".join(replaced(text).split())
