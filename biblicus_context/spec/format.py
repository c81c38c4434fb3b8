"""Formats: how a pack is written, in place or declared under a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag

from biblicus_context.spec.base import Name, Spec, name_or, table

AROUND_ITEMS: Final = ("title", "header", "footer", "empty")
"""The keys of texts around the blocks of a pack, which packs of nested contexts may have too."""


def _names(value: object) -> object:
    """Names as JSON has them: what a discriminator has read is no longer JSON, where a list is enough."""
    return tuple(value) if isinstance(value, list) else value


class BlockFormatSpec(Spec):
    """How a block of evidence is written."""

    metadata: Annotated[bool | tuple[str, ...], BeforeValidator(_names)] = Field(
        default=False,
        description="Write metadata lines above the text: true for all fields, or a list of fields.",
        examples=[["source", "date"]],
    )
    fence: bool = Field(
        default=False,
        description="Wrap the text in tags that it cannot forge, to mark it as data.",
    )
    citations: Literal["inline"] | None = Field(
        default=None,
        description="Write a citation id before each block, which the answer can refer to.",
    )


class FormatSpec(BlockFormatSpec):
    """How a pack is written: its blocks, and the texts around them.

    Texts are templates: `{name}`, `{{ name }}` and Jinja2.
    """

    title: str | None = Field(
        default=None,
        description="First line of the pack; written only if the pack has content.",
        examples=["## Memories"],
    )
    header: str | None = Field(
        default=None,
        description="Text directly before the first block, which may end in line breaks.",
        examples=["Relevant memories:\n\n"],
    )
    item: str | None = Field(
        default=None,
        description="How a block is written. Default: its text.",
        examples=["- {content} ({path}:{lines})"],
    )
    items: Mapping[str, str] = Field(
        default_factory=dict,
        description="How a block is written, by its kind; item is for all other kinds.",
        examples=[{"commit": "{metadata.sha}: {content}"}],
    )
    together: Annotated[tuple[str, ...], BeforeValidator(_names)] = Field(
        default_factory=tuple,
        description="Kinds of blocks that are written as one, such as the messages of a conversation: "
        "after all others, oldest first, a line each, in one fence.",
        examples=[["message"]],
    )
    separator: str | None = Field(
        default=None,
        description="Text between two blocks. Default: join_with of the retriever.",
        examples=["\n"],
    )
    footer: str | None = Field(
        default=None,
        description="Text directly after the last block.",
        examples=["\n---\n*{count} of {total} items*"],
    )
    empty: str | None = Field(
        default=None,
        description="Text in place of the blocks if the retriever finds nothing. Default: the pack "
        "is left out with its title.",
        examples=["_No relevant content found._"],
    )
    cut_note: str | None = Field(
        default=None,
        description="Text directly after the text of a block that is shortened.",
        examples=[" (shortened, see {path}:{lines})"],
    )

    def with_facts(self, *facts: str, metadata: Iterable[str] = ()) -> Self:
        """The same with lines of metadata and facts above an item, unless it names one of the facts itself.

        >>> FormatSpec(item="- {{content}}").with_facts("kind").item
        'kind: {{kind}}\\n- {{content}}'
        """
        item = self.item or "{{content}}"
        if any(fact in item for fact in facts):
            return self
        lines = "".join(f"{fact}: {{{{{fact}}}}}\n" for fact in facts)
        return self.model_copy(update={"item": f"{lines}{item}", "metadata": (*metadata,)})

    def templates(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Every template with its keys."""
        single = {
            "title": self.title,
            "header": self.header,
            "footer": self.footer,
            "empty": self.empty,
            "item": self.item,
            "cut_note": self.cut_note,
        }
        for key, text in single.items():
            if text is not None:
                yield (key,), text
        for kind, text in self.items.items():
            yield ("items", kind), text


FormatReference = Annotated[
    Annotated[FormatSpec, Tag("format")] | Annotated[str, Tag("name")],
    Discriminator(name_or("format")),
    BeforeValidator(table),
]
"""A format written in place, or the name of a declared one."""


class FormatDeclaration(Spec):
    """A named format that several packs can share."""

    name: Name = Field(description="The name that packs use.")
    format: FormatSpec
