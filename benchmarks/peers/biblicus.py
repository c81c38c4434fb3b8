"""biblicus: the original context engine, with the plan it was made for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import biblicus.context
import biblicus.context_engine

from benchmarks import declared
from benchmarks.child import main
from benchmarks.measuring import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.workloads import Work

PLAN = declared.library(biblicus.context_engine, biblicus.context)


def ready(work: Work) -> Callable[[], Any]:
    """It cannot take a message without content, so it is handed an empty one."""
    history = tuple(replace(message, content=message.content or "") for message in work.history)
    return PLAN.ready(replace(work, history=history))


VARIANTS = {"words": Library(ready, PLAN.sent)}

if __name__ == "__main__":
    main(VARIANTS)
