"""The text that is searched in place of the one that is shown, for each kind of block."""

from __future__ import annotations

from biblicus_context.retrieval.analysis.identifiers import identifier_parts, split_identifiers
from biblicus_context.retrieval.analysis.unspaced import all_pairs


def text_index_text(text: str) -> str | None:
    """Text with the pairs of unspaced scripts; None if prose can be searched as it is."""
    extra = all_pairs(text)
    return f"{text}\n{extra}" if extra else None


def code_index_text(text: str, *, language: str, name: str = "", docstring: str = "") -> str:
    """Code with its language and the parts of its names; its own name and docstring count twice.

    In a corpus of one language its name is in every block, so it weighs nothing there.

    >>> print(code_index_text("def readAll(): ...", language="python", name="readAll"))
    python def readAll(): ...
    read All
    read All.
    """
    title = f"{split_identifiers(name)}. {docstring}".strip() if name else docstring
    lines = [
        f"{language} {text}",
        " ".join(identifier_parts(text)),
        title,
        all_pairs(text),
    ]
    return "\n".join(line for line in lines if line)


def turn_index_text(text: str, *, speaker: str = "", date: str = "") -> str:
    """A turn with its speaker and date, as queries name both.

    >>> turn_index_text("I moved out.", speaker="Ada", date="8 May 2023")
    'Ada (8 May 2023): I moved out.'
    """
    label = f"{speaker} ({date})" if speaker and date else speaker or date
    line = f"{label}: {text}" if label else text
    extra = all_pairs(text)
    return f"{line}\n{extra}" if extra else line
