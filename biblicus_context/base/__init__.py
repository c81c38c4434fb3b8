"""The ground floor: every room may use it, and it uses no other room."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False  # `typing` takes longer than the import of the package

if TYPE_CHECKING:
    from biblicus_context.base.awaiting import (
        SynchronousDoor as SynchronousDoor,
        awaited as awaited,
        synchronous as synchronous,
    )
    from biblicus_context.base.best_effort import BestEffort as BestEffort
    from biblicus_context.base.bounded_memory import BoundedMemory as BoundedMemory
    from biblicus_context.base.checked_model import (
        CheckedModel as CheckedModel,
        NonBlankText as NonBlankText,
    )
    from biblicus_context.base.deadlines import (
        deadline as deadline,
        remaining as remaining,
    )
    from biblicus_context.base.doors import door as door
    from biblicus_context.base.forks import child_lock as child_lock
    from biblicus_context.base.logs import logger as logger
    from biblicus_context.base.options import (
        also_named as also_named,
        options_named as options_named,
        options_of as options_of,
        require as require,
        require_counts as require_counts,
        require_one_of as require_one_of,
        require_text as require_text,
    )
    from biblicus_context.base.outlines import (
        line_of as line_of,
        located_outline_of as located_outline_of,
    )
    from biblicus_context.base.paths import path_of as path_of, resolved as resolved
    from biblicus_context.base.registry import Registry as Registry
    from biblicus_context.base.rewrite import replacement as replacement
    from biblicus_context.base.single_flight import SingleFlight as SingleFlight
    from biblicus_context.base.tracing import Tracing as Tracing, span as span, traced as traced
    from biblicus_context.base.validation import (
        InvalidValue as InvalidValue,
        first_invalid as first_invalid,
        invalid_values as invalid_values,
    )
    from biblicus_context.base.version import __version__ as __version__
    from biblicus_context.base.watching import (
        state_of as state_of,
        wait_for_change as wait_for_change,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "awaiting": "SynchronousDoor awaited synchronous",
            "best_effort": "BestEffort",
            "bounded_memory": "BoundedMemory",
            "checked_model": "CheckedModel NonBlankText",
            "deadlines": "deadline remaining",
            "doors": "door",
            "forks": "child_lock",
            "logs": "logger",
            "options": "also_named options_named options_of require require_counts require_one_of "
            "require_text",
            "outlines": "line_of located_outline_of",
            "paths": "path_of resolved",
            "registry": "Registry",
            "rewrite": "replacement",
            "single_flight": "SingleFlight",
            "validation": "InvalidValue first_invalid invalid_values",
            "tracing": "Tracing span traced",
            "version": "__version__",
            "watching": "state_of wait_for_change",
        },
    )
