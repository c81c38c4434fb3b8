"""An assembly as something to look at: its stream by source, its bars, and a page of HTML."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.pages.bars import bars_of as bars_of
    from biblicus_context.pages.ghosts import changed_texts as changed_texts
    from biblicus_context.pages.left_out import left_out_rows as left_out_rows
    from biblicus_context.pages.sources import sources_of as sources_of
    from biblicus_context.pages.stream import shown_messages as shown_messages
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "bars": "bars_of",
            "ghosts": "changed_texts",
            "left_out": "left_out_rows",
            "sources": "sources_of",
            "stream": "shown_messages",
        },
    )
