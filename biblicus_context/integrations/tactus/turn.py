"""One turn of an agent, in the terms that Tactus has for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from biblicus_context import ContextAssembler, ContextAssemblyResult, ContextDeclaration
from biblicus_context.integrations.tactus.library import without_lua

_log = logging.getLogger(__name__)


class TurnAssembler(NamedTuple):
    """Has the one method that agents call."""

    assembler: ContextAssembler
    contexts: Mapping[str, Any]
    on_assembled: Callable[[ContextAssemblyResult], None] | None = None

    def assemble(
        self,
        context_name: str,
        base_system_prompt: str,
        history_messages: Sequence[Mapping[str, Any]],
        user_message: str | None,
        template_context: Mapping[str, Any],
        retriever_override: Callable[[Any], Any] | None = None,
    ) -> ContextAssemblyResult:
        """What the model is to be sent; plans place the agent's own prompt, schema of its answer
        included, by `base: true` or as `{base_system_prompt}`.
        """
        result = self.assembler.assemble(
            context_name,
            base_system_prompt,
            history_messages,
            user_message,
            {
                "base_system_prompt": base_system_prompt,
                **template_context,
                "input": self._inputs(context_name, template_context, user_message),
            },
            retriever_override,
        )
        _log.debug("context %s: %d tokens", context_name, result.token_count)
        if self.on_assembled is not None:
            self.on_assembled(result)
        return result

    def _inputs(
        self, context_name: str, given: Mapping[str, Any], message: str | None
    ) -> dict[str, Any]:
        """The turn's inputs without Lua; a `question` that Tactus added goes where none is declared."""
        inputs = {name: without_lua(value) for name, value in (given.get("input") or {}).items()}
        context = self.contexts.get(context_name)
        contract = context.inputs if isinstance(context, ContextDeclaration) else None
        if (
            contract is not None
            and "question" not in contract
            and inputs.get("question") == message
        ):
            inputs.pop("question", None)
        return inputs
