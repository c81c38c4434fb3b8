"""The text that is searched instead of the one that is shown, for each kind of block."""

from __future__ import annotations

from biblicus_context.retrieval.analysis.identifiers import identifier_parts, split_identifiers
from biblicus_context.retrieval.analysis.unspaced import all_pairs


def text_index_text(text: str) -> str | None:
    """Prose is searched as it stands; None, unless its script has no spaces between words."""
    extra = all_pairs(text)
    return f"{text}\n{extra}" if extra else None


def code_index_text(text: str, *, language: str, name: str = "", docstring: str = "") -> str:
    """Code with its language and the parts of its names; its own name and docstring count twice.

    A corpus of one language has that language's name in every block, so it weighs nothing there.

    >>> print(code_index_text("def readAll(): ...", language="python", name="readAll"))
    python def readAll(): ...
    read All
    read All.
    """
    said = f"{split_identifiers(name)}. {docstring}".strip() if name else docstring
    lines = [
        f"{language} {text}",
        " ".join(identifier_parts(text)),
        said,
        all_pairs(text),
    ]
    return "\n".join(line for line in lines if line)


def turn_index_text(text: str, *, speaker: str = "", date: str = "") -> str:
    """A turn with who said it and when, as questions name both.

    >>> turn_index_text("I moved out.", speaker="Ada", date="8 May 2023")
    'Ada (8 May 2023): I moved out.'
    """
    said_by = f"{speaker} ({date})" if speaker and date else speaker or date
    line = f"{said_by}: {text}" if said_by else text
    extra = all_pairs(text)
    return f"{line}\n{extra}" if extra else line
