"""The settings of a corpus that this package indexes."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import NameOrSettings, Spec


class CorpusSettings(Spec):
    """The settings of a corpus under `config:`."""

    root: str = Field(
        min_length=1,
        description="Folder of the source files, relative to the declaring file.",
        examples=["../handbook"],
    )
    store: str | None = Field(
        default=None,
        min_length=1,
        description="Folder of the index, relative to the declaring file. Default: "
        ".biblicus-context/NAME next to the root.",
        examples=["../indexes/handbook"],
    )
    embedder: NameOrSettings | None = Field(
        default="wordllama",
        description="Embedding model: `wordllama` (fast), `granite` (stronger), or settings; "
        "null searches by words only.",
        examples=["granite"],
    )
    include: tuple[str, ...] = Field(
        default=(),
        description="Index only files that match these .gitignore patterns.",
        examples=[["*.md"]],
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="Skip files that match these .gitignore patterns.",
        examples=[["drafts/"]],
    )
    hidden: bool = Field(
        default=False,
        description="Whether to index files and folders whose names start with a dot.",
    )
