"""Bounds on time that hold on a busy machine as well: seconds of a processor at its usual pace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_USUAL: Final = 0.14
"""Seconds that the piece of work below takes where nothing else runs."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What runs inside takes less than so many seconds of a processor, at its usual pace.

    Others on the same machine slow a processor down to a third, so what took longer is compared with
    a piece of work that is known. A wrong complexity takes ten times as long, and is found anyway.
    """
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took < seconds or took < seconds * _slowness()


def _slowness() -> float:
    """How many times as long as usual a known piece of work takes now; never less than once."""
    began = time.process_time()
    words = [str(number * 7919 % 100_003) for number in range(200_000)]
    assert Counter(words).total() == len(sorted(words))
    return max(1.0, (time.process_time() - began) / _USUAL)
