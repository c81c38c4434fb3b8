"""Step 5: messages in order, and the same split into system prompt, history and user message."""

from __future__ import annotations

from typing import Any

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history.selection import copies
from biblicus_context.assembly.history.summary import summary_message
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.layout import HISTORY


def place(draft: Draft) -> ContextAssemblyResult:
    """The result; nothing in it is shared with what the caller handed in."""
    assert draft.standing is not None
    assert draft.layout is not None
    layout = draft.layout
    selection = draft.standing.history
    past: list[dict[str, Any]] = [summary_message(selection.summary)] if selection.summary else []
    past += copies(draft.call.history, selection.kept)
    messages: list[dict[str, Any]] = []
    system_prompt = "".join(layout.system_prompt)
    if system_prompt:
        messages.append({"role": "system", "content": system_prompt})
    history: list[dict[str, Any]] = []
    user_message = ""
    for placed in layout.messages:
        if placed.part == HISTORY:
            messages += past
            history += past
            continue
        content = "".join(placed.content)
        message = {"role": placed.role, "content": content}
        messages.append(message)
        if placed.part == layout.user_part:
            user_message = content
        else:
            history.append(message)
    if draft.call.previous is not None:
        from biblicus_context.assembly.result.same_prefix import same_prefix  # noqa: PLC0415 - seldom

        draft = draft._replace(same=same_prefix(draft.call.previous, messages, draft.limits))
    return ContextAssemblyResult(
        system_prompt=system_prompt,
        history=history,
        user_message=user_message,
        token_count=draft.tokens,
        messages=messages,
        estimated=draft.limits.counter.estimated,
        # The receipt does not need what was handed in, and a result must not keep it alive.
        draft=draft._replace(call=draft.call._replace(history=(), previous=None)),
    )
