"""What a corpus declares: its folder, which files, how they are cut, and where the index is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from biblicus_context.base.connections import connection_problem, connection_schema
from biblicus_context.spec.base import Name, Settings, Spec
from biblicus_context.spec.embedder import EmbedderReference


class CorpusDeclaration(Spec):
    """A corpus and its settings."""

    name: Name = Field(description="The name that retrievers use.", examples=["handbook"])
    config: Settings = Field(
        default_factory=dict, description="Settings, such as root.", examples=[{"root": "handbook"}]
    )


class ChunksSpec(Spec):
    """How large the blocks of a corpus are, in tokens."""

    tokens: int = Field(
        default=200,
        ge=1,
        le=100_000,
        description="A block of prose ends before it would have more tokens. A paragraph that "
        "cannot be divided may have twice as many.",
    )
    least: int | None = Field(
        default=None,
        ge=0,
        description="A smaller section shares a block with the next one; 0: none does. Default: a "
        "fifth of `tokens`.",
    )
    whole: int = Field(
        default=1024,
        ge=0,
        le=100_000,
        description="A record, a unit of code, and a file of one section stay one block up to this.",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.least is not None and self.least > self.tokens:
            raise ValueError(f"least ({self.least}) is larger than tokens ({self.tokens})")
        return self


OF_BIBLICUS: Final = (
    "configuration",
    "corpus_root",
    "index",
    "maximum_cache_total_characters",
    "maximum_cache_total_items",
    "pipeline",
    "split",
)
"""Settings that only a corpus of Biblicus has; others next to them are Biblicus' as well."""
OF_FILES: Final = ("include", "exclude", "hidden")
FILES_NEED_A_ROOT: Final = "`include`, `exclude` and `hidden` select files, so they need a `root`"


def has_index(config: Mapping[str, Any]) -> bool:
    """Whether retrievers of this package can search a corpus with this `config`."""
    return "root" in config or "store" in config


_SINCE: Final = r"^([12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])|[1-9][0-9]{0,4} ?[mhdw])$"
_SINCE_IS: Final = "since is a date such as 2025-01-31, or a duration such as 90d"
_GIT_PATH: Final = r"^[^\u0000]+$"
_GIT_PATH_IS: Final = (
    "a path in the repository is a text that is not empty, without null characters"
)
FILES_ONLY: Final = (
    "include, exclude and hidden select files: remove them, or use since and paths for commits"
)
GIT_NEEDS_A_ROOT: Final = "`source: git` needs a `root`: the top folder of a repository"
REDIS: Final = ("redis", "rediss", "unix")
"""How the URLs of a cache start."""
CACHE_IS: Final = (
    "a cache is redis://HOST:PORT/DATABASE without a password, or connection:NAME, whose URL is in the "
    "environment variable BIBLICUS_CONTEXT_CONNECTION_NAME"
)
GIT_ONLY: Final = "since and paths select commits: add source: git, or remove them"


def is_own_corpus(config: Mapping[str, Any]) -> bool:
    """Whether a corpus with this `config` is one of this package: files below a root, or a store."""
    theirs = any(key in config for key in OF_BIBLICUS if key != "index")
    # Both have this setting: ours is a word.
    return has_index(config) and not theirs and isinstance(config.get("index", ""), str)


def _since(text: str) -> str:
    if not re.fullmatch(_SINCE, text):
        raise ValueError(_SINCE_IS)
    return text


def _cache(text: str) -> str:
    if problem := connection_problem(text, REDIS):
        raise ValueError(problem)
    return text


def _git_path(text: str) -> str:
    if not re.fullmatch(_GIT_PATH, text):
        raise ValueError(_GIT_PATH_IS)
    return text


GitPath = Annotated[
    str,
    AfterValidator(_git_path),
    WithJsonSchema({"type": "string", "pattern": _GIT_PATH, "patternErrorMessage": _GIT_PATH_IS}),
]


class CorpusSettings(Spec):
    """The settings of a corpus under `config:`."""

    root: str | None = Field(
        default=None,
        min_length=1,
        description="Folder of the source files, relative to the declaring file. Without it, "
        "programs write the documents into `store`.",
        examples=["../handbook"],
    )
    store: str | None = Field(
        default=None,
        min_length=1,
        description="Folder of the index, relative to the declaring file, or a Postgres server: "
        "`connection:NAME`, or a URL without a password. Default: .biblicus-context/NAME next to the root.",
        examples=["../indexes/handbook", "connection:main"],
    )
    embedder: EmbedderReference | None = Field(
        default="granite",
        description="Embedding model: `granite` (finds more), `wordllama` (a hundred times as fast), or "
        "settings; null searches by words only.",
        examples=["wordllama", {"type": "openai", "model": "embed-small", "dimensions": 1536}],
    )
    cache: Annotated[str, AfterValidator(_cache)] | None = Field(
        default=None,
        min_length=1,
        description="A Redis or Valkey server, for answers and vectors of questions that processes share: "
        "redis://HOST:PORT/DATABASE, or connection:NAME for the URL in the environment variable "
        "BIBLICUS_CONTEXT_CONNECTION_NAME.",
        examples=["redis://localhost:6379/0", "connection:cache"],
        json_schema_extra=connection_schema(REDIS, CACHE_IS),
    )
    index: Literal["complete", "partial"] = Field(
        default="complete",
        description="Whether an index that is still being made, or whose making was interrupted, is "
        "an error (complete) or searched with a warning in the receipt (partial).",
        examples=["partial"],
    )
    chunks: ChunksSpec = Field(
        default_factory=ChunksSpec,
        description="How large blocks are, in tokens; after a change, index again.",
        examples=[{"tokens": 300, "whole": 800}],
    )
    quotations: Literal["drop", "mark", "keep"] = Field(
        default="drop",
        description="What to do with fenced evidence of an earlier result in a text: leave it out, "
        "mark its block with the ids that it quotes, or treat it as any text.",
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
    source: Literal["files", "git"] = Field(
        default="files",
        description="What is indexed: the files below the root, or the commits of the git repository "
        "whose top folder is the root.",
    )
    since: Annotated[str, AfterValidator(_since)] | None = Field(
        default=None,
        description="With `source: git`: index only commits since this date, or within this duration "
        "(m, h, d, w).",
        examples=["2025-01-31", "90d"],
        json_schema_extra={"pattern": _SINCE, "patternErrorMessage": _SINCE_IS},
    )
    paths: tuple[GitPath, ...] = Field(
        default=(),
        description="With `source: git`: index only commits that changed these files or folders.",
        examples=[["src", "docs/api.md"]],
    )

    @model_validator(mode="after")
    def _fits_its_source(self) -> Self:
        if self.source == "git" and (self.include or self.exclude or self.hidden):
            raise ValueError(FILES_ONLY)
        if self.source == "files" and (self.since is not None or self.paths):
            raise ValueError(GIT_ONLY)
        if self.source == "git" and self.root is None:
            raise ValueError(GIT_NEEDS_A_ROOT)
        return self

    @model_validator(mode="after")
    def _file_settings_have_a_root(self) -> Self:
        if self.root is None and (self.include or self.exclude or self.hidden):
            raise ValueError(FILES_NEED_A_ROOT)
        return self
