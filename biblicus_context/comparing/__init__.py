"""Assemblies side by side: what budgets, models and changes do to a context."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.comparing.changes import (
        Difference as Difference,
        MessageChange as MessageChange,
        difference as difference,
    )
    from biblicus_context.comparing.outcomes import (
        WhatIfOutcome as WhatIfOutcome,
        what_if as what_if,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {"changes": "Difference MessageChange difference", "outcomes": "WhatIfOutcome what_if"},
    )
