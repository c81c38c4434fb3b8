"""For mkdocstrings: examples in docstrings are code, where Markdown would take `>>>` for a quotation."""

from __future__ import annotations

import re
from typing import Any, Final

from griffe import Extension, Object

_EXAMPLE: Final = re.compile(
    r"(?:^>>> .*(?:\n(?!\n).*)*)(?:\n\n>>> .*(?:\n(?!\n).*)*)*", re.MULTILINE
)


class DocstringFences(Extension):
    """Puts each example of a docstring between fences."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """The docstring with its examples between fences.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2")
    'Adds.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", docstring)
