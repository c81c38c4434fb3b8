"""Embeddings from any server with OpenAI's embeddings protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from biblicus_context.base.surrogates import replaced
from biblicus_context.embedders.arrays import filled_in, numpy, unit_rows
from biblicus_context.embedders.embedder import CONTEXTUAL, Vectors
from biblicus_context.embedders.posting import Poster, Retries, quoted
from biblicus_context.errors import EmbedderError, InputError

_KEY: Final = re.compile("[!-~]+")


class OpenAICompatibleEmbedder:
    """Requests vectors in batches, and retries where that may help.

    Creating the embedder sends one request, so that a model of another size is noticed before any
    vector is stored.
    """

    vector_weight: ClassVar[float] = CONTEXTUAL

    def __init__(
        self,
        model: str,
        *,
        dimensions: int,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        shorten: bool = False,
        batch_size: int = 128,
        timeout_seconds: float = 30,
        retries: Retries | None = None,
    ) -> None:
        """`shorten` asks the server to cut vectors to `dimensions`, if its model supports it."""
        self.model = f"{model}@{dimensions}"
        self.dimensions = dimensions
        self._asked: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if shorten:
            self._asked["dimensions"] = dimensions
        self._batch_size = batch_size
        self._poster = Poster(
            f"{base_url.rstrip('/')}/embeddings",
            headers={"Authorization": f"Bearer {_sound(api_key)}"} if api_key else {},
            timeout_seconds=timeout_seconds,
            retries=retries or Retries(),
        )
        self.embed_query("What does this server return?")

    def embed(self, texts: Sequence[str]) -> Vectors:
        spoken = [replaced(text) for text in texts if text.strip()]  # servers reject empty texts
        batches = [
            self._batch(spoken[start : start + self._batch_size])
            for start in range(0, len(spoken), self._batch_size)
        ]
        rows = numpy().concatenate(batches) if batches else []
        checked = unit_rows(rows, count=len(spoken), dimensions=self.dimensions, model=self.model)
        return filled_in(texts, checked, self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row

    def close(self) -> None:
        """Close the connections."""
        self._poster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _batch(self, texts: Sequence[str]) -> Vectors:
        answer = self._poster.post({**self._asked, "input": texts})
        try:
            data = json.loads(answer)["data"]
            by_index = {entry["index"]: entry["embedding"] for entry in data}
            rows = [by_index[index] for index in range(len(texts))]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EmbedderError(
                f"the server of '{self.model}' did not return one embedding for each text "
                f"({type(error).__name__}: {error})",
                found=quoted(answer),
                fix="Check that base_url is the address of a server with OpenAI's embeddings protocol.",
            ) from None
        return unit_rows(rows, count=len(texts), dimensions=self.dimensions, model=self.model)


def _sound(key: str) -> str:
    """Return the key if a header can carry it; the error of httpx would show the key."""
    if not _KEY.fullmatch(key):
        raise InputError(
            "a key has no spaces, line breaks or letters beyond ASCII",
            place="api_key",
            fix="Copy it again, without the line break at its end.",
        )
    return key
