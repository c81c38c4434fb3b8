"""A retriever that takes a moment; it loads no Ray."""

from __future__ import annotations

import time


def slow(request: object) -> list[str]:
    del request
    time.sleep(0.01)
    return ["Parcels take three days."]
