"""A result is kept as JSON, in models and in responses, and is the same when it is read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given, settings
from pydantic import BaseModel, TypeAdapter, ValidationError

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult, InputError
from tests.assembly.strategies import Case, cases

PLAN = {
    "policy": {"input_budget": {"max_tokens": 60}, "pack_budget": {"default_ratio": 0.5}},
    "messages": [
        {"type": "system", "content": "You are kind.", "cache": True},
        {"type": "context", "name": "kb", "format": {"citations": "inline"}},
        {"type": "history"},
        {"type": "user", "content": "{input.question}"},
    ],
}


def found(request: Any) -> list[dict[str, Any]]:
    return [{"text": "Parcels take three days.", "source": "faq.md", "score": 0.5}]


def assembled() -> ContextAssemblyResult:
    history = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}]
    return ContextAssembler({"support": PLAN}, {"kb": found}).assemble(
        "support", inputs={"question": "How long?"}, history=history
    )


@settings(max_examples=60)
@given(cases())
def test_any_result_is_read_back_as_it_was(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    text = json.dumps(result.to_json())
    back = ContextAssemblyResult.from_json(text)
    assert back == result
    assert json.dumps(back.to_json()) == text
    assert (back.fingerprint, back.spans) == (result.fingerprint, result.spans)
    assert (back.citations, back.cache_marks) == (result.citations, result.cache_marks)


def test_a_system_text_that_is_left_out_ends_what_is_the_same_in_every_call():
    texts = [{"type": "system", "content": "Be kind."}, {"type": "system", "content": "Be brief."}]
    texts[1]["shrink"] = True  # type: ignore[assignment]
    plan = {
        "messages": texts,
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 2}},
    }
    result = ContextAssembler({"main": plan}).assemble("main", user_message="")
    assert result.system_prompt == "Be kind."
    assert ContextAssemblyResult.from_json(result.to_json()) == result


def test_it_can_be_sent_explained_and_continued_as_the_first_one():
    result = assembled()
    back = ContextAssemblyResult.from_json(json.dumps(result.to_json()))
    assert back.to_anthropic() == result.to_anthropic()
    assert back.explain(80) == result.explain(80)
    assembler = ContextAssembler({"support": PLAN}, {"kb": found})
    call = {"inputs": {"question": "Why?"}, "history": [{"role": "user", "content": "Hello."}]}
    first, second = (
        assembler.assemble("support", previous=each, **call) for each in (result, back)
    )
    assert first.receipt.same_prefix == second.receipt.same_prefix


def test_results_stored_before_there_were_spans_are_read():
    written = assembled().to_json()
    for name in ("citations", "spans", "cache_marks", "prefix"):
        del written[name]
    back = ContextAssemblyResult.from_json(written)
    assert (back, back.citations) == (assembled(), ())


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("{", "this is not JSON"),
        (b"[]", "this is not a result: found 'list'"),
        ({"messages": []}, "this is not a result: token_count: Field required"),
    ],
)
def test_what_is_not_a_result_is_refused(value: Any, problem: str):
    with pytest.raises(InputError, match=problem):
        ContextAssemblyResult.from_json(value)


class Answer(BaseModel):
    text: str
    context: ContextAssemblyResult


class TestAsAField:
    def test_a_model_keeps_a_result_and_reads_its_json(self):
        answer = Answer(text="Three days.", context=assembled())
        assert answer.context.receipt.used == assembled().token_count
        back = Answer.model_validate_json(answer.model_dump_json())
        assert back == answer
        assert Answer(text="Three days.", context=answer.model_dump()["context"]) == answer

    def test_the_schema_has_its_fields(self):
        schema = TypeAdapter(ContextAssemblyResult).json_schema()
        assert {"messages", "receipt", "token_count", "citations"} <= {*schema["properties"]}
        assert TypeAdapter(ContextAssemblyResult).json_schema(mode="serialization") is not None

    def test_anything_else_is_a_validation_error(self):
        with pytest.raises(ValidationError, match="messages"):
            Answer.model_validate({"text": "x", "context": {"token_count": 1}})


class TestAsAResponse:
    def client(self) -> TestClient:
        app = FastAPI()

        @app.get("/assemble")
        async def assemble() -> ContextAssemblyResult:
            return assembled()

        @app.post("/tokens")
        async def tokens(result: ContextAssemblyResult) -> int:
            return result.token_count

        return TestClient(app)

    def test_a_route_returns_a_result_and_takes_one(self):
        client = self.client()
        answer = client.get("/assemble")
        assert (answer.status_code, answer.json()) == (200, assembled().to_json())
        assert client.post("/tokens", json=answer.json()).json() == assembled().token_count
        assert client.post("/tokens", json={"messages": []}).status_code == 422

    def test_the_documentation_describes_it(self):
        schemas = self.client().get("/openapi.json").json()["components"]["schemas"]
        described = [schema for name, schema in schemas.items() if "Result" in name]
        assert any("messages" in schema.get("properties", {}) for schema in described)


class TestAsAPage:
    def test_it_is_the_page_of_explain(self):
        page = assembled().to_html()
        assert page.startswith("<!doctype html>")
        assert "Parcels take three days." in page

    def test_a_notebook_shows_it_in_a_frame_without_scripts(self):
        shown = assembled()._repr_html_()
        assert shown.startswith("<iframe sandbox ")
        assert "<script" not in shown

    def test_a_stored_result_has_the_same_page_without_its_inputs(self):
        result = assembled()
        back = ContextAssemblyResult.from_json(json.dumps(result.to_json()))
        page = result.to_html()
        start = page.index('<section id="inputs">')
        end = page.index("</section>", start) + len("</section>")
        assert back.to_html() == page[:start] + page[end:]
