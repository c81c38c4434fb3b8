"""How much of a share one block may use, and what shortens a longer one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import NameOrSettings, StrictSpec, number_or_settings

Share = Annotated[float, Field(gt=0, le=1)]


class ItemCapSpec(StrictSpec):
    """How much of a share one block may use, and what shortens a longer one."""

    share: Share = Field(description="Maximum part of the share for one block.", examples=[0.25])
    compactor: NameOrSettings | None = Field(
        default=None,
        description="Compactor that shortens a longer block: a name, or its settings. Default: the "
        "sentences that matter most for the query stay (extractive).",
        examples=["extractive", {"type": "tail", "mark": "[…] "}],
    )
    cut_note: str | None = Field(
        default=None,
        description="Text written after a block that was shortened; placeholders name facts of the "
        "block. Empty: no note. Default: how many tokens are missing, and where they are.",
        examples=["\n(truncated, see {path}:{lines})"],
    )


ItemCap = Annotated[
    Annotated[Share, Tag("<number>")] | Annotated[ItemCapSpec, Tag("<settings>")],
    Discriminator(number_or_settings),
]
"""A cap as authors write it: the part of the share, or a mapping with options."""


def item_cap_spec(cap: ItemCap | None) -> ItemCapSpec | None:
    """The cap with its options: a number is its part of the share.

    >>> item_cap_spec(0.25).share
    0.25
    """
    return cap if cap is None or isinstance(cap, ItemCapSpec) else ItemCapSpec(share=cap)
