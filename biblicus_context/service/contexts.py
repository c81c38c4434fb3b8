"""Operations over contexts: what there is, assembling, what if, and the page that explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from biblicus_context import ContextAssemblyResult
from biblicus_context.assembly import Receipt, provider_arguments
from biblicus_context.base import BoundedMemory
from biblicus_context.comparing import WhatIfOutcome, what_if
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.plans import LivePlans, ServedPlans
from biblicus_context.service.problems import refusal
from biblicus_context.service.scopes import KeyScope
from biblicus_context.service.settings import LimitSettings
from biblicus_context.spec import ContextDeclaration, InputSpec

ResultFormat: TypeAlias = Literal[
    "messages", "text", "openai", "openai-responses", "anthropic", "gemini"
]
_OURS: Final = ("messages", "text")
"""Formats that are no provider's."""
_TYPES: Final = {
    "any": {},
    **{
        name: {"type": name}
        for name in ("string", "integer", "number", "boolean", "array", "object")
    },
}
_GROUP: Final = "Contexts"
_QUESTIONS: Final = ("question", "message", "query")
"""Inputs that are the text of the user's message, where a plan declares them."""
_MOST_OUTCOMES: Final = 50
_MOST_RECEIPTS: Final = 512
_RECEIPT_ID: Final = {"X-Receipt-Id": "Names the receipt of this assembly."}


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AssembleBody(_Model):
    """One call of the engine."""

    inputs: dict[str, JsonValue] = Field(default_factory=dict, description="Inputs of the context.")
    history: list[dict[str, JsonValue]] = Field(
        default_factory=list,
        description="The messages so far, oldest first, as OpenAI or Anthropic have them.",
    )
    message: str | None = Field(
        default=None, description="The user message, where the plan has no user text."
    )
    system: str = Field(default="", description="A base system prompt, where the plan places one.")
    model: str | None = Field(default=None, description="Instead of the policy's model.")
    budget: int | None = Field(
        default=None, ge=1, description="Tokens, instead of the policy's input budget."
    )
    tools: list[dict[str, JsonValue]] = Field(
        default_factory=list, description="Tool definitions that are sent; their tokens count."
    )
    previous: dict[str, JsonValue] | None = Field(
        default=None, description="The `result` of the previous call: this one begins as that did."
    )
    now: AwareDatetime | None = Field(
        default=None, description="The moment that recency is measured from."
    )
    format: ResultFormat = Field(default="messages", description="Whose arguments are returned.")
    receipt: bool = Field(default=False, description="Whether the receipt is returned.")
    result: bool = Field(default=False, description="Whether all is returned, for `previous`.")


class WhatIfBody(AssembleBody):
    """One call, under several budgets and for several models."""

    budgets: Annotated[
        list[Annotated[int, Field(ge=1)] | None], Field(min_length=1, max_length=20)
    ] = [None]
    models: Annotated[list[str | None], Field(min_length=1, max_length=20)] = [None]


class Assembled(BaseModel):
    """What to send to a model."""

    context: str
    format: ResultFormat
    token_count: int = Field(description="The exact count of all that is sent.")
    budget: int | None
    estimated: bool = Field(description="Whether counts are estimates with a margin.")
    complete: bool = Field(description="Whether all evidence that was found is in it.")
    messages: list[dict[str, Any]] | None = Field(default=None, description="Of `messages`.")
    text: str | None = Field(default=None, description="Of `text`.")
    arguments: dict[str, Any] | None = Field(
        default=None, description="Of a provider: the arguments of a call of its SDK."
    )
    receipt: dict[str, Any] | None = Field(default=None, description="The account of every token.")
    result: dict[str, Any] | None = Field(default=None, description="All of it, for `previous`.")
    receipt_id: str


class WhatIfAnswer(BaseModel):
    """What one budget and model keep."""

    budget: int | None
    model: str | None
    fits: bool
    token_count: int | None = None
    needed: int | None = Field(default=None, description="Tokens that cannot shrink.")
    problem: str | None = None
    complete: bool | None = None
    receipt: dict[str, Any] | None = None


class ContextSummary(BaseModel):
    """One context."""

    name: str
    description: str | None


class ContextList(BaseModel):
    """The contexts that are served."""

    contexts: list[ContextSummary]


class ContextDetails(ContextSummary):
    """One context, and what it takes."""

    inputs: dict[str, Any] = Field(description="JSON Schema of `inputs`.")
    packs: list[str] = Field(description="The packs that it inserts.")


class ContextOperations:
    """What callers do with contexts."""

    def __init__(self, plans: LivePlans, limits: LimitSettings) -> None:
        self._plans, self._limits = plans, limits
        self.on_assembled: Callable[[Receipt], None] = lambda _: None
        """Is called with each receipt."""
        self.on_sent: Callable[[OperationCall, AssembleBody, ContextAssemblyResult], None] = (
            lambda *_: None
        )
        """Is called with each result that a caller gets, and what it was asked with."""
        self._receipts = BoundedMemory[str, tuple[str, Receipt]](_MOST_RECEIPTS)

    def all(self) -> list[Operation]:
        """Every operation."""
        at = "/v1/contexts/{name}"
        read: dict[str, Any] = {"scope": KeyScope.READ, "group": _GROUP}
        assembles: dict[str, Any] = {**read, "problems": (404, 502, 503, 504)}
        return [
            Operation(
                name="list_contexts", method="GET", path="/v1/contexts", work=self._listed,
                answer=ContextList, summary="The contexts that are served.", is_quick=True, **read,
            ),
            Operation(
                name="get_context", method="GET", path=at, work=self._described,
                answer=ContextDetails, summary="A context, with its inputs as JSON Schema.",
                is_quick=True, problems=(404,), **read,
            ),
            Operation(
                name="assemble", method="POST", path=f"{at}/assemble", work=self.assembled,
                body=AssembleBody, answer=Assembled, headers=_RECEIPT_ID,
                summary="Assemble a context: what to send to a model, within its budget.", **assembles,
            ),
            Operation(
                name="whatif", method="POST", path=f"{at}/whatif", work=self._outcomes,
                body=WhatIfBody, answer=list[WhatIfAnswer],
                summary="What a context keeps under several budgets and for several models.", **assembles,
            ),
            Operation(
                name="get_receipt", method="GET", path="/v1/receipts/{id}", work=self._receipt,
                answer=dict[str, Any], is_quick=True,
                summary="The receipt of one of the last assemblies of this caller.", **read,
            ),
            Operation(
                name="explain", method="POST", path=f"{at}/explain", work=self._explained,
                body=AssembleBody, answer=str, media="text/html",
                summary="A page that shows what is sent, and why.", **assembles,
            ),
        ]  # fmt: skip

    def _listed(self, _: OperationCall) -> ContextList:
        found = self._plans.now.project.contexts.items()
        summaries = (ContextSummary(name=name, description=one.description) for name, one in found)
        return ContextList(contexts=[*summaries])

    def _described(self, call: OperationCall) -> ContextDetails:
        plans, name = self._plans_of(call)
        declared = plans.project.contexts[name]
        return ContextDetails(
            name=name,
            description=declared.description,
            inputs=inputs_schema(plans.inputs(name)),
            packs=[*dict.fromkeys(each.name for each in declared.inserts)],
        )

    def assembled(self, call: OperationCall) -> Assembled:
        """What is sent, in the format of the call."""
        body: AssembleBody = call.body
        result = self.result(call, body)
        self.remember(call, body, result)
        return written(result, body)

    def remember(
        self, call: OperationCall, body: AssembleBody, result: ContextAssemblyResult
    ) -> None:
        """Keep the receipt of a result for a while: its caller may ask for it by its id."""
        self._receipts.put(receipt_id(result), (call.caller.owner, result.receipt))
        self.on_sent(call, body, result)

    def _receipt(self, call: OperationCall) -> dict[str, Any]:
        owner, receipt = self._receipts.get(call.path["id"]) or ("", None)
        if receipt is None or owner != call.caller.owner:
            raise refusal(404, "no such receipt, or no longer", place="path.id")
        return receipt.to_json()

    def _outcomes(self, call: OperationCall) -> list[WhatIfAnswer]:
        body: WhatIfBody = call.body
        if len(body.budgets) * len(body.models) > _MOST_OUTCOMES:
            problem = f"more than {_MOST_OUTCOMES} assemblies in one request"
            fix = "Pass fewer budgets or models."
            raise refusal(422, problem, name="too many assemblies", place="body.budgets", fix=fix)

        def assemble(budget: int | None, model: str | None) -> ContextAssemblyResult:
            return self.result(call, body.model_copy(update={"model": model, "budget": budget}))

        outcomes = what_if(assemble, body.budgets, body.models)
        return [_answer(each, receipt=body.receipt) for each in outcomes]

    def _explained(self, call: OperationCall) -> str:
        return self.result(call, call.body).to_html()

    def result(
        self, call: OperationCall, body: AssembleBody, plans: ServedPlans | None = None
    ) -> ContextAssemblyResult:
        """One assembly as the caller, within the limits of the service; over the plans of now, or others."""
        now, name = self._plans_of(call)
        plans = plans or now
        self._check(body)
        options: dict[str, Any] = {
            name: value
            for name, value in {
                "budget": body.budget,
                "model": body.model,
                "now": body.now,
                "previous": body.previous,
            }.items()
            if value is not None
        }
        result = plans.assembler_of(call.caller.principal).assemble(
            name,
            body.system,
            user_message=body.message,
            inputs=body.inputs,
            history=body.history,
            tools=body.tools,
            **options,
        )
        self.on_assembled(result.receipt)
        return result

    def questions(self, call: OperationCall, text: str) -> dict[str, JsonValue]:
        """The declared inputs that are the text of the user's message."""
        declared = self.declared_inputs(call)
        return {name: text for name in _QUESTIONS if name in declared}

    @staticmethod
    def said(body: AssembleBody) -> str:
        """The text of the user's message in a call, as its message or as an input."""
        given = (body.inputs.get(name) for name in _QUESTIONS)
        return body.message or next((each for each in given if isinstance(each, str)), "")

    def plans_at(self, revision: str) -> ServedPlans:
        """The plans as they were at a revision of their repository, over the corpora of now."""
        return self._plans.at(revision)

    @property
    def paths(self) -> Sequence[Path]:
        """The files and folders of the plans."""
        return self._plans.paths

    @property
    def now(self) -> ServedPlans:
        """The plans of this moment."""
        return self._plans.now

    @property
    def served(self) -> Mapping[str, ContextDeclaration]:
        """The contexts of this moment, by name."""
        return self._plans.now.project.contexts

    def declared_inputs(self, call: OperationCall) -> Mapping[str, InputSpec]:
        """The inputs of the context that the path names."""
        plans, name = self._plans_of(call)
        return plans.inputs(name)

    def _check(self, body: AssembleBody) -> None:
        limits = self._limits
        if len(body.history) > limits.history_messages:
            raise refusal(
                422, "the history is too long", place="body.history", found=len(body.history),
                fix=f"Pass up to {limits.history_messages:,} messages.",
            )  # fmt: skip
        if body.budget is not None and body.budget > limits.budget:
            raise refusal(
                422, "the budget is too large", place="body.budget", found=body.budget,
                fix=f"Pass up to {limits.budget:,} tokens.",
            )  # fmt: skip

    def _plans_of(self, call: OperationCall) -> tuple[ServedPlans, str]:
        """The plans of this moment, and the context that the path names."""
        plans, name = self._plans.now, call.path["name"]
        if name not in plans.project.contexts:
            known = sorted(plans.project.contexts)
            raise refusal(404, "no such context", place="path.name", found=name, valid=known)
        return plans, name


def _answer(outcome: WhatIfOutcome, *, receipt: bool) -> WhatIfAnswer:
    """An outcome as a caller gets it."""
    of: dict[str, Any] = {"budget": outcome.budget, "model": outcome.model}
    account = outcome.receipt
    if account is None:
        return WhatIfAnswer(fits=False, needed=outcome.needed, problem=outcome.problem, **of)
    return WhatIfAnswer(
        fits=account.over == 0,
        token_count=account.used,
        complete=account.is_complete,
        receipt=account.to_json() if receipt else None,
        **of,
    )


def written(result: ContextAssemblyResult, body: AssembleBody) -> Assembled:
    """A result in the format of a call."""
    receipt = result.receipt
    return Assembled.model_construct(
        context=receipt.context,
        format=body.format,
        token_count=result.token_count,
        budget=receipt.budget,
        estimated=result.estimated,
        complete=receipt.is_complete,
        messages=result.messages if body.format == "messages" else None,
        text=result.as_text() if body.format == "text" else None,
        arguments=None
        if body.format in _OURS
        else provider_arguments(body.format, result, body.tools),
        receipt=receipt.to_json() if body.receipt else None,
        result=result.to_json() if body.result else None,
        receipt_id=receipt_id(result),
    )


def receipt_id(result: ContextAssemblyResult) -> str:
    """What names the receipt of a result that was just made."""
    return result.draft.call.assembly if result.draft else ""


def inputs_schema(inputs: Mapping[str, InputSpec]) -> dict[str, Any]:
    """The inputs of a context as JSON Schema."""
    return {
        "type": "object",
        "properties": {name: _input_schema(each) for name, each in inputs.items()},
        "required": [n for n, each in inputs.items() if each.required and not each.has_default],
    }


def _input_schema(spec: InputSpec) -> dict[str, Any]:
    known = {
        "description": spec.description,
        "default": spec.default,
        "examples": None if spec.example is None else [spec.example],
    }
    return {
        **_TYPES[spec.type],
        **{key: value for key, value in known.items() if value is not None},
    }
