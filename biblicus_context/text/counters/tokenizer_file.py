"""A model's own `tokenizer.json` as a counter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.file_content import file_content
from biblicus_context.base.forks import child_lock
from biblicus_context.base.paths import path_of
from biblicus_context.errors import ContextError, LoadError
from biblicus_context.text.counters.huggingface_library import HuggingFaceCounter
from biblicus_context.text.counters.splintr_library import SplintrCounter, from_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from biblicus_context.text.counters.protocol import Counter

FILE_NAME: Final = "tokenizer.json"


class TokenizerFile:
    """Counts with the tokenizer that a file describes, read at the first count.

    splintr is several times as fast as `tokenizers` and always installed, so it reads the kinds of
    files for which both agree. `tokenizers` reads the others.
    """

    estimated: Final = False

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self._path = path
        self._lock = child_lock()
        self._counter: Counter | None = None

    def count(self, text: str) -> int:
        """The tokens of one text."""
        return (self._counter or self._ready()).count(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return (self._counter or self._ready()).count_many(texts)

    def _ready(self) -> Counter:
        with self._lock:
            if self._counter is None:
                self._counter = _counter_of(self._path)
            return self._counter


def _counter_of(path: str) -> Counter:
    if _splintr_agrees(_read(path)):
        try:
            tokenizer = from_file(path)
        except ValueError:
            return HuggingFaceCounter.from_file(path)
        return SplintrCounter(path, lambda: tokenizer)
    return HuggingFaceCounter.from_file(path)


def _read(path: str) -> Mapping[str, Any]:
    try:
        config = json.loads(file_content(path_of(path, "counter")))
    except ContextError:
        raise
    except OSError as error:
        raise LoadError(f"the file cannot be read ({error.strerror})", file=path) from error
    except (ValueError, RecursionError) as error:
        raise LoadError(f"the file is not JSON ({error})", file=path) from error
    if not isinstance(config, dict) or not isinstance(config.get("model"), dict):
        raise LoadError("the file does not describe a tokenizer: it has no 'model'", file=path)
    return config


def _splintr_agrees(config: Mapping[str, Any]) -> bool:
    # splintr reads every BPE model as a byte-level one and ignores marks at the ends of words.
    model = config["model"]
    if model.get("type") != "BPE":
        return model.get("type") in {"Unigram", "WordPiece"}
    marked = model.get("end_of_word_suffix") or model.get("continuing_subword_prefix")
    bytewise = model.get("byte_fallback") or "ByteLevel" in json.dumps(config.get("pre_tokenizer"))
    return bool(bytewise and not marked)
