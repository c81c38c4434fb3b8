"""The settings of a corpus that this package keeps itself."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import NameOrSettings, Spec


class CorpusSettings(Spec):
    """What a corpus says under `config:`."""

    root: str = Field(
        min_length=1,
        description="The folder of its files; a relative one begins at the declaring file.",
        examples=["../handbook"],
    )
    store: str | None = Field(
        default=None,
        min_length=1,
        description="The folder of its index, relative as the root is; without it "
        ".biblicus-context/NAME beside the root.",
        examples=["../indexes/handbook"],
    )
    embedder: NameOrSettings | None = Field(
        default="wordllama", description="What makes its vectors; null: words alone are searched."
    )
    include: tuple[str, ...] = Field(
        default=(), description="Only files of these .gitignore patterns.", examples=[["*.md"]]
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="No files of these .gitignore patterns.", examples=[["drafts/"]]
    )
    hidden: bool = Field(default=False, description="Whether names that begin with a dot count.")
