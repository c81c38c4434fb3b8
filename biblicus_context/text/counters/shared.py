"""The counters that a whole process shares, and their memory."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from biblicus_context.base.doors import door
from biblicus_context.base.paths import resolved
from biblicus_context.errors import LoadError
from biblicus_context.text.counters.remembering import RememberingCounter
from biblicus_context.text.counters.simple import CharacterCounter, WhitespaceCounter
from biblicus_context.text.counters.splintr_library import SplintrCounter, bundled
from biblicus_context.text.counters.tiktoken_library import TiktokenCounter
from biblicus_context.text.counters.tokenizer_file import TokenizerFile
from biblicus_context.text.counters.vocabularies import VOCABULARIES, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from biblicus_context.text.counters.protocol import Counter


_USUAL: Final = "o200k_base"
_SPLINTR: Final = {
    each.name: SplintrCounter(
        each.name, partial(bundled, each.name), in_batches=each.lists_control_tokens
    )
    for each in VOCABULARIES
}


def _of_vocabulary(vocabulary: Vocabulary) -> Iterator[tuple[str, Counter]]:
    counting = _SPLINTR[vocabulary.name]
    counter = RememberingCounter(counting, splits_at_paragraphs=vocabulary.splits_at_paragraphs)
    return ((name, counter) for name in (vocabulary.name, *vocabulary.aliases))


BUILT_IN: Final[Mapping[str, Counter]] = MappingProxyType(
    {
        CharacterCounter.name: CharacterCounter(),
        WhitespaceCounter.name: RememberingCounter(WhitespaceCounter(), splits_at_paragraphs=True),
        **{name: counter for each in VOCABULARIES for name, counter in _of_vocabulary(each)},
    }
)


@door
def default_counter() -> Counter:
    """The default counter, o200k_base."""
    return BUILT_IN[_USUAL]


def tokens_of(text: str) -> Sequence[int]:
    """The tokens of a text in the default vocabulary: the smaller a number, the more frequent a token."""
    return _SPLINTR[_USUAL].tokens_of(text)


@lru_cache(maxsize=16)
def tiktoken_counter(encoding: str) -> Counter:
    """The counter of a tiktoken encoding."""
    return RememberingCounter(TiktokenCounter(encoding))


def file_counter(path: str) -> Counter:
    """The counter of a `tokenizer.json`, as the file is now."""
    file = resolved(Path(path))
    try:
        return _file_counter(path, str(file), file.stat().st_mtime_ns)
    except OSError as error:
        raise LoadError(f"the file cannot be read ({error.strerror})", file=path) from error


@lru_cache(maxsize=16)
def _file_counter(name: str, path: str, _modified: int) -> Counter:
    return RememberingCounter(TokenizerFile(name, path))
