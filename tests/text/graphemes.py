"""Characters made of several code points, and how a reader counts them."""

from __future__ import annotations

import regex
from hypothesis import strategies as st

CLUSTERS = (
    "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇫🇷", "e\u0301", "a\u0308\u0323", "\u1112\u1161\u11ab", "한", "\r\n",
    "क्षि"[:2], "นี้", "✊🏿", "1️⃣", "z\u0335\u0321\u0489",
)  # fmt: skip
"""Each is one character to a reader (the Thai one is two)."""

clustered = st.lists(
    st.sampled_from(CLUSTERS)
    | st.sampled_from(
        ("word", "No", "it's", " ", " ", ". ", ".\n\n", "\n", "? ", "12", "/", "漢字", "。")
    ),
    max_size=60,
).map("".join)
"""Texts rich in them, where nothing that joins what is before it stands alone."""

hostile = st.text(
    st.sampled_from(
        "a \r\n\t.\u0301\u200d\ufe0f\u1100\u1161\u11a8\u0600\u0903\u094dक漢。\ud800\udc00👨👩🏽🇩🇪🇫"
    )
    | st.characters(),
    max_size=60,
)
"""Texts in which anything may stand anywhere, half surrogate pairs included."""


def characters(text: str) -> list[str]:
    """What a reader takes for the characters of a text."""
    return regex.findall(r"\X", text)


def boundaries(text: str) -> set[int]:
    """Where a reader sees a character end, and 0."""
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}
