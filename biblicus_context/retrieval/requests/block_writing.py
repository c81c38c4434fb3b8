"""How a pack writes the blocks that a request asks for, so that a retriever can fill its share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.spec.format import FormatSpec


class BlockWriting(BaseModel):
    """What a format writes around each block."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form: FormatSpec = Field(description="The format of the pack.")
    separator: str = Field(description="Text between two blocks.")
    tag: str = Field(default="", description="The tag of the fence; empty without a fence.")
    guarded: bool = Field(default=False, description="Whether blocks may spell no tag.")
    remnant: int = Field(
        default=0,
        ge=0,
        description="The pack shortens a block that leaves at least so many tokens of text; 0: none.",
    )

    def compiled(self) -> PackFormat:
        """The format, ready to write blocks."""
        form = PackFormat.of(self.form, None, "writing")
        assert form is not None
        return form
