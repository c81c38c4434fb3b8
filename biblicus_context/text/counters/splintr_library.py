"""Counting with splintr: bundled vocabularies and most `tokenizer.json` files."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from biblicus_context.base.forks import child_lock
from biblicus_context.base.surrogates import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from splintr import AnyTokenizer

_BYTES_PER_TOKEN: Final = 4
_BYTES_PER_OFFSET: Final = 8
_WORTH_A_BATCH: Final = 64


def bundled(name: str) -> AnyTokenizer:
    """Load a vocabulary from the wheel."""
    from splintr import Tokenizer  # a heavy library, loaded at the first count

    return Tokenizer.from_pretrained(name)


def from_file(path: str) -> AnyTokenizer:
    """Load the tokenizer of a `tokenizer.json`; ValueError if splintr cannot read it."""
    from splintr import from_json  # a heavy library, loaded at the first count

    return from_json(path)


def from_bytes(content: bytes) -> AnyTokenizer:
    """Load the tokenizer of the content of a `tokenizer.json`."""
    from splintr import from_json_bytes  # a heavy library, loaded when first used

    return from_json_bytes(content)


class SplintrCounter:
    """Counts with one vocabulary, loaded at the first count; control tokens are ordinary text.

    Set `in_batches` only if splintr lists everything that it takes for a control token. It does not
    list Gemma's tags, such as <table>.
    """

    estimated: Final = False

    def __init__(
        self, name: str, load: Callable[[], AnyTokenizer], *, in_batches: bool = False
    ) -> None:
        self.name = name
        self._load = load
        self._in_batches = in_batches
        self._lock = child_lock()
        self._loaded: _Loaded | None = None

    def count(self, text: str) -> int:
        """The tokens of one text."""
        loaded = self._loaded or self._ready()
        if not text:
            return 0
        try:
            return loaded.count(text)
        except UnicodeEncodeError:
            return loaded.count(replaced(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, counted on all cores if that is safe."""
        if not self._in_batches:
            return [self.count(text) for text in texts]
        loaded = self._loaded or self._ready()
        if loaded.spells_control_token("\0".join(texts)):
            return self._count_mixed(texts, loaded)
        return loaded.count_each(texts)

    def tokens_of(self, text: str) -> Sequence[int]:
        """The tokens of one text, as numbers of the vocabulary."""
        loaded = self._loaded or self._ready()
        ids, _ = encoded(loaded.tokenizer, [replaced(text)])
        return struct.unpack(f"<{len(ids) // _BYTES_PER_TOKEN}I", ids)

    def _count_mixed(self, texts: Sequence[str], loaded: _Loaded) -> list[int]:
        plain = [text for text in texts if not loaded.spells_control_token(text)]
        counts = iter(loaded.count_each(plain))
        return [
            self.count(text) if loaded.spells_control_token(text) else next(counts)
            for text in texts
        ]

    def _ready(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _prepared(self._load())
            return self._loaded


class _Pool:
    """splintr's threads, one for each core: a process that was forked after they started has none,
    and would wait for them for ever."""

    def __init__(self) -> None:
        self._has_started = self._is_lost = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._lose)

    def may_be_used(self) -> bool:
        """Whether it is there; it starts at its first use."""
        self._has_started = True
        return not self._is_lost

    def _lose(self) -> None:
        self._is_lost = self._has_started


_POOL: Final = _Pool()


def encoded(tokenizer: AnyTokenizer, texts: Sequence[str]) -> tuple[bytes, Sequence[int]]:
    """The tokens of texts in a row, as packed numbers of 32 bits, and where each text begins and ends."""
    if len(texts) >= _WORTH_A_BATCH and _POOL.may_be_used():
        ids, offsets = tokenizer.encode_batch_flat(list(texts))
        return ids, struct.unpack(f"<{len(offsets) // _BYTES_PER_OFFSET}Q", offsets)
    each = [tokenizer.encode_flat(text) for text in texts]
    lengths = (len(ids) // _BYTES_PER_TOKEN for ids in each)
    return b"".join(each), [*accumulate(lengths, initial=0)]


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: AnyTokenizer
    frame: int
    """Tokens that the tokenizer adds to every text, such as [CLS] and [SEP]."""
    openings: tuple[tuple[str, str], ...]
    """The first character, and the first two, of every control token."""

    def count(self, text: str) -> int:
        return len(self.tokenizer.encode_ordinary(text)) - self.frame

    def spells_control_token(self, text: str) -> bool:
        # To find one character takes a tenth of the time that two take.
        for first, opening in self.openings:  # noqa: SIM110 - a generator costs more than the search
            if first in text and opening in text:
                return True
        return False

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Count texts without control tokens: the fast methods turn such text into one token."""
        flat, frame = self.tokenizer.encode_flat, self.frame
        try:
            if len(texts) >= _WORTH_A_BATCH and _POOL.may_be_used():
                return self._count_batch(texts)
            return [len(flat(text)) // _BYTES_PER_TOKEN - frame if text else 0 for text in texts]
        except UnicodeEncodeError:
            return self.count_each([replaced(text) for text in texts])

    def _count_batch(self, texts: Sequence[str]) -> list[int]:
        frame = self.frame
        _, offsets = self.tokenizer.encode_batch_flat(list(texts))
        starts = struct.unpack(f"<{len(offsets) // _BYTES_PER_OFFSET}Q", offsets)
        return [
            end - start - frame if text else 0
            for text, (start, end) in zip(texts, pairwise(starts), strict=True)
        ]


def _prepared(tokenizer: AnyTokenizer) -> _Loaded:
    frame = len(tokenizer.encode_ordinary("a")) - len(tokenizer.encode_raw("a"))
    openings = {(token[:1], token[:2]) for token in tokenizer.special_tokens()}
    return _Loaded(tokenizer, frame, tuple(sorted(openings)))
