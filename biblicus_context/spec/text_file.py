"""An authored text: written in place, or in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, Tag

from biblicus_context.spec.base import Spec


class TextFileSpec(Spec):
    """A text in a file of its own."""

    file: str = Field(
        min_length=1,
        description="Path of the file, relative to this one, inside the project.",
        examples=["prompts/style.md"],
    )


def _kind(value: Any) -> str:
    return "file" if isinstance(value, dict | TextFileSpec) else "text"


def _read_already(value: object) -> object:
    """Reading a plan puts the text in the place of the file, so a file is left only without a plan."""
    if isinstance(value, TextFileSpec):
        raise ValueError(
            "a text from a file is relative to a plan file, and this context has none. "
            "Load the plan with ContextAssembler.from_path, or pass the text itself"
        )
    return value


if TYPE_CHECKING:
    AuthoredText: TypeAlias = str
else:
    # What an author may write is wider than what is left after reading, which is always a text.
    AuthoredText = Annotated[
        Annotated[TextFileSpec, Tag("file")] | Annotated[str, Tag("text")],
        Discriminator(_kind),
        AfterValidator(_read_already),
    ]
