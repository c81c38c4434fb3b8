"""The request the engine sends to a retriever."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.text.sound import Text


def own_copy(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata that a retriever may change without changing a declaration or another page's."""
    return {
        key: copy.deepcopy(value) if isinstance(value, dict | list) else value
        for key, value in metadata.items()
    }


class ContextRetrieverRequest(BaseModel):
    """One page of evidence, asked for."""

    model_config = ConfigDict(extra="forbid")

    query: Text = Field(description="What is looked for.")
    offset: int = Field(default=0, ge=0, description="Where in the ranked list to begin.")
    limit: int = Field(default=3, ge=1, description="Blocks at most.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Characters at most."
    )
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens at most.")
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="The retriever, its corpus and its configured fields."
    )

    def next_page(self) -> Self:
        """The request for what follows."""
        return self._with(offset=self.offset + self.limit)

    def halved(self) -> Self:
        """The same request, for half as much."""
        characters = self.maximum_total_characters
        return self._with(
            limit=max(1, self.limit // 2),
            maximum_total_characters=characters and max(1, characters // 2),
            max_tokens=self.max_tokens and max(1, self.max_tokens // 2),
        )

    def _with(self, **changes: Any) -> Self:
        """A changed copy with metadata of its own, as retrievers may write into theirs."""
        return self.model_copy(update={**changes, "metadata": own_copy(self.metadata)})
