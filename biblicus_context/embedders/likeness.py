"""How alike texts are by the cosine of their vectors, on one scale for all models.

Two texts that have nothing in common have a cosine near 0 in some models, and of a half in others. So a
floor that keeps foreign questions silent with one would do nothing with another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from biblicus_context.base.doors import door
from biblicus_context.embedders.arrays import numpy
from biblicus_context.embedders.granite import GraniteEmbedder
from biblicus_context.embedders.word_llama import WordLlamaEmbedder
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Numbers

UNRELATED: Final[Mapping[str, float]] = {GraniteEmbedder.model: 0.5}
"""By model the cosine of a question and the best of blocks that have nothing to do with it; 0 of others.

Of every tenth question the best of 20 pages to 1,400 abstracts is no more alike: `python -m benchmarks.floors`.
"""
FLOORS: Final[Mapping[str, float]] = {GraniteEmbedder.model: 0.15, WordLlamaEmbedder.model: 0.05}
"""By model how alike a question and its best block are at least, on the scale of `likeness_of`.

No question of 401 that has an answer is below it, over pages, abstracts, functions and meetings. Of questions that
have none 37 to 82 % are with `granite`, 1 % over meetings, and hardly any with `wordllama`.
"""


@door
def floor_of(model: str) -> float | None:
    """The `best` of a `min_score` that keeps every question with an answer; None if it was not measured.

    >>> floor_of("granite-embedding-30m-english-int8")
    0.15
    """
    return FLOORS.get(model)


@door
def unrelated(model: str) -> float:
    """The cosine that is 0 on the scale of `likeness_of`.

    >>> unrelated("granite-embedding-30m-english-int8"), unrelated("another")
    (0.5, 0.0)
    """
    return UNRELATED.get(model, 0.0)


@door
def likeness_of(cosines: Numbers, model: str) -> Numbers:
    """From 0, as alike as any two texts are, to 1.

    >>> import numpy as np
    >>> likeness_of(np.array([0.4, 0.5, 0.75, 1.0]), GraniteEmbedder.model).tolist()
    [0.0, 0.0, 0.5, 1.0]
    >>> likeness_of(np.array([-0.1, 0.4]), "another").tolist()
    [0.0, 0.4]
    """
    if not isinstance(cosines, float) and not hasattr(cosines, "__array__"):
        raise InputError("an array of numbers is expected", place="cosines", found=cosines)
    zero = unrelated(model)
    alike: Numbers = numpy().clip((cosines - zero) / (1 - zero), 0.0, 1.0)
    return alike
