"""Where evidence comes from: a session and its messages, a file, a commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from biblicus_context.base.doors import door

ORIGIN: Final = "origin"
"""The metadata of a document or a block under which its origin is kept."""
_MOST: Final = 50
"""Messages of one origin."""
_LONGEST: Final = 300
"""Characters of a name."""


@door
@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where evidence comes from, as far as it is known.

    >>> Origin(session="monday", messages=("m1", "m2")).as_metadata()
    {'session': 'monday', 'messages': ['m1', 'm2']}
    """

    session: str | None = None
    """The conversation or meeting in which it was said."""
    messages: tuple[str, ...] = ()
    """The messages in which it was said, by id; 50 at most."""
    file: str | None = None
    """The file that it is from, by path."""
    commit: str | None = None
    """The commit that it is from, by hash."""

    @classmethod
    def of(cls, said: object) -> Self:
        """The origin in metadata; what is missing or has another type is unknown."""
        if not isinstance(said, Mapping):
            return cls()
        return cls(
            session=_name(said.get("session")),
            messages=_names(said.get("messages")),
            file=_name(said.get("file")),
            commit=_name(said.get("commit")),
        )

    def as_metadata(self) -> dict[str, str | list[str]]:
        """What is known of it, as it is kept with a document."""
        known = {
            "session": self.session,
            "messages": [*self.messages],
            "file": self.file,
            "commit": self.commit,
        }
        return {name: value for name, value in known.items() if value}

    def otherwise(self, usual: Origin) -> Self:
        """With what is known elsewhere in place of what is not known here."""
        return type(self)(
            session=self.session or usual.session,
            messages=self.messages or usual.messages,
            file=self.file or usual.file,
            commit=self.commit or usual.commit,
        )

    def __bool__(self) -> bool:
        return bool(self.session or self.messages or self.file or self.commit)


NOWHERE: Final = Origin()


def _name(value: object) -> str | None:
    return value[:_LONGEST] if isinstance(value, str) and value else None


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        return ()
    return tuple(name for each in value[:_MOST] if (name := _name(each)))
