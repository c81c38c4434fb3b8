"""Embeddings from any server with OpenAI's embeddings protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from biblicus_context.base.doors import door
from biblicus_context.base.options import require_counts
from biblicus_context.base.surrogates import replaced
from biblicus_context.embedders.arrays import filled_in, numpy, unit_rows
from biblicus_context.embedders.embedder import CONTEXTUAL, Vectors
from biblicus_context.embedders.posting import Poster, Retries
from biblicus_context.embedders.server import Server
from biblicus_context.errors import EmbedderError, InputError

_KEY: Final = re.compile("[!-~]+")
_BYTES_OF_A_NUMBER: Final = 48
"""The longest number is 25 bytes; the rest is for indentation."""
_BYTES_OF_A_TEXT: Final = 1024
_BYTES_BESIDES: Final = 64 * 1024
_LARGEST: Final = 256 * 1024 * 1024


@door
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
        require_counts(dimensions=dimensions, batch_size=batch_size)
        server = Server.at(base_url)
        # Two servers may call different models by one name: vectors are known by both.
        self.model = f"{model}@{dimensions}{'' if server.is_provider else f' {server.shown}'}"
        self.dimensions = dimensions
        self._asked: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if shorten:
            self._asked["dimensions"] = dimensions
        self._batch_size = batch_size
        self._poster = Poster(
            server,
            "/embeddings",
            key=_sound(api_key) if api_key else None,
            timeout_seconds=timeout_seconds,
            retries=retries or Retries(),
        )
        try:
            self.embed_query("What does this server return?")
        except BaseException:
            self.close()
            raise

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

    def _most(self, texts: Sequence[str]) -> int:
        """The size of the largest answer to these texts."""
        of_one = self.dimensions * _BYTES_OF_A_NUMBER + _BYTES_OF_A_TEXT
        return min(len(texts) * of_one + _BYTES_BESIDES, _LARGEST)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        answer = self._poster.post({**self._asked, "input": texts}, most_bytes=self._most(texts))
        try:
            data = _parsed(answer, len(texts))["data"]
            by_index = {entry["index"]: entry["embedding"] for entry in data}
            rows = [by_index[index] for index in range(len(texts))]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise EmbedderError(
                f"the server of '{self.model}' did not return one embedding for each text "
                f"({type(error).__name__}: {self._poster.hidden(str(error))})",
                found=self._poster.quoted(answer),
                fix="Check that base_url is the address of a server with OpenAI's embeddings protocol.",
            ) from None
        return unit_rows(rows, count=len(texts), dimensions=self.dimensions, model=self.model)


def _parsed(answer: bytes, count: int) -> Any:
    """The answer's JSON. An empty list is 2 bytes of an answer and 56 of memory, so more
    lists or mappings than an answer needs are refused unread."""
    if max(answer.count(b"["), answer.count(b"{")) > 4 * count + 64:
        raise ValueError("too many lists or mappings")
    return json.loads(answer)


def _sound(key: str) -> str:
    """The key if a header can carry it; the error of httpx would show the key."""
    if not _KEY.fullmatch(key):
        raise InputError(
            "a key has no spaces, line breaks or letters beyond ASCII",
            place="api_key",
            fix="Copy it again, without the line break at its end.",
        )
    return key
