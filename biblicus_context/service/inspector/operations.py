"""The pages and the operations of the inspector."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

from pydantic import BaseModel, Field
from starlette.responses import Response

from biblicus_context.errors import BudgetError
from biblicus_context.service.contexts import AssembleBody, ContextOperations, inputs_schema
from biblicus_context.service.inspector.inspected import Inspected, inspected
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.problems import refusal
from biblicus_context.service.scopes import KeyScope
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


class InspectedPlan(BaseModel):
    """A context before anything is assembled: what its form asks for."""

    name: str
    description: str | None
    contexts: list[str] = Field(description="The others that are served.")
    inputs: dict[str, Any] = Field(description="JSON Schema, with examples.")
    takes_message: bool = Field(description="Whether the user message is an argument.")
    models: list[str]


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

    def __init__(self, contexts: ContextOperations) -> None:
        self._contexts = contexts

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
        )

    def _inspected(self, call: OperationCall) -> Inspected:
        return inspected(self._contexts.result(call, call.body))

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
