"""The arguments of one call: files are read, retrievers answer from recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple, TypeVar

from biblicus_context.golden.running.projects import retrievers_of
from biblicus_context.golden.running.recorded import RecordedAnswer, RecordedRetrievers
from biblicus_context.golden.suite.data import blocks_of, read_blocks, read_mappings
from biblicus_context.golden.suite.layers import Path
from biblicus_context.golden.suite.suite import Suite
from biblicus_context.golden.suite.trials import Exchange
from biblicus_context.reading.project import Project
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.spec.recorded import (
    Answer,
    AnswerSpec,
    Block,
    FailureSpec,
    MessageSpec,
    RepeatedMessagesSpec,
)

T = TypeVar("T")
Message = Mapping[str, Any]

_MOST_MESSAGES: Final = 1_000_000


class CallArguments(NamedTuple):
    """The arguments of one call of `assemble`, and the retrievers that answer it."""

    context: str
    arguments: Mapping[str, Any]
    history: Sequence[Message]
    retrievers: RecordedRetrievers


@dataclass(frozen=True)
class ArgumentReader:
    """Reads the arguments of the calls of a suite; raises LoadError for a mistake in a test."""

    suite: Suite
    project: Project
    _read: dict[tuple[FilePath, str], Any] = field(default_factory=dict)

    @property
    def files(self) -> list[FilePath]:
        """The files of data that were read so far."""
        return [file for file, _ in self._read]

    def handed(self, exchange: Exchange, case: Path) -> CallArguments:
        """The arguments of this call; `case` is the path of its case."""
        given = exchange.given
        context = self._context(exchange, case)
        history = [*self._history(exchange), *map(_message, exchange.added)]
        options = {
            "inputs": given.inputs,
            "tools": self._tools(exchange),
            "model": given.model,
            "budget": given.budget,
            "shares": given.shares,
        }
        return CallArguments(
            context,
            {
                "user_message": given.user_message,
                "base_system_prompt": given.base_system_prompt,
                "template_context": given.template_context,
                **{name: value for name, value in options.items() if value is not None},
            },
            history,
            RecordedRetrievers(self._answers(exchange, context)),
        )

    def _context(self, exchange: Exchange, case: Path) -> str:
        name, tree = exchange.given.context, self.suite.tree
        if name is None:
            fix = "Add 'context: NAME' to the case, or once under defaults."
            raise tree.error("the case does not name a context", tree.at(case).place, fix=fix)
        if name not in self.project.contexts:
            place = tree.at(_said_at(exchange, "context")).place
            valid = sorted(self.project.contexts)
            raise tree.error("unknown context", place, found=name, valid=valid)
        return name

    def _history(self, exchange: Exchange) -> Sequence[Message]:
        history = exchange.given.history
        if history is None:
            return ()
        path = _said_at(exchange, "history")
        if not isinstance(history, RepeatedMessagesSpec):
            return self._messages(history, path)
        messages = self._messages(history.messages, (*path, "messages"))
        if len(messages) * history.times > _MOST_MESSAGES:
            tree, problem = self.suite.tree, f"a history has at most {_MOST_MESSAGES:,} messages"
            found = f"{len(messages):,} x {history.times:,}"
            raise tree.error(problem, tree.at((*path, "times")).place, found=found)
        return [*messages] * history.times

    def _messages(self, messages: Sequence[MessageSpec] | str, path: Path) -> Sequence[Message]:
        if isinstance(messages, str):
            return self._file(messages, path, read_mappings)
        return [_message(message) for message in messages]

    def _tools(self, exchange: Exchange) -> Sequence[Mapping[str, Any]] | None:
        tools = exchange.given.tools
        if isinstance(tools, str):
            return self._file(tools, _said_at(exchange, "tools"), read_mappings)
        return tools

    def _answers(self, exchange: Exchange, context: str) -> dict[str, RecordedAnswer]:
        asked = retrievers_of(self.project, context)
        answers = {}
        for name, answer in (exchange.given.packs or {}).items():
            path = (*_said_at(exchange, "packs", name), "packs", name)
            if name in asked:
                answers[name] = self._answer(name, answer, path, asked[name])
            elif path[0] != "defaults":  # defaults may serve cases of other contexts too
                self._refuse(name, path, context, sorted(asked))
        return answers

    def _answer(
        self, name: str, answer: Answer, path: Path, timeouts: set[float | None]
    ) -> RecordedAnswer:
        if not isinstance(answer, AnswerSpec):
            return RecordedAnswer(self._blocks(name, answer, path))
        blocks = self._blocks(name, answer.blocks, (*path, "blocks"))
        fails = answer.fails
        failure = FailureSpec(message=fails) if isinstance(fails, str) else fails
        return RecordedAnswer(blocks, failure, self._is_too_late(answer, path, timeouts))

    def _blocks(
        self, name: str, blocks: Sequence[Block] | str, path: Path
    ) -> tuple[ContextPackBlock, ...]:
        if isinstance(blocks, str):
            return tuple(self._file(blocks, path, lambda file: read_blocks(file, name), name))
        return tuple(blocks_of(blocks, name))

    def _is_too_late(self, answer: AnswerSpec, path: Path, timeouts: set[float | None]) -> bool:
        if answer.delay_seconds is None:
            return False
        if len(timeouts) > 1:
            tree = self.suite.tree
            problem = "the pack is inserted with different timeouts, so it is unclear which one a delay exceeds"
            raise tree.error(problem, tree.key_place((*path, "delay_seconds")))
        (timeout,) = timeouts
        return timeout is not None and answer.delay_seconds > timeout

    def _file(self, name: str, path: Path, read: Callable[[FilePath], T], purpose: str = "") -> T:
        """The content of a data file, read once."""
        file = self.suite.file.parent / name
        if not file.is_file():
            place = self.suite.tree.at(path).place
            fix = "Paths are relative to the file of the test."
            raise self.suite.tree.error("the file does not exist", place, found=name, fix=fix)
        if (file, purpose) not in self._read:
            self._read[file, purpose] = read(file)
        value: T = self._read[file, purpose]
        return value

    def _refuse(self, name: str, path: Path, context: str, asked: Sequence[str]) -> None:
        tree = self.suite.tree
        raise tree.error(
            f"context '{context}' does not query a retriever of this name",
            tree.key_place(path),
            found=name,
            valid=asked,
            fix=None if asked else "It does not insert any retriever.",
        )


def _message(message: MessageSpec) -> Message:
    """The fields of a message that the author wrote, with tuples as lists."""
    content = message.content
    fields = {
        "role": message.role,
        "content": list(content) if isinstance(content, tuple) else content,
        "name": message.name,
        "tool_calls": None if message.tool_calls is None else list(message.tool_calls),
        "tool_call_id": message.tool_call_id,
        "function_call": message.function_call,
        "refusal": message.refusal,
        "reasoning_content": message.reasoning_content,
    }
    return {name: value for name, value in fields.items() if name in message.model_fields_set}


def _said_at(exchange: Exchange, key: str, name: str | None = None) -> Path:
    """The path of the last layer that sets a key, or a name under it."""
    for layer in reversed(exchange.layers):
        said = dict(layer.spec).get(key)
        if said is not None and (name is None or name in said):
            return layer.path if name is not None else (*layer.path, key)
    raise AssertionError(f"no layer sets {key}")
