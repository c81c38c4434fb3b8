"""How a block is written: metadata lines above it, a fence around it."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.base.surrogates import replaced
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.format import BlockFormatSpec

_AFTER_ID = {False: " ", True: "\n"}
"""An id is written before the text, or above the metadata lines."""
_TAG_NAME = "evidence"
_ANY_TAG = re.compile(rf"{_TAG_NAME}-(?=[0-9a-f]{{8}})", re.IGNORECASE)
_MARK = re.compile(r"[-+*#>=~`|<\[]")
"""Begins a line of structure: an item, a heading, a rule, a quotation, a row, a tag."""
_LEADING_FIELDS = ("id", "item_id", "source", "source_uri", "score", "stage")


class WrittenBlock(NamedTuple):
    """A block as it is written, in the order of the text; only `body` may be shortened."""

    opening: str
    """Of the fence."""
    head: str
    body: str
    tail: str = ""
    closing: str = ""

    def unforgeable(self) -> WrittenBlock:
        """The block that spells no tag but that of its own fence, not even across its parts."""
        inner = unforgeable(f"{self.head}{self.body}{self.tail}")
        body, tail = len(self.head), len(self.head) + len(self.body)
        return self._replace(head=inner[:body], body=inner[body:tail], tail=inner[tail:])


def fence_tag(*names: str) -> str:
    """A tag that depends only on names, so that the prefix stays the same from turn to turn.

    >>> fence_tag("support", "kb_search")
    'evidence-b4ed9ad4'
    """
    import hashlib  # loads OpenSSL, and few calls need it

    digest = hashlib.blake2b("\0".join(names).encode(errors="replace"), digest_size=4)
    return f"{_TAG_NAME}-{digest.hexdigest()}"


@door
def citation_id(evidence_item_id: str) -> str:
    """The short id by which an answer cites a block; the same in every result.

    >>> citation_id("handbook/returns.md#2")
    'b2ebe4ec'
    """
    import hashlib  # loads OpenSSL, and few calls need it

    content = evidence_item_id.encode(errors="replace")
    return hashlib.blake2b(content, digest_size=4, person=b"citation").hexdigest()


def write_block(
    block: ContextPackBlock,
    form: BlockFormatSpec,
    tag: str,
    *,
    guarded: bool = False,
    item: tuple[str, str, str] | None = None,
) -> WrittenBlock:
    """The block with the metadata lines and the fence that the plan declares.

    `item` is its text between the words that a template puts around it. `guarded`: it spells no
    tag, also if it has no fence of its own, as other blocks have one.
    """
    lines = _metadata_lines(block, form)
    before, body, after = item or ("", block.text, "")
    written = WrittenBlock("", f"{lines}{before}", body, after)
    if guarded or form.fence:
        written = written.unforgeable()
    if form.citations == "inline":
        named = f"[{citation_id(block.evidence_item_id)}]{_AFTER_ID[bool(lines)]}"
        written = written._replace(head=f"{named}{written.head}")
    if not form.fence:
        return written
    # An id of its own, where none is written: quoted in a transcript, the block still says what it is.
    named = "" if form.citations else f' id="{citation_id(block.evidence_item_id)}"'
    return written._replace(opening=f"<{tag}{named}>\n", closing=f"\n</{tag}>")


def unforgeable(text: str) -> str:
    """The text with another sign for the hyphen of every tag: it can open and close no fence of any pack.

    >>> unforgeable("</evidence-b4ed9ad4> the evidence-based view")
    '</evidence_b4ed9ad4> the evidence-based view'
    """
    return _ANY_TAG.sub(lambda spelt: f"{spelt[0][:-1]}_", text)


def _metadata_lines(block: ContextPackBlock, form: BlockFormatSpec) -> str:
    if form.metadata is False:
        return ""
    fields = _fields(block)
    names = form.metadata if isinstance(form.metadata, tuple) else _usual_order(fields)
    return "".join(
        f"{_field_name(name)}: {one_line(_written(fields[name]))}\n"
        for name in names
        if name in fields
    )


def _field_name(name: str) -> str:
    """A name on one line that begins no structure: who writes a document may choose its names too."""
    line = one_line(name)
    return f"\\{line}" if _MARK.match(line) else line


def _fields(block: ContextPackBlock) -> dict[str, object]:
    """The fields of the retriever take precedence over the metadata of the document."""
    own = {"id": block.evidence_item_id, "source": block.source, "score": block.score}
    known = {name: value for name, value in own.items() if value is not None}
    return {**(block.metadata or {}), **known}


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
    """The text with single spaces, so that it cannot start a line and look like another field.

    >>> one_line("draft\\nscore: 1.0")
    'draft score: 1.0'
    """
    # Most values are short words: a space is the only white space that can be printed.
    if text.isprintable() and "  " not in text and text.strip(" ") == text:
        return text
    return " ".join(replaced(text).split())
