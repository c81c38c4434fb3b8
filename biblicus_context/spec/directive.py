"""Directives: the entries of a context's `messages`, in the order they are placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from biblicus_context.spec.base import NameOrSettings, Settings, Spec
from biblicus_context.spec.budget import HistoryBudgetSpec
from biblicus_context.spec.pack import PackOptions


class ContextTemplateSpec(Spec):
    """A template with variables of its own."""

    template: str = Field(description="Text with {dotted.placeholders} and Jinja2.")
    vars: Settings = Field(
        default_factory=dict, description="Values that override top-level names in this text."
    )


class Directive(Spec):
    """Options of every directive."""

    when: str | None = Field(
        default=None,
        description="A Jinja2 expression; the directive is placed only where it holds.",
        examples=["input.language == 'de'"],
    )
    cache: bool = Field(
        default=False,
        description="Everything up to the end of this message stays the same from call to call:"
        "a provider may cache up to here.",
    )


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


class TextDirective(Directive):
    """A message with a fixed text."""

    type: Literal["system", "user", "assistant"]
    content: AuthoredText | None = Field(
        default=None,
        description="Text with {dotted.placeholders}; any other braces stay as they are. "
        "{file: PATH} takes it from a file.",
        examples=["You are a support agent for {input.product}."],
    )
    template: AuthoredText | None = Field(
        default=None,
        description="Text with placeholders and Jinja2; an unknown name is an error. "
        "{file: PATH} takes it from a file.",
        examples=["Question: {{ input.question }}"],
    )
    vars: Settings = Field(
        default_factory=dict, description="Values that override top-level names in this text."
    )

    @model_validator(mode="after")
    def _has_one_text(self) -> Self:
        if (self.content is None) == (self.template is None):
            noun = type(self).__name__.removesuffix("MessageSpec")
            raise ValueError(f"{noun} message must define either content or template")
        return self


class SystemMessageSpec(TextDirective):
    """A system message."""

    type: Literal["system"]
    base: bool = Field(
        default=False,
        description="Place the caller's base system prompt here instead of a text.",
    )
    shrink: bool = Field(
        default=False,
        description="Allow the compactor to shorten this text when nothing else can shrink.",
    )
    priority: int = Field(
        default=0, description="Order among texts that may shrink: lower values shrink first."
    )

    @model_validator(mode="after")
    def _has_one_text(self) -> Self:
        texts = (self.content is not None) + (self.template is not None) + self.base
        if texts != 1:
            raise ValueError(
                "System message must define either content or template (or base: true)"
            )
        return self


class UserMessageSpec(TextDirective):
    """A user message; the last one of the plan is the user message of the result."""

    type: Literal["user"]


class AssistantMessageSpec(TextDirective):
    """An assistant message, for few-shot examples or a prefilled answer."""

    type: Literal["assistant"]


class ContextInsertSpec(PackOptions, Directive):
    """Insert a pack: the text of a retriever or of another context."""

    type: Literal["context"]
    place: Literal["here", "quoted"] = Field(
        default="here",
        description="Where the pack is placed: here, or only where later texts of this context "
        "quote it as {context.NAME}.",
        examples=["quoted"],
    )


class HistoryInsertSpec(Directive):
    """Insert the conversation so far."""

    type: Literal["history"]
    keep_last: int = Field(
        default=0, ge=0, description="Number of newest turns that are never dropped.", examples=[2]
    )
    max_turns: int | None = Field(default=None, ge=0, description="Maximum number of turns.")
    budget: HistoryBudgetSpec | None = Field(
        default=None,
        description="Maximum tokens for the history (ratio is a part of the input budget), and "
        "min_tokens, which packs leave to it.",
    )
    start_on: Literal["user"] | None = Field(
        default=None, description="Drop older turns until the history starts with this role."
    )
    compactor: NameOrSettings | None = Field(
        default=None,
        description="Replace dropped turns by one summary message, written by this compactor.",
    )
    summary_heading: str = Field(
        default="Summary of the earlier conversation:",
        min_length=1,
        description="The first line of the summary message.",
        examples=["Zusammenfassung des bisherigen Gesprächs:"],
    )
    low_mark: float | None = Field(
        default=None,
        ge=0.5,
        le=1,
        description="When the history exceeds its budget, drop turns down to this part of it, then "
        "none until it is full again, so that a provider's cache stays valid. 1 drops as few as possible.",
        examples=[0.75],
    )
    pin: bool = Field(
        default=False, description="Never drop a turn; raise an error if the history does not fit."
    )


def _kind_of_alternative(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return _kind_of_directive(value)


def _text_as_system(value: object) -> object:
    return {"type": "system", "content": value} if isinstance(value, str) else value


Alternative = Annotated[
    Annotated[SystemMessageSpec, BeforeValidator(_text_as_system), Tag("text")]
    | Annotated[SystemMessageSpec, Tag("system")]
    | Annotated[UserMessageSpec, Tag("user")]
    | Annotated[AssistantMessageSpec, Tag("assistant")]
    | Annotated[ContextInsertSpec, Tag("context")],
    Discriminator(_kind_of_alternative),
]


class FirstSpec(Directive):
    """Place the first alternative that fits as a whole; a plain text is a system message."""

    first: tuple[Alternative, ...] = Field(
        min_length=1, description="Alternatives, from the longest to the shortest."
    )

    @model_validator(mode="after")
    def _places_what_it_chooses(self) -> Self:
        if any(isinstance(one, ContextInsertSpec) and one.place == "quoted" for one in self.first):
            raise ValueError(
                "An alternative is placed here: a pack with place: quoted cannot be one. "
                "Insert the pack before the group; an alternative can quote it"
            )
        return self


def _kind_of_directive(value: Any) -> str:
    if isinstance(value, dict):
        return "first" if "first" in value and "type" not in value else str(value.get("type"))
    return "first" if isinstance(value, FirstSpec) else str(getattr(value, "type", None))


ContextMessageSpec = Annotated[
    Annotated[SystemMessageSpec, Tag("system")]
    | Annotated[UserMessageSpec, Tag("user")]
    | Annotated[AssistantMessageSpec, Tag("assistant")]
    | Annotated[ContextInsertSpec, Tag("context")]
    | Annotated[HistoryInsertSpec, Tag("history")]
    | Annotated[FirstSpec, Tag("first")],
    Discriminator(_kind_of_directive),
]
"""One entry of `messages`."""
