"""What takes hours runs at night: `./check --nightly`; the gate runs a sample of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TypeVar

NIGHTLY: Final = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"

T = TypeVar("T")


def sample(values: Sequence[T], *, of: int) -> Sequence[T]:
    """All values at night; in the gate, one of each so many."""
    return values if NIGHTLY else values[::of]
