"""Pure functions over text: counters, templates, compactors."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.text.compactors import (
        BaseCompactor as BaseCompactor,
        CompactionRequest as CompactionRequest,
        Shortened as Shortened,
        SummaryCompactor as SummaryCompactor,
        TruncateCompactor as TruncateCompactor,
        build_compactor as build_compactor,
    )
    from biblicus_context.text.counters import (
        Counter as Counter,
        CounterLike as CounterLike,
        Counters as Counters,
        default_counter as default_counter,
    )
    from biblicus_context.text.cutting.cutting import longest_start as longest_start
    from biblicus_context.text.headings import escaped_headings as escaped_headings
    from biblicus_context.text.messages.framing import Framing as Framing
    from biblicus_context.text.messages.images import ImageRule as ImageRule
    from biblicus_context.text.models.model import Model as Model, TableContents as TableContents
    from biblicus_context.text.models.table import ModelTable as ModelTable
    from biblicus_context.text.rare_words import rarity as rarity
    from biblicus_context.text.secrets import (
        Secret as Secret,
        redacted as redacted,
        secrets_in as secrets_in,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "compactors": "BaseCompactor CompactionRequest Shortened SummaryCompactor "
            "TruncateCompactor build_compactor",
            "counters": "Counter CounterLike Counters default_counter",
            "cutting.cutting": "longest_start",
            "headings": "escaped_headings",
            "messages.framing": "Framing",
            "messages.images": "ImageRule",
            "models.model": "Model TableContents",
            "models.table": "ModelTable",
            "rare_words": "rarity",
            "secrets": "Secret redacted secrets_in",
        },
    )
