"""A report's JSON as text."""

from __future__ import annotations

import json
from typing import Any

from biblicus_context.base.visible import CONTROLS


def json_text(document: dict[str, Any]) -> str:
    """The document as JSON; a control character is an escape, also where JSON lets it through."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
