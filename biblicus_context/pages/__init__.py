"""An assembly as something to look at: its stream by source, its bars, and a page of HTML."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.pages.bars import bars as bars
    from biblicus_context.pages.ghosts import changed_texts as changed_texts
    from biblicus_context.pages.left_out import left_out as left_out
    from biblicus_context.pages.sources import sources as sources
    from biblicus_context.pages.stream import stream as stream
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "bars": "bars",
            "ghosts": "changed_texts",
            "left_out": "left_out",
            "sources": "sources",
            "stream": "stream",
        },
    )
