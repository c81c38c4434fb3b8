"""A caller's own function as an embedder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.embedders.arrays import filled_in, unit_rows
from biblicus_context.embedders.embedder import CONTEXTUAL, Vectors
from biblicus_context.errors import EmbedderError


@door
class FunctionEmbedder:
    """Calls a function with a list of texts; it returns one vector for each.

    `query` is the function for questions, if the model treats them differently.
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        *,
        model: str,
        dimensions: int,
        query: Callable[[list[str]], Any] | None = None,
        vector_weight: float = CONTEXTUAL,
        languages: Collection[str] | None = None,
    ) -> None:
        """`languages` are the codes of those that the model knows, such as `{"en"}`; None: any."""
        self.model = model
        self.dimensions = dimensions
        self.vector_weight = vector_weight
        self.languages = None if languages is None else frozenset(languages)
        self._function = function
        self._query = query or function

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._called(self._function, texts)

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self._called(self._query, [text])[0]
        return row

    def _called(self, function: Callable[[list[str]], Any], texts: Sequence[str]) -> Vectors:
        spoken = [text for text in texts if text.strip()]
        try:
            rows = function(spoken) if spoken else []
        except Exception as error:
            # Not its text, which may hold a key: it is in the cause, for the caller alone.
            problem = f"embedder '{self.model}' failed ({type(error).__name__})"
            raise EmbedderError(problem) from error
        checked = unit_rows(rows, count=len(spoken), dimensions=self.dimensions, model=self.model)
        return filled_in(texts, checked, self.dimensions)
