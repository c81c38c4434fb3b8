"""One assembly as a page for the browser: a single file that needs no network and no scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from biblicus_context.assembly.result.citations import Citation
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.pages.bars import bars_of
from biblicus_context.pages.document import document
from biblicus_context.pages.ghosts import ghosts
from biblicus_context.pages.left_out import left_out_rows
from biblicus_context.pages.markup import Html, tag
from biblicus_context.pages.page_bars import parts_table
from biblicus_context.pages.page_head import heading
from biblicus_context.pages.page_messages import messages_section
from biblicus_context.pages.page_tables import evidence_table, left_out_table
from biblicus_context.pages.sources import sources_of
from biblicus_context.pages.stream import shown_messages

_NO_FACTS: Final[Mapping[str, str]] = MappingProxyType({})


def page(result: ContextAssemblyResult, facts: Mapping[str, str] = _NO_FACTS) -> str:
    """The whole page; `facts` are more to say at its top. The same result gives the same page.

    A stored result has no inputs, and no texts that were left out.
    """
    receipt, draft = result.receipt, result.draft
    rows = bars_of(receipt)
    found = sources_of(rows)
    sections = [
        messages_section(shown_messages(result), found),
        parts_table(receipt, rows, found),
        evidence_table(receipt, found),
        left_out_table(left_out_rows(receipt), found, ghosts(draft) if draft else {}),
        _citations_section(result.citations),
        *([_inputs_section(draft.call.names.get("input"))] if draft else []),
    ]
    return document(
        f"{receipt.context} · what is sent, and why",
        tag("a", "Skip to the messages", class_="skip", href="#messages"),
        heading(receipt, rows, found, facts),
        tag("main", sections),
        tag("footer", tag("p", f"Fingerprint {result.fingerprint}")),
    )


def _inputs_section(inputs: object) -> Html:
    """The inputs of the call."""
    given = inputs if isinstance(inputs, Mapping) else {}
    rows = [tag("div", tag("dt", str(key)), tag("dd", _value(given[key]))) for key in given]
    content = tag("dl", rows, class_="inputs") if rows else tag("p", "None.", class_="empty")
    return tag("section", tag("h2", "Inputs"), content, id="inputs")


def _names(citation: Citation) -> tuple[str, str]:
    return citation.title or citation.evidence, citation.place


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _citations_section(citations: Iterable[Citation]) -> Html:
    """What an answer may cite, in the order of the text."""
    rows = [
        tag("li", tag("b", f"[{each.id}]"), " ", " · ".join(dict.fromkeys(_names(each))))
        for each in citations
    ]
    content = tag("ol", rows) if rows else tag("p", "No evidence is placed.", class_="empty")
    return tag("section", tag("h2", "Citations"), content, id="citations")
