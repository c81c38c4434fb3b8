"""Step 5: messages in order, and the same split into system prompt, history and user message."""

from __future__ import annotations

from typing import Any

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history.selection import copies
from biblicus_context.assembly.history.summary import summary_message
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.same_prefix import ComparedPrefix, same_prefix
from biblicus_context.assembly.steps.layout import HISTORY, MessageLayout


def place(draft: Draft) -> ContextAssemblyResult:
    """The result; it shares no object with what the caller passed."""
    layout = draft.layout
    assert layout is not None
    messages, history, user_message = _messages(layout, _past(draft))
    estimated = _estimated(draft)
    return ContextAssemblyResult(
        system_prompt=messages[0]["content"] if layout.has_system_prompt else "",
        history=history,
        user_message=user_message,
        token_count=draft.tokens,
        messages=messages,
        estimated=draft.limits.counter.estimated or bool(estimated),
        # The receipt does not need the caller's history, and a result must not keep it alive.
        draft=draft._replace(
            call=draft.call._replace(history=(), previous=None),
            estimated=estimated,
            same=_same(draft, messages),
        ),
    )


def _same(draft: Draft, messages: list[dict[str, Any]]) -> ComparedPrefix | None:
    """How much of the previous call these messages repeat; None where none was passed."""
    previous = draft.call.previous
    if previous is None:
        return None
    same = same_prefix(previous.messages, messages, draft.limits.meter)
    return ComparedPrefix(same.tokens, previous.tokens)


def _estimated(draft: Draft) -> tuple[str, ...]:
    """What in the kept turns has only an estimate; plain messages are texts, and exact."""
    assert draft.placement is not None
    kept = [run for run in draft.placement.history.kept if not run.plain]
    if not kept:
        return ()
    history = draft.call.history
    messages = (
        message
        for run in kept
        for turn in run.turns()
        for message in history[turn.first : turn.end]
    )
    return draft.limits.meter.estimates(messages)


def _past(draft: Draft) -> list[dict[str, Any]]:
    """The messages of the history, after the summary of what was dropped from it."""
    assert draft.placement is not None
    selection = draft.placement.history
    summary = [summary_message(selection.summary)] if selection.summary else []
    return [*summary, *copies(draft.call.history, selection.kept)]


def _messages(
    layout: MessageLayout, past: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """All messages; those that are neither the system prompt nor the user message; and the latter.

    `spans_of` follows the same layout: a message added here must be added there.
    """
    messages: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = []
    user_message = ""
    for number, placed in enumerate(layout.messages):
        if placed.role == HISTORY:
            messages += past
            history += past
            continue
        message = {"role": placed.role, "content": "".join(placed.content())}
        messages.append(message)
        if placed.texts[0].part == layout.user_part:
            user_message = message["content"]
        elif number or not layout.has_system_prompt:
            history.append(message)
    return messages, history, user_message
