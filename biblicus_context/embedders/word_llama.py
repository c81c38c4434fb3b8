"""The fastest embedder: a static model in the `wordllama` wheel.

Only the model's files are used. Importing the library takes three times as long and configures the
caller's logging, and its pooling pads every text of a batch to the longest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from biblicus_context.base.doors import door
from biblicus_context.embedders.arrays import numpy, spoken_rows
from biblicus_context.embedders.embedder import ENGLISH, STATIC, Vectors
from biblicus_context.embedders.wheel_files import folder_of, tensors
from biblicus_context.errors import MissingExtraError
from biblicus_context.text.counters.splintr_library import encoded, from_file

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_EXTRA = "corpus"
_BATCH = 256
_LONGEST = 50_000
"""Characters of a text that are read; more would hardly change their average."""


@door
class WordLlamaEmbedder:
    """Returns the mean of a text's token vectors; about 50,000 short texts per second on two cores."""

    model: ClassVar[str] = "wordllama/l2_supercat_256"
    dimensions: ClassVar[int] = 256
    vector_weight: ClassVar[float] = STATIC
    languages: ClassVar[frozenset[str]] = ENGLISH

    @staticmethod
    def is_installed() -> bool:
        """Whether the wheel with its vectors is."""
        return folder_of("wordllama") is not None

    def embed(self, texts: Sequence[str]) -> Vectors:
        return spoken_rows(
            texts, _means, longest=_LONGEST, dimensions=self.dimensions, model=self.model
        )

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


@dataclass(frozen=True, slots=True)
class _Files:
    tokenizer: AnyTokenizer
    vectors: Any
    """The vector of each token."""

    def token_ids(self, texts: Sequence[str]) -> Iterator[Any]:
        """The tokens of each text, without the mark at its beginning."""
        np = numpy()
        ids, borders = encoded(self.tokenizer, texts)
        every = np.frombuffer(ids, "<u4").astype(np.intp)
        for start, end in pairwise(borders):
            yield every[start + 1 : end]


def _means(texts: Sequence[str]) -> Vectors:
    np = numpy()
    files = _files()
    means: Vectors = np.empty((len(texts), WordLlamaEmbedder.dimensions), dtype=np.float32)
    lengths = np.empty((len(texts), 1), dtype=np.float32)
    take, add = files.vectors.take, np.add.reduce
    for start in range(0, len(texts), _BATCH):
        for index, ids in enumerate(files.token_ids(texts[start : start + _BATCH]), start):
            add(take(ids, axis=0), axis=0, out=means[index])
            lengths[index] = len(ids)
    means /= lengths
    return means


@cache
def _files() -> _Files:
    numpy()
    folder = folder_of("wordllama")
    if folder is None:
        raise MissingExtraError("wordllama", _EXTRA)
    # The same tokens as the library's own tokenizer (a test compares them) in a third of the time.
    tokenizer = from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    weights = tensors(folder / "weights" / "l2_supercat_256.safetensors", extra=_EXTRA)
    return _Files(tokenizer, weights["embedding.weight"])
