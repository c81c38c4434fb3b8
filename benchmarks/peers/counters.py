"""The fastest exact counter a peer can be given: our tokenizer, remembering within one call."""

from __future__ import annotations

from benchmarks.counting import tokenizer

_flat = tokenizer().encode_flat


def ids(text: str) -> range:
    """Something as long as the text has tokens, for a peer that wants a list and its length."""
    return range(len(_flat(text)) // 4)


class Remembering(dict[str, int]):
    """Counts a text once; a new one for each round, so that nothing is known beforehand."""

    def __missing__(self, text: str) -> int:
        self[text] = tokens = len(_flat(text)) // 4
        return tokens
