"""The request the engine sends to a retriever."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import NoneType
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.errors import InputError
from biblicus_context.text.valid_unicode import Text

ASSEMBLY: Final = "assembly"
"""The metadata key whose value is the same for all requests of one assembly."""
NOW: Final = "now"
"""The metadata key of the moment that recency and relative times are measured from, one per assembly."""

DEFAULT_LIMIT: Final = 3
"""Blocks of a request if neither the plan nor the share of the pack says how many."""

CHARACTERS_PER_TOKEN: Final = 4
"""What the engine requests if the plan does not limit the characters."""

_PLAIN = frozenset({NoneType, bool, int, float, str})


class ContextRetrieverRequest(BaseModel):
    """A request for one page of evidence."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    query: Text = Field(description="What is looked for.")
    offset: int = Field(default=0, ge=0, description="Where in the ranked list to begin.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, description="Blocks at most.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Characters at most."
    )
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens at most.")
    counter: str | None = Field(
        default=None, description="The name of what max_tokens is counted with."
    )
    shorten: bool = Field(
        default=True,
        description="Whether a block that is longer than max_tokens may be shortened by the retriever; "
        "false where the plan names a compactor, which then shortens it.",
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="The retriever, its corpus and its configured fields."
    )


class PageRequest(NamedTuple):
    """What the engine asks for; a retriever may change the request it gets, but never this."""

    query: str
    offset: int
    limit: int
    characters: int | None
    tokens: int | None
    metadata: Mapping[str, Any]
    counter: str | None = None
    shorten: bool = True

    def request(self) -> ContextRetrieverRequest:
        """A new request, with its own copy of the metadata."""
        return ContextRetrieverRequest(
            query=self.query,
            offset=self.offset,
            limit=self.limit,
            maximum_total_characters=self.characters,
            max_tokens=self.tokens,
            counter=self.counter,
            shorten=self.shorten,
            metadata=_own_values(self.metadata),
        )

    def following(self) -> PageRequest:
        """The request for the next page."""
        return self._replace(offset=self.offset + self.limit)

    def halved(self) -> PageRequest:
        """The same request with half the limits."""
        return self._replace(
            limit=max(1, self.limit // 2),
            characters=self.characters and max(1, self.characters // 2),
            tokens=self.tokens and max(1, self.tokens // 2),
        )


def _own_values(metadata: Mapping[str, Any]) -> dict[str, Any]:
    if _PLAIN.issuperset(map(type, metadata.values())):
        return dict(metadata)
    return {
        key: _copied(metadata, key) if isinstance(value, dict | list) else value
        for key, value in metadata.items()
    }


def _copied(metadata: Mapping[str, Any], key: str) -> Any:
    try:
        return copy.deepcopy(metadata[key])
    except Exception as error:  # the value is the caller's, and so is how it is copied
        place = f"retriever '{metadata.get('retriever')}' {key}"
        problem = f"a value in it cannot be copied ({type(error).__name__})"
        fix = "Pass texts, numbers, times, and lists and mappings of these."
        raise InputError(problem, place=place, fix=fix) from error
