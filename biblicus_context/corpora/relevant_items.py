"""What a search found, with figures that fall in its order and compare with those of other searches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class RelevantItem(Generic[Item]):
    """An item that a search found, and how relevant it is, from 0 to 1."""

    item: Item
    relevance: float


@door
def ranked_items(items: Iterable[Item], similarities: Iterable[float]) -> list[RelevantItem[Item]]:
    """The items in the order of the search, which knows words as well, with the similarities as figures.

    >>> [each.relevance for each in ranked_items(["tea", "cup"], [0.5, 0.75])]
    [0.75, 0.5]
    """
    found, figures = [*items], sorted(similarities, reverse=True)
    if len(found) != len(figures):
        problem = f"a similarity is expected for each of {len(found)} items"
        raise InputError(problem, place="similarities", found=len(figures))
    return [RelevantItem(*each) for each in zip(found, figures, strict=True)]
