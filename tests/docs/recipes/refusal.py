"""What a provider refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tests.formats.settled import accepted

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class RefusedError(Exception):
    """A request that a provider answers with status 400."""


def demand(so: object, problem: str, found: object = None) -> None:
    """Refuse what is not so."""
    if not so:
        raise RefusedError(problem if found is None else f"{problem}: {json.dumps(found)}")


def demand_shape(adapter: TypeAdapter[Any], body: Mapping[str, Any]) -> None:
    """Refuse what the SDK's own types do not have, or do not know."""
    try:
        known = accepted(adapter, body)
    except ValidationError as error:
        raise RefusedError(str(error)) from None
    demand(known == body, "unknown parameters", {"sent": body, "known": known})


def demand_text(content: object, found: object) -> None:
    """Refuse content that is nothing: no text, or parts of which one has none."""
    parts = [{"text": content}] if isinstance(content, str) else content
    demand(isinstance(parts, list) and parts, "content is empty", found)
    assert isinstance(parts, list)
    for part in parts:
        demand(part.get("text", "x").strip(), "text content blocks must be non-empty", found)
