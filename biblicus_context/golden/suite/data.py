"""Data files of a golden test: conversations, tool definitions, answers of retrievers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.values import json_lines, json_value, yaml_value
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.spec.recorded import Block, BlockSpec

_FORMATS = (".json", ".jsonl", ".ndjson", ".yaml", ".yml")
_BLOCKS: TypeAdapter[tuple[Block, ...]] = TypeAdapter(tuple[Block, ...])


def read_mappings(file: Path) -> list[Mapping[str, Any]]:
    """A list of mappings, such as messages or tool definitions; raises LoadError."""
    values = _listed(file)
    for number, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise LoadError(f"entry {number} must be a mapping", file=str(file), found=value)
    return values


def read_blocks(file: Path, pack: str) -> list[ContextPackBlock]:
    """Blocks of evidence: a list as in a test, or a recorded pack of a retriever."""
    value = _value(file)
    try:
        if isinstance(value, Mapping):
            answered = ContextPack.model_validate(value)
            whole = [answered.text] if answered.text else []
            return answered.blocks or blocks_of(whole, pack)
        return blocks_of(_BLOCKS.validate_python(tuple(_in_our_words(_listed(file)))), pack)
    except ValidationError as error:
        raise LoadError(str(first_invalid(error)), file=str(file)) from None


def blocks_of(written: Sequence[Block], pack: str) -> list[ContextPackBlock]:
    """Blocks as retrievers return them; a block without an id gets its pack and number as id."""
    return [_block(block, f"{pack}-{number}") for number, block in enumerate(written, 1)]


def _block(written: Block, name: str) -> ContextPackBlock:
    block = BlockSpec(text=written) if isinstance(written, str) else written
    return ContextPackBlock(
        evidence_item_id=block.id or name,
        text=block.text,
        source=block.source,
        score=block.score,
        metadata=None if block.metadata is None else dict(block.metadata),
    )


def _in_our_words(values: list[Any]) -> Iterator[Any]:
    """Recorded packs name the id of a block `evidence_item_id`."""
    for value in values:
        if isinstance(value, Mapping) and "evidence_item_id" in value:
            renamed = dict(value)
            yield {"id": renamed.pop("evidence_item_id"), **renamed}
        else:
            yield value


def _listed(file: Path) -> list[Any]:
    value = _value(file)
    if not isinstance(value, list):
        raise LoadError("this must be a list", file=str(file))
    return value


def _value(file: Path) -> Any:
    match file.suffix:
        case ".json":
            return json_value(_text(file), str(file))
        case ".jsonl" | ".ndjson":
            return json_lines(_text(file), str(file))
        case ".yaml" | ".yml":
            return yaml_value(read_plan(file), str(file))
    raise LoadError("unknown kind of file", file=str(file), found=file.suffix, valid=_FORMATS)


def _text(file: Path) -> str:
    """A file as text; conversations may contain characters that plans may not."""
    try:
        return read_plan(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LoadError("the file is not valid UTF-8", file=str(file)) from None
