"""Counting with Hugging Face's own library, for `tokenizer.json` files that splintr cannot read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.base.surrogates import replaced
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenizers import Tokenizer


class HuggingFaceCounter:
    """Counts with a tokenizer that is already loaded; control tokens are ordinary text."""

    estimated: Final = False

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        self.name = name
        self._tokenizer = tokenizer

    @classmethod
    def from_file(cls, path: str) -> HuggingFaceCounter:
        """A counter for the tokenizer that a `tokenizer.json` describes."""
        try:
            from tokenizers import Tokenizer  # an optional library
        except ImportError as error:
            raise MissingExtraError("tokenizers", "huggingface") from error
        tokenizer = Tokenizer.from_file(path)
        tokenizer.encode_special_tokens = True
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(path, tokenizer)

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_many((text,))[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        rows = self._tokenizer.encode_batch(
            [replaced(text) for text in texts], add_special_tokens=False
        )
        return [len(row) for row in rows]
