"""Where the parts that need numpy are loaded: by the first search, or by a large write."""

from __future__ import annotations

from types import ModuleType


def arrays() -> ModuleType:
    """All of this source that needs numpy."""
    from biblicus_context.stores.sqlite import arrays as loaded  # numpy is heavy

    return loaded
