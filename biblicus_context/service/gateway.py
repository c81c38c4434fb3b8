"""A gateway: a client of a provider changes its base URL, and its messages are those of a plan."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from biblicus_context import ContextAssembler, ContextAssemblyResult, FormatError, UnknownNameError
from biblicus_context.errors import BudgetError
from biblicus_context.formats import (
    CacheMarks,
    history_from_anthropic,
    history_from_openai,
    tools_from,
)
from biblicus_context.service.contexts import AssembleBody, ContextOperations, receipt_id
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.problems import Problem
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.upstream import Provider, Upstream, UpstreamRequest

Message: TypeAlias = dict[str, Any]

_GROUP: Final = "Gateway"
_TAIL: Final = {"tail": {"messages": [{"type": "history"}]}}
_NOTES: Final = (
    "The last user message is the plan's message, and its inputs `question`, `message` and `query`; "
    "other inputs are in `inputs`. What is before it is the history. All else is passed on as it is."
)


class GatewayBody(BaseModel):
    """A request as the provider's own API has it, and the inputs of the plan."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(min_length=1, max_length=256)
    messages: list[dict[str, JsonValue]] = Field(min_length=1)
    inputs: dict[str, JsonValue] = Field(default={}, description="Inputs of the plan.")
    tools: list[dict[str, JsonValue]] | None = None
    system: str | list[dict[str, JsonValue]] | None = None
    stream: bool | None = None


class ClientConversation(NamedTuple):
    """A conversation as a plan takes it."""

    system: str
    history: Sequence[Message]
    question: str
    tail: Sequence[Message]
    """What is after the question: calls of tools and their results, which stay at the end."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> ClientConversation:
        """The parts of a conversation, divided at the last user message."""
        leading = 0
        while leading < len(messages) and messages[leading]["role"] == "system":
            leading += 1
        texts = (_text(each) for each in messages[:leading])
        said = messages[leading:]
        users = [at for at, each in enumerate(said) if each["role"] == "user"]
        if not users:
            return cls("\n\n".join(texts), said, "", ())
        last = users[-1]
        # A message with pictures is sent as it is: a plan places texts.
        first = last + 1 if isinstance(said[last]["content"], str) else last
        return cls("\n\n".join(texts), said[:last], _text(said[last]), said[first:])


class GatewayOperations:
    """What clients of providers ask; each provider has the one upstream that is configured."""

    def __init__(self, contexts: ContextOperations, upstreams: Mapping[Provider, Upstream]) -> None:
        self._contexts, self._upstreams = contexts, upstreams
        self._tails = ContextAssembler(_TAIL)

    def all(self) -> list[Operation]:
        """An operation for each path of a configured provider."""
        at = "/v1/gateway/{name}"
        paths: dict[Provider, tuple[str, ...]] = {
            "openai": (f"{at}/chat/completions",),
            "anthropic": (f"{at}/messages", f"{at}/v1/messages"),
        }
        shapes: dict[Provider, Callable[[Problem], Any]] = {
            "openai": openai_error,
            "anthropic": anthropic_error,
        }
        return [
            Operation(
                name=f"gateway_{provider}{'' if number == 0 else '_sdk'}",
                method="POST",
                path=path,
                group=_GROUP,
                scope=KeyScope.READ,
                summary=f"{provider.capitalize()}'s own protocol, with the messages of a plan.",
                notes=_NOTES,
                body=GatewayBody,
                answer=dict[str, Any],
                work=self._openai if provider == "openai" else self._anthropic,
                reply=self._upstreams[provider].reply,
                shape=shapes[provider],
                is_foreign=True,
                headers={"X-Receipt-Id": "Names the receipt of the assembly."},
            )
            for provider in paths
            if provider in self._upstreams
            for number, path in enumerate(paths[provider])
        ]

    def _openai(self, call: OperationCall) -> UpstreamRequest:
        body: GatewayBody = call.body
        said = ClientConversation.of(history_from_openai(body.messages))
        result = self._result(call, said, [*(body.tools or ())])
        cache: CacheMarks = "auto" if self._upstreams["openai"].has_breakpoints else "off"
        messages = result.to_openai(cache=cache, foreign="keep")
        return _request(call, result, {"messages": messages})

    def _anthropic(self, call: OperationCall) -> UpstreamRequest:
        body: GatewayBody = call.body
        own, native = _tools_of_anthropic(body.tools or ())
        said = ClientConversation.of(history_from_anthropic(body.messages, body.system))
        result = self._result(call, said, own)
        arguments: dict[str, Any] = {**result.to_anthropic(tools=own, late_system="user")}
        if native:
            arguments["tools"] = [*arguments.get("tools", ()), *native]
        return _request(call, result, arguments)

    def _result(
        self, call: OperationCall, said: ClientConversation, tools: list[Message]
    ) -> ContextAssemblyResult:
        """The assembly of the plan, with what is after the question within the same budget."""
        body: GatewayBody = call.body
        asked = AssembleBody(
            inputs={**self._contexts.questions(call, said.question), **body.inputs},
            history=[*said.history],
            message=said.question,
            system=said.system,
            tools=tools,
            model=body.model,
        )
        try:
            result = self._contexts.result(call, asked)
        except UnknownNameError:  # the table has not this model: the one of the policy counts
            asked = asked.model_copy(update={"model": None})
            result = self._contexts.result(call, asked)
        if said.tail:
            asked, result = self._with_tail(call, asked, said.tail, result)
        self._contexts.remember(call, asked, result)
        return result

    def _with_tail(
        self,
        call: OperationCall,
        asked: AssembleBody,
        said: Sequence[Message],
        result: ContextAssemblyResult,
    ) -> tuple[AssembleBody, ContextAssemblyResult]:
        """The assembly with what was said after the question, within the same budget."""
        tail = self._tails.assemble("tail", history=said, model=asked.model).token_count
        budget = result.receipt.budget
        if budget is not None and result.token_count + tail > budget:
            if budget <= tail:
                problem = "what is after the last user message is more than the budget"
                raise BudgetError(problem, budget=budget, needed=tail)
            asked = asked.model_copy(update={"budget": budget - tail})
            result = self._contexts.result(call, asked)
        tokens = result.token_count + tail
        return asked, replace(result, messages=[*result.messages, *said], token_count=tokens)


def _request(
    call: OperationCall, result: ContextAssemblyResult, arguments: Mapping[str, Any]
) -> UpstreamRequest:
    given = json.loads(call.content)
    replaced = {"inputs", "system", "messages"}  # what a plan leaves out is not sent all the same
    rest = {name: value for name, value in given.items() if name not in replaced}
    content = json.dumps({**rest, **arguments}, ensure_ascii=False).encode()
    return UpstreamRequest(content, receipt_id(result))


def _tools_of_anthropic(tools: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Tools as our own formats have them, and those that only Anthropic has."""
    own: list[Message] = []
    native: list[Message] = []
    for each in tools:
        try:
            own += tools_from("anthropic", [each])
        except FormatError:
            native.append({name: value for name, value in each.items() if name != "cache_control"})
    return own, native


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    parts = (part.get("text") for part in content or () if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))


def openai_error(problem: Problem) -> dict[str, Any]:
    """A problem as OpenAI's clients expect errors."""
    is_budget = problem.type.endswith(":budget-error")
    return {
        "error": {
            "message": problem.detail,
            "type": _OPENAI.get(problem.status, "invalid_request_error"),
            "param": "messages" if is_budget else problem.place,
            "code": "context_length_exceeded" if is_budget else problem.type.rpartition(":")[2],
        }
    }


def anthropic_error(problem: Problem) -> dict[str, Any]:
    """A problem as Anthropic's clients expect errors."""
    kind = _ANTHROPIC.get(problem.status, "invalid_request_error")
    detail = problem.detail
    if problem.type.endswith(":budget-error"):
        detail = f"prompt is too long: {detail}"
    return {
        "type": "error",
        "error": {"type": kind, "message": detail},
        "request_id": problem.request_id,
    }


_OPENAI: Final = {
    401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    429: "rate_limit_error", 500: "server_error", 502: "server_error", 503: "server_error",
    504: "server_error",
}  # fmt: skip
_ANTHROPIC: Final = {
    401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 502: "api_error",
    503: "overloaded_error", 504: "timeout_error",
}  # fmt: skip
