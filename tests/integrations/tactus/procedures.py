"""Real procedures, run by Tactus' own runtime, with a language model that answers from a list."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy
import pytest
from tactus.adapters.memory import MemoryStorage
from tactus.core.runtime import TactusRuntime

from biblicus_context import ContextAssemblyResult

Message = dict[str, Any]

AGENT = """
support = Agent {
  provider = "openai",
  model = "gpt-4o-mini",
  system_prompt = "You are Ada.",
  context = support_context
}
"""
"""An agent whose context is the one of this name."""


def asking(*questions: str) -> str:
    """A procedure that puts questions to the agent, one a turn."""
    turns = "".join(f"  answer = support({{message = {json.dumps(each)}}})\n" for each in questions)
    return f"Procedure {{ function(input)\n  local answer\n{turns}  return answer.output\nend }}\n"


def tool_call(name: str, **arguments: Any) -> dict[str, Any]:
    """An answer that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"text": "", "tool_calls": [{"id": "call", "type": "function", "function": function}]}


class FakeModel(dspy.BaseLM):
    """Keeps what it is sent; the last answer is given for ever."""

    def __init__(self, answers: Sequence[Any], sent: list[list[Message]]) -> None:
        super().__init__(model="openai/fake", model_type="chat")
        self._answers = answers
        self._sent = sent

    def __call__(self, prompt=None, messages=None, **kwargs):
        answer = self._answers[min(len(self._sent), len(self._answers) - 1)]
        self._sent.append(json.loads(json.dumps(messages)))
        return [answer]


@dataclass
class Ran:
    """What came of a procedure."""

    success: bool
    result: Any
    error: str
    sent: list[list[Message]] = field(default_factory=list)
    """The messages of each call of the model."""


class Stage:
    """Where procedures are played: a folder, and a model that is no model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self.folder = folder

    def __call__(
        self,
        source: str,
        *,
        answers: Sequence[Any] = ("Yes.",),
        dependencies: str = "auto",
        modules: Mapping[str, Any] | None = None,
        prepared: Callable[[TactusRuntime], None] = lambda runtime: None,
    ) -> Ran:
        sent: list[list[Message]] = []
        self._monkeypatch.setattr(
            "tactus.dspy.config.language_model", lambda model, settings: FakeModel(answers, sent)
        )
        (self.folder / "procedure.tac").write_text(source, encoding="utf-8")
        runtime = TactusRuntime(
            procedure_id="test",
            storage_backend=MemoryStorage(),
            source_file_path=str(self.folder / "procedure.tac"),
        )
        runtime.dependency_mode = dependencies
        for name, module in (modules or {}).items():
            runtime.register_python_module(name, module)
        prepared(runtime)
        ran = asyncio.run(runtime.execute(source, format="lua"))
        return Ran(ran["success"], ran.get("result"), str(ran.get("error", "")), sent)


def sent_as(result: ContextAssemblyResult) -> list[Message]:
    """The messages of a result as an agent sends them: its three parts in a row."""
    system = [{"role": "system", "content": result.system_prompt}] if result.system_prompt else []
    user = [{"role": "user", "content": result.user_message}] if result.user_message else []
    return [*system, *result.history, *user]
