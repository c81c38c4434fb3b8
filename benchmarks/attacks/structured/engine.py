"""Contexts of plans: titles, items by format, fences with metadata, outlines, notes on cuts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from benchmarks.attacks.structured.said import HEADINGS, Said, Written, marks
from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.ingest import RecordPart, RelationTo
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import day

_MARKS: Final = re.compile(rf"</?evidence-\w+|\[[0-9a-f]{{8}}\]$|\(cut |\(of |Note: |{HEADINGS}")
_ESCAPED: Final = {"escape_headings": True}
_PACKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "items": {
        "title": "## Items",
        "format": {
            "item": "### {title} in {path}\n{content}\nNote: {metadata.note}, {tags}",
            "footer": "\n(of {total})",
        },
    },
    "cut": {"title": "## Shortened"},
    "outlines": {"title": "## Outlines"},
    "rows": {
        "title": "## Rows",
        "format": {"fence": True, "metadata": ["id", "note", "title", "kind", "path"]},
    },
    "talk": {
        "title": "## Talk",
        "format": {"citations": "inline", "metadata": ["session", "note"]},
    },
}
_RETRIEVERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "items": {"retriever_id": "explicit", "documents": ["a", "b"], "limit": 9},
    "cut": {
        "retriever_id": "explicit",
        "documents": ["a"],
        "item_cap": {"share": 0.001, "cut_note": "\n(cut {title} {path} {metadata.note})"},
    },
    "outlines": {"retriever_id": "outline", "documents": ["a", "b"], "tokens": 400},
    "rows": {"retriever_id": "related", "from": ["b"], "relation": "rows", "limit": 9},
    "talk": {
        "retriever_id": "explicit",
        "documents": ["talk"],
        "format": {**_ESCAPED, "speakers": True, "sessions": True},
        "limit": 9,
    },
}


def engine(said: Said) -> Written:
    """Records with any text in each of their fields, in five packs."""
    corpus = Corpus.open_records(InMemoryStore(), embedder=None)
    part = RecordPart(
        text=said("turn"),
        speaker=said("speaker"),
        session=said("session"),
        heading=(said("heading"),),
        metadata={"note": said("note of a turn")},
    )
    corpus.put(
        [
            Record(id="b", title="Usual", text="Usual text.", path="usual.md", created=day(1), metadata={"note": "n"},
                   relations=(RelationTo("row", "rows"),)),
            Record(id="a", title=said("title"), text=said("text"), path=said("path"), kind=said("kind"), uri=said("uri"),
                   tags=(said("tag"),), created=day(1), metadata={"note": said("note")}),
            Record(id="row", title=said("title of a row"), text=said("row"), parent="b", created=day(1),
                   metadata={"note": said("note of a row")}),
            Record(id="talk", title=said("talk"), kind="conversation", parts=(part,), created=day(1)),
        ]
    )  # fmt: skip
    plan = {
        "policy": {
            "input_budget": {"max_tokens": 200_000},
            "pack_budget": {"default_ratio": 1},
            "dedupe": False,
        },
        "messages": [{"type": "context", "name": name, **more} for name, more in _PACKS.items()],
    }
    retrievers = {
        name: {
            "corpus": "c",
            "config": {"format": _ESCAPED, "dedupe": False, "query": "word", **config},
        }
        for name, config in _RETRIEVERS.items()
    }
    result = ContextAssembler({"p": plan}, retrievers, corpora={"c": corpus}).assemble("p")
    placed = [(each.pack, each.document) for each in result.citations]
    return marks(result.system_prompt, _MARKS, sorted({*placed}, key=str))
