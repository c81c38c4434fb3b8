"""Many assemblies of one context: rows in, results out, in one process, in several, or on a Ray cluster."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.batches.assembling import AssembledRow as AssembledRow
    from biblicus_context.batches.batch import (
        BatchProgress as BatchProgress,
        BatchSummary as BatchSummary,
        run_batch as run_batch,
    )
    from biblicus_context.batches.many import assemble_many as assemble_many
    from biblicus_context.batches.row import BatchRow as BatchRow
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "assembling": "AssembledRow",
            "batch": "BatchProgress BatchSummary run_batch",
            "many": "assemble_many",
            "row": "BatchRow",
        },
    )
