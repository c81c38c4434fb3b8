"""The end of the conversation, as queries see it: bounded, whatever the history holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

MOST_MESSAGES: Final = 20
"""Of a conversation, the newest ones with a text."""
MOST_SEEN: Final = 200
"""Messages that are looked at for these; results of tools have no text of the conversation."""
MOST_CHARACTERS: Final = 4_000
"""Of one message."""
_ROLES: Final = ("user", "assistant")  # not a set: what a message has for a role may be anything


class RecentMessage(NamedTuple):
    """A message of the conversation, as a text."""

    role: str
    content: str


class RecentMessages(list[RecentMessage]):
    """The newest messages of user and assistant, oldest first, and what queries often need of them."""

    def __init__(self, messages: Sequence[RecentMessage] = ()) -> None:
        super().__init__(messages)
        self.users = [each.content for each in messages if each.role == "user"]
        self.last_user = self.users[-1] if self.users else ""

    def before(self, question: str) -> RecentMessages:
        """The messages before the question, where the history ends with it or with answers to it."""
        if not self.users or self.last_user != question[:MOST_CHARACTERS].strip():
            return self
        last = max(at for at, each in enumerate(self) if each.role == "user")
        return RecentMessages(self[:last])


def recent_messages(history: Sequence[Any]) -> RecentMessages:
    """The newest messages of a history that have a text.

    >>> recent_messages([{"role": "user", "content": "Hi"}, {"role": "tool", "content": "{}"}])
    [RecentMessage(role='user', content='Hi')]
    """
    newest = islice(reversed(history), MOST_SEEN)
    found = [*islice(_texts(newest), MOST_MESSAGES)]
    return RecentMessages(found[::-1])


def _texts(messages: Iterator[Any]) -> Iterator[RecentMessage]:
    for message in messages:
        if isinstance(message, Mapping) and message.get("role") in _ROLES:
            text = _text(message.get("content")).strip()
            if text:
                yield RecentMessage(message["role"], text)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content[:MOST_CHARACTERS]
    if not isinstance(content, list | tuple):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "\n".join(part[:MOST_CHARACTERS] for part in parts if isinstance(part, str))[
        :MOST_CHARACTERS
    ]
