"""Why a command could not run: a line for people, and with a format of JSON a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from biblicus_context.cli.output.terminal import warn, write_json
from biblicus_context.errors import ContextError, ProjectError

_JSON_FORMATS: Final = frozenset({
    "json", "messages",
    "openai", "openai-responses", "anthropic", "gemini", "langchain", "pydantic-ai",
})  # fmt: skip
_FIELDS: Final = (
    "problem", "place", "found", "valid", "fix",
    "file", "line", "column", "mistake", "budget", "needed", "parts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An error as a command reports it."""

    type: str
    message: str
    hint: str = ""
    """What follows the message: the usage of the command."""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The failure as a value of JSON."""
        about = {"type": self.type, "message": self.message, **self.fields}
        return {**about, "hint": self.hint} if self.hint else about


def failure_of(error: ContextError) -> ErrorReport:
    """An error of this package, with what its fields say."""
    return ErrorReport(type(error).__name__, str(error), fields=_fields(error))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON; it may be too wrong to be parsed.

    >>> wants_json(["render", "x", "--format", "json"]), wants_json(["list", "--format=text"])
    (True, False)
    """
    words = iter(arguments)
    said = ""
    for word in words:
        name, sign, value = word.partition("=")
        if name == "--format":
            said = value if sign else next(words, "")
    return said in _JSON_FORMATS


def report(failure: ErrorReport, *, as_json: bool) -> None:
    """Print it on the standard error; as JSON also on the standard output, which scripts read."""
    if as_json:
        write_json({"error": failure.as_json()})
    warn("\n".join(filter(None, (f"error: {failure.message}", failure.hint))))


def _fields(error: ContextError) -> dict[str, Any]:
    """The fields of an error that it has, as values of JSON."""
    found = {name: getattr(error, name, None) for name in _FIELDS}
    fields = {name: _plain(value) for name, value in found.items() if value not in (None, (), {})}
    if isinstance(error, ProjectError):
        fields["problems"] = [{"message": str(each), **_fields(each)} for each in error.problems]
    return fields


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool) else repr(value)
