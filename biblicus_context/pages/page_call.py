"""The call of a page: its inputs, and the citations of what is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from biblicus_context.assembly.result.citations import Citation
from biblicus_context.pages.markup import Html, tag


def inputs_section(inputs: object) -> Html:
    """The inputs of the call."""
    given = inputs if isinstance(inputs, Mapping) else {}
    rows = [tag("div", tag("dt", str(key)), tag("dd", _value(given[key]))) for key in given]
    content = tag("dl", rows, class_="inputs") if rows else tag("p", "None.", class_="empty")
    return tag("section", tag("h2", "Inputs"), content, id="inputs")


def _names(citation: Citation) -> tuple[str, str]:
    return citation.title or citation.evidence, citation.place


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def citations_section(citations: Iterable[Citation]) -> Html:
    """What an answer may cite, in the order of the text."""
    rows = [
        tag("li", tag("b", f"[{each.id}]"), " ", " · ".join(dict.fromkeys(_names(each))))
        for each in citations
    ]
    content = tag("ol", rows) if rows else tag("p", "No evidence is placed.", class_="empty")
    return tag("section", tag("h2", "Citations"), content, id="citations")
