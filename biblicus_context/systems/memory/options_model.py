"""Options of a call as a model, of which each may be absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class OptionsModel(BaseModel):
    """Base of frozen models of options; one that is None has its default.

    >>> class Paging(OptionsModel): limit: int = 10
    >>> Paging(limit=None).limit
    10
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_none(cls, given: Any) -> Any:
        """A caller that passes its own arguments on has None where it was not told anything."""
        if isinstance(given, Mapping):
            return {name: value for name, value in given.items() if value is not None}
        return given
