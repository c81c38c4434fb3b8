"""A message as text for people."""

from __future__ import annotations

import pytest

from biblicus_context.pages.wording import message_text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "user", "content": "Hi\nthere"}, "Hi\nthere"),
        ({"role": "user", "content": ""}, ""),
        ({"role": "assistant", "content": None}, ""),
        ({"role": "user", "content": ["a", {"type": "text", "text": "b"}]}, "a\nb"),
        (
            {"role": "user", "content": [{"type": "text", "text": "ü", "cache": True}]},
            '{"type": "text", "text": "ü", "cache": true}',
        ),
        ({"role": "tool", "content": "x", "tool_call_id": "1"}, 'x\n{"tool_call_id": "1"}'),
        (
            {"role": "user", "content": [{"type": "image", "data": "QUJD" * 200}]},
            '{"type": "image", "data": "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD... '
            '(800 characters, 49dbd03bf8234458)"}',
        ),
    ],
)
def test_what_is_not_text_is_json_on_a_line_of_its_own(message, text):
    assert message_text(message) == text
