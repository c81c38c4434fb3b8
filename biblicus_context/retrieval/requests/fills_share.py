"""Retrievers that fill the share of a pack by themselves, so that they need no limit of blocks."""

from __future__ import annotations

from typing import Final

DEFAULT_LIMIT: Final = 3
"""Blocks of a request if neither the plan nor the share of the pack says how many."""


class FillsShare:
    """Base of a retriever that returns what `max_tokens` holds, and reads no further.

    Without a `limit` in the plan it is asked once, for one block per token of the share: a limit
    that never binds. Any other callable is asked for three blocks, as it may return all of them
    whatever their size.
    """

    def fills_share(self, *, over_corpus: bool) -> bool:
        """Whether it does so for a pack; `over_corpus`: the plan declares it over a corpus of ours."""
        del over_corpus
        return True
