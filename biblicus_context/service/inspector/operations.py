"""The pages and the operations of the inspector."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field, JsonValue
from starlette.responses import Response

from biblicus_context import ContextAssemblyResult
from biblicus_context.assembly import saved_from
from biblicus_context.errors import BudgetError, InputError
from biblicus_context.golden import add_case, case_text, known_calls, recorded_case
from biblicus_context.service.contexts import AssembleBody, ContextOperations, inputs_schema
from biblicus_context.service.inspector.differences import (
    InspectedDifference,
    InspectedTurn,
    changed,
    turns,
    user_messages,
)
from biblicus_context.service.inspector.inspected import Inspected, inspected
from biblicus_context.service.inspector.sessions import SentTurn, Sessions, SessionSummary
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.problems import refusal
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.settings import ServiceSettings
from biblicus_context.spec import UserMessageSpec
from biblicus_context.text import ModelTable

_GROUP: Final = "Inspector"
_KINDS: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript"}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_STEPS: Final = 12
"""Budgets of a curve."""
_MOST_TURNS: Final = 40
"""The last turns of a conversation, each of which is assembled."""
_CALL: Final = ("inputs", "history", "message", "system", "model", "budget", "tools")
_TO_CASE: Final = {"message": "user_message", "system": "base_system_prompt"}
_FROM_CASE: Final = {value: key for key, value in _TO_CASE.items()}


class InspectedCase(BaseModel):
    """A call of a golden test, to begin with."""

    name: str
    call: dict[str, JsonValue]


class InspectedPlan(BaseModel):
    """A context before anything is assembled: what its form asks for."""

    name: str
    description: str | None
    contexts: list[str] = Field(description="The others that are served.")
    inputs: dict[str, Any] = Field(description="JSON Schema, with examples.")
    takes_message: bool = Field(description="Whether the user message is an argument.")
    models: list[str]
    cases: list[InspectedCase] = Field(description="Calls of its golden tests.")
    saves: bool = Field(
        description="Whether this caller may write golden tests and read revisions."
    )


class CompareBody(AssembleBody):
    """One call, compared with the same call with another model, another budget, or both."""

    other_model: str | None = Field(default=None, description="The model of the other side.")
    other_budget: int | None = Field(
        default=None, ge=1, description="The budget of the other side."
    )


class RevisionBody(AssembleBody):
    """One call, over the plans of now and of a revision."""

    revision: str = Field(
        min_length=1, max_length=200, description="As git names it, such as HEAD~1."
    )


class GoldenBody(AssembleBody):
    """One call that becomes a golden test."""

    case: str = Field(
        min_length=1, max_length=200, description="The name of the case: a sentence that it proves."
    )


class GoldenText(BaseModel):
    """A golden test."""

    file: str | None = Field(description="Where it was written, if it was.")
    text: str


class CurveBody(AssembleBody):
    """One call, under budgets up to the largest one."""

    most: int = Field(ge=1, description="The largest budget, in tokens.")


class CurvePoint(BaseModel):
    """What one budget keeps."""

    budget: int
    fits: bool
    used: int | None = None
    evidence: int | None = Field(default=None, description="Blocks that are placed.")
    messages: int | None = Field(default=None, description="Messages that are sent.")


class InspectorOperations:
    """What a browser asks. The files have no data in them, so anybody may load them."""

    def __init__(self, contexts: ContextOperations, settings: ServiceSettings) -> None:
        self._contexts = contexts
        self._prices = settings.prices
        self._sessions = Sessions(settings.inspected_calls)
        contexts.on_sent = self._sent

    def all(self) -> list[Operation]:
        """Every operation."""
        page: dict[str, Any] = {"method": "GET", "group": _GROUP, "reply": _written, "answer": str}
        asks: dict[str, Any] = {
            "method": "POST", "group": _GROUP, "scope": KeyScope.INSPECT,
            "problems": (404, 502, 503, 504),
        }  # fmt: skip
        return [
            Operation(
                name="inspector", path="/inspect/{name}", work=lambda _: "index.html",
                media="text/html", summary="A context to look at, in a browser.", **page,
            ),
            Operation(
                name="inspector_file", path="/inspect/files/{file}", work=lambda c: c.path["file"],
                media="text/plain", summary="A file of that page.", problems=(404,), **page,
            ),
            Operation(
                name="inspected_plan", method="GET", path="/v1/contexts/{name}/inspect",
                group=_GROUP, scope=KeyScope.INSPECT, is_quick=True, problems=(404,),
                work=self._plan, answer=InspectedPlan, summary="What a context can be asked with.",
            ),
            Operation(
                name="inspect", path="/v1/contexts/{name}/inspect", work=self._inspected,
                body=AssembleBody, answer=Inspected,
                summary="An assembly with everything that the inspector draws.", **asks,
            ),
            Operation(
                name="curve", path="/v1/contexts/{name}/curve", work=self._curve,
                body=CurveBody, answer=list[CurvePoint],
                summary="What a context keeps under rising budgets.", **asks,
            ),
            Operation(
                name="compare", path="/v1/contexts/{name}/compare", work=self._compared,
                body=CompareBody, answer=InspectedDifference,
                summary="What another model or budget changes in an assembly.", **asks,
            ),
            Operation(
                name="compare_revision", path="/v1/contexts/{name}/compare-revision",
                work=self._since, body=RevisionBody, answer=InspectedDifference,
                summary="What changed in an assembly since a revision of the plans.",
                **{**asks, "scope": KeyScope.ADMIN},
            ),
            Operation(
                name="conversation", path="/v1/contexts/{name}/conversation",
                work=self._conversation, body=AssembleBody, answer=list[InspectedTurn],
                summary="What is sent for each turn of a history, and what changes.", **asks,
            ),
            Operation(
                name="list_sessions", method="GET", path="/v1/contexts/{name}/sessions",
                group=_GROUP, scope=KeyScope.INSPECT, is_quick=True, problems=(404,),
                work=self._listed, answer=list[SessionSummary],
                summary="The conversations that this caller had of late, where calls are kept.",
            ),
            Operation(
                name="get_session", method="GET", path="/v1/contexts/{name}/sessions/{id}",
                group=_GROUP, scope=KeyScope.INSPECT, problems=(404,), work=self._session,
                answer=list[InspectedTurn], summary="What was sent turn by turn, and what changed.",
            ),
            Operation(
                name="golden_test", path="/v1/contexts/{name}/golden-test", work=self._golden,
                body=GoldenBody, answer=GoldenText,
                summary="A call as a golden test, with what its retrievers answered.", **asks,
            ),
            Operation(
                name="save_golden_test", path="/v1/contexts/{name}/golden-test/save",
                work=self._saved, body=GoldenBody, answer=GoldenText, is_write=True,
                summary="Write a golden test next to the plan, if it passes.",
                **{**asks, "scope": KeyScope.ADMIN},
            ),
        ]  # fmt: skip

    def _plan(self, call: OperationCall) -> InspectedPlan:
        contexts = self._contexts.served
        declared = contexts.get(call.path["name"])
        if declared is None:
            name, valid = call.path["name"], sorted(contexts)
            raise refusal(404, "no such context", place="path.name", found=name, valid=valid)
        written = declared.messages
        return InspectedPlan(
            name=declared.name,
            description=declared.description,
            contexts=sorted(contexts),
            inputs=inputs_schema(self._contexts.declared_inputs(call)),
            takes_message=not any(isinstance(each, UserMessageSpec) for each in written or ()),
            models=sorted(ModelTable.shipped().names()),
            cases=[*self._cases(declared.name)],
            saves=call.caller.may(KeyScope.ADMIN),
        )

    def _cases(self, name: str) -> Iterator[InspectedCase]:
        for each in known_calls(self._contexts.paths):
            if each.context == name:
                given = {_FROM_CASE.get(key, key): value for key, value in each.arguments.items()}
                given["history"] = [*map(dict, each.history)]
                known = {key: value for key, value in given.items() if key in _CALL and value}
                yield InspectedCase(name=each.name, call=known)

    def _inspected(self, call: OperationCall) -> Inspected:
        return inspected(self._contexts.result(call, call.body), self._prices)

    def _compared(self, call: OperationCall) -> InspectedDifference:
        body: CompareBody = call.body
        other = {
            "model": body.other_model or body.model,
            "budget": body.other_budget or body.budget,
        }
        sides = (body, body.model_copy(update=other))
        one, two = (saved_from(self._contexts.result(call, each)) for each in sides)
        return changed(one, two)

    def _since(self, call: OperationCall) -> InspectedDifference:
        body: RevisionBody = call.body
        plans = self._contexts.plans_at(body.revision)
        if call.path["name"] not in plans.project.contexts:
            problem, found = "the context does not exist at this revision", body.revision
            valid = sorted(plans.project.contexts)
            raise InputError(problem, place="body.revision", found=found, valid=valid)
        before = self._contexts.result(call, body, plans)
        return changed(saved_from(before), saved_from(self._contexts.result(call, body)))

    def _conversation(self, call: OperationCall) -> list[InspectedTurn]:
        body: AssembleBody = call.body
        last = self._contexts.said(body)
        sent = []
        for at, said in user_messages(body.history):
            asked = self._contexts.questions(call, said)
            own = {
                "history": body.history[:at],
                "message": None if body.message is None else said,
                "inputs": {**body.inputs, **asked},
            }
            sent.append((said, body.model_copy(update=own)))
        if len(sent) > _MOST_TURNS:
            sent = sent[-_MOST_TURNS:]
        return [
            *turns(
                (said, saved_from(self._contexts.result(call, each)), _call_of(each))
                for said, each in [*sent, (last, body)]
            )
        ]

    def _sent(self, call: OperationCall, body: AssembleBody, result: ContextAssemblyResult) -> None:
        turn = SentTurn(self._contexts.said(body), _call_of(body), saved_from(result), body.history)
        self._sessions.note(call.caller.owner, call.path["name"], turn)

    def _listed(self, call: OperationCall) -> list[SessionSummary]:
        self._contexts.declared_inputs(call)  # a 404 for an unknown context
        return self._sessions.summaries(call.caller.owner, call.path["name"])

    def _session(self, call: OperationCall) -> list[InspectedTurn]:
        found = self._sessions.turns(call.caller.owner, call.path["name"], call.path["id"])
        if found is None:
            raise refusal(404, "no such session, or no longer", place="path.id")
        return [*turns((each.said, each.result, each.call) for each in found)]

    def _golden(self, call: OperationCall) -> GoldenText:
        return GoldenText(file=None, text=case_text([self._recorded(call)]))

    def _saved(self, call: OperationCall) -> GoldenText:
        case = self._recorded(call)
        plan = Path(self._contexts.now.project.sources["context", call.path["name"]].file)
        file = plan.with_name(f"{plan.stem}.recorded.test.yaml")
        written = add_case(file, case, self._contexts.paths)
        return GoldenText(file=str(file), text=case_text([written]))

    def _recorded(self, call: OperationCall) -> dict[str, Any]:
        body: GoldenBody = call.body
        result = self._contexts.result(call, body)
        given = {_TO_CASE.get(name, name): value for name, value in _call_of(body).items()}
        return recorded_case(self._contexts.now.project, result, body.case, given)

    def _curve(self, call: OperationCall) -> list[CurvePoint]:
        body: CurveBody = call.body
        budgets = sorted({max(1, body.most * step // _STEPS) for step in range(1, _STEPS + 1)})
        return [self._point(call, body.model_copy(update={"budget": each})) for each in budgets]

    def _point(self, call: OperationCall, body: CurveBody) -> CurvePoint:
        assert body.budget is not None
        try:
            result = self._contexts.result(call, body)
        except BudgetError:
            return CurvePoint(budget=body.budget, fits=False)
        receipt = result.receipt
        return CurvePoint(
            budget=body.budget,
            fits=receipt.over == 0,
            used=receipt.used,
            evidence=len(result.citations),
            messages=len(result.messages),
        )


def _call_of(body: AssembleBody) -> dict[str, Any]:
    """What a call was asked with, without what is as it would be anyway."""
    return body.model_dump(mode="json", include={*_CALL}, exclude_defaults=True)


async def _written(_: OperationCall, name: str) -> Response:
    found = _assets().get(name)
    if found is None:
        raise refusal(404, "no such file", place="path.file", found=name, valid=sorted(_assets()))
    media = _KINDS[name.rpartition(".")[2]]
    return Response(found, 200, {"content-security-policy": _POLICY}, media)


@cache
def _assets() -> dict[str, str]:
    folder = files("biblicus_context.service.inspector") / "assets"
    return {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir()}
