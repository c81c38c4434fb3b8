"""The query of a retriever: a text, or a text with what the conversation adds to it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec, name_or_settings


class QuerySpec(StrictSpec):
    """What a retriever is asked."""

    template: str | None = Field(
        default=None,
        description="Text with placeholders and Jinja2. Default: input.query, else the user message.",
        examples=["{input.question}"],
    )
    follow_up: bool = Field(
        default=False,
        description="Add the user's last question of the conversation, so that 'and what about "
        "Team?' is found.",
    )
    rewrite: bool = Field(
        default=True, description="Whether the query_rewriter of the program may rewrite it."
    )


QueryReference: TypeAlias = Annotated[
    Annotated[QuerySpec, Tag("<settings>")] | Annotated[str, Tag("<name>")],
    Discriminator(name_or_settings),
]
"""A query as authors write it: a template, or a mapping with options."""


def query_spec(written: QuerySpec | str | None) -> QuerySpec:
    """The query with its options: a text is a template.

    >>> query_spec("{input.question}").template
    '{input.question}'
    """
    return written if isinstance(written, QuerySpec) else QuerySpec(template=written)
