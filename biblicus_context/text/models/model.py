"""What must be known of a model to count its tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from biblicus_context.text.messages.framing import UNSTATED_FRAMING, Framing
from biblicus_context.text.messages.images import UNSTATED, AnyImageRule, ImageRule


@dataclass(frozen=True, slots=True)
class Model:
    """A model, as the counters, budgets and meters need it."""

    name: str
    counter: str
    window: int | None = None
    framing: Framing = UNSTATED_FRAMING
    images: ImageRule = UNSTATED
    exact: bool = True
    """Whether the counter has the model's own vocabulary."""
    margin: float = 1.0
    """The factor on the counter's figure if the counter has another vocabulary."""
    reason: str = ""
    """Why the margin has this size."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How to count for a model whose vocabulary is not public."""

    counter: str
    margin: float
    reason: str


@dataclass(frozen=True, slots=True)
class TableContents:
    """The entries of a table."""

    models: Mapping[str, Model]
    keys: Mapping[str, str]
    """Names and aliases as `model_key` writes them, with the name of the model."""
    images: Mapping[str, AnyImageRule]
    estimates: Mapping[str, Estimate]


def model_key(name: str) -> str:
    """A name in the form in which names are compared: `Llama-3.1`, `llama3-1` and `LLAMA_3.1` are one."""
    return re.sub(r"(?<=[a-z])-(?=\d)", "", dashed(name))


def dashed(name: str) -> str:
    """A name in lower case, with one separator for all."""
    return re.sub(r"[._\s]+", "-", name.lower())
