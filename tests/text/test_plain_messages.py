"""Plain messages are told from all others at a glance."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context.text.messages.plain import SPEAKING_ROLES, plain_contents

PLAIN = {"role": "user", "content": "a"}


def test_plain_messages_are_a_speaking_role_and_a_text() -> None:
    """Their texts are handed out in order."""
    assert plain_contents([]) == []
    roles = sorted(SPEAKING_ROLES)
    messages = [{"role": role, "content": f"{role} speaks"} for role in roles]
    assert plain_contents(messages) == [f"{role} speaks" for role in roles]


@pytest.mark.parametrize(
    "other",
    [
        {"role": "user", "content": None},
        {"role": "user", "content": ["a"]},
        {"role": "user", "content": "a", "name": "n"},
        {"role": "user"},
        {"content": "a"},
        {"role": "user", "text": "a"},
        {"role": None, "content": "a"},
        {"role": ["user"], "content": "a"},
        {"role": "tool", "content": "a"},
        {"role": "nobody", "content": "a"},
        "ab",
    ],
)
def test_anything_else_is_not_plain(other: Any) -> None:
    """Whatever else a message has or lacks takes the careful way."""
    assert plain_contents([PLAIN, other]) is None
