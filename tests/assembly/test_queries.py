"""Queries that know the conversation: templates, the last question added, a rewriter of the program."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, RewriteRequest
from biblicus_context.assembly.queries.recent import (
    MOST_CHARACTERS,
    MOST_MESSAGES,
    recent_messages,
)
from biblicus_context.errors import InputError, PlanError, TemplateError
from tests.assembly.fakes import Shelf, plan
from tests.assembly.strategies import texts

HISTORY = [
    {"role": "user", "content": "What does Solo cost?"},
    {"role": "assistant", "content": "9 euros a month."},
    {"role": "user", "content": [{"type": "text", "text": "And per year?"}]},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "tool", "content": "{}", "tool_call_id": "1"},
    {"role": "assistant", "content": "90 euros."},
]
QUESTION = "and what about Team?"


def asked(
    query: Any = None, history: Any = HISTORY, contexts: Any = None, **options: Any
) -> tuple[str, Any]:
    """The query that the retriever got, and the result."""
    shelf = Shelf(["One."])
    config = {} if query is None else {"query": query}
    context = plan(
        {"type": "context", "name": "kb"}, {"type": "user", "content": "{input.question}"}
    )
    assembler = ContextAssembler(
        {"main": context, **(contexts or {})},
        {"kb": {"config": config}},
        retriever_functions={"kb": shelf},
        **options,
    )
    inputs = {"question": QUESTION, "message": QUESTION}
    result = assembler.assemble("main", inputs=inputs, history=history)
    return shelf.requests[0].query, result


@pytest.mark.parametrize(
    ("template", "query"),
    [
        ("{history.last_user} {input.question}", f"And per year? {QUESTION}"),
        ("{history.users}", '["What does Solo cost?","And per year?"]'),
        ("{history.users.0}", "What does Solo cost?"),
        ("{{ history.users | join(' | ') }}", "What does Solo cost? | And per year?"),
        ("{{ history[-1].content }}", "90 euros."),
        (
            "{% for turn in history[-2:] %}{{ turn.role }}: {{ turn.content }}\n{% endfor %}",
            "user: And per year?\nassistant: 90 euros.\n",
        ),
        ("{{ input.question | upper }}", QUESTION.upper()),
        ("{% if history %}{% endif %}", QUESTION),
    ],
)
def test_a_query_template_sees_the_conversation(template: str, query: str):
    assert asked(template)[0] == query
    assert asked({"template": template})[0] == query


def test_without_a_conversation_its_parts_are_empty():
    assert asked("{history.last_user}{input.question}", history=[])[0] == QUESTION
    assert asked("{history.last_user}", history=[])[0] == QUESTION


def test_what_a_query_sees_of_a_conversation_is_bounded():
    history = [{"role": "user", "content": "a" * 9_000}] * 5_000
    query, _ = asked("{{ history | length }} {{ history.last_user | length }}", history)
    assert query == f"{MOST_MESSAGES} {MOST_CHARACTERS}"


_messages = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["user", "assistant", "tool", "system"]),
                "content": st.one_of(
                    texts(8),
                    st.none(),
                    st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts(4)})),
                    st.lists(st.sampled_from([{"type": "image_url"}, {"text": 3}, "loose", None])),
                ),
            }
        ),
        st.sampled_from([None, 3, "loose", {}, {"role": ["user"]}]),
    ),
    max_size=30,
)


@given(_messages)
def test_whatever_a_history_holds_a_query_sees_its_newest_texts(history: list[Any]):
    seen = recent_messages(history)
    assert len(seen) <= MOST_MESSAGES
    assert all(each.role in ("user", "assistant") and each.content.strip() for each in seen)
    assert seen.last_user == (seen.users[-1] if seen.users else "")
    before = seen.before(seen.last_user)
    assert seen[: len(before)] == before
    assert not seen.users or before.users == seen.users[:-1]


def test_an_unknown_part_of_the_conversation_is_an_error():
    with pytest.raises(TemplateError, match=r"retriever 'kb' query, line 1: unknown name"):
        asked("{history.lastuser}")
    with pytest.raises(TemplateError, match="templates cannot call"):
        asked("{{ history.pop() }}")


def test_a_name_that_the_caller_passes_goes_before_the_conversation():
    shelf = Shelf(["One."])
    assembler = ContextAssembler(
        {"main": plan({"type": "context", "name": "kb"})},
        {"kb": {"config": {"query": "{history.last_user}"}}},
        retriever_functions={"kb": shelf},
    )
    names = {"history": {"last_user": "mine"}}
    assembler.assemble("main", template_context=names, history=HISTORY)
    assert shelf.requests[0].query == "mine"


def test_the_query_of_a_nested_context_sees_the_conversation():
    shelf = Shelf(["One."])
    assembler = ContextAssembler(
        {
            "main": plan({"type": "context", "name": "inner"}),
            "inner": plan({"type": "context", "name": "kb"}),
        },
        {"kb": {"config": {"query": "{history.last_user}"}}},
        retriever_functions={"kb": shelf},
    )
    assembler.assemble("main", history=HISTORY)
    assert shelf.requests[0].query == "And per year?"


def test_follow_up_adds_the_last_question():
    assert asked({"follow_up": True})[0] == "\n".join(["And per year?", *[QUESTION] * 3])
    assert asked({"follow_up": True}, history=[])[0] == QUESTION


def test_a_history_that_ends_with_the_question_has_an_earlier_one():
    begun = [
        *HISTORY,
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "I look it up."},
    ]
    query, _ = asked({"follow_up": True}, history=begun)
    assert query.startswith("And per year?\n")
    rewriter = Rewriter()
    asked(history=begun, query_rewriter=rewriter)
    assert [turn.content for turn in rewriter.requests[0].turns][-1] == "90 euros."


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"folow_up": True}, "folow_up"),
        ({"follow_up": "yes"}, "follow_up"),
        ({"template": 3}, "template"),
        (3, "query"),
    ],
)
def test_a_query_that_is_written_wrongly_is_an_error(query: Any, said: str):
    with pytest.raises(PlanError, match=said):
        asked(query)


class Rewriter:
    """Rewrites every query, and counts how often it is asked."""

    def __init__(self, answer: Any = "What does the Team plan cost?") -> None:
        self.answer = answer
        self.requests: list[RewriteRequest] = []

    def __call__(self, request: RewriteRequest) -> Any:
        self.requests.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_rewriter_gets_the_query_and_the_recent_turns():
    rewriter = Rewriter()
    query, result = asked(query_rewriter=rewriter)
    assert query == "What does the Team plan cost?"
    (request,) = rewriter.requests
    assert request.query == QUESTION
    assert [turn.role for turn in request.turns] == ["user", "assistant", "user", "assistant"]
    said = f"query_rewriter: '{QUESTION}' is asked as 'What does the Team plan cost?'"
    assert said in result.receipt.notes
    (part,) = (part for part in result.receipt.parts if part.name == "kb")
    assert part.query == "What does the Team plan cost?"


def test_an_async_rewriter_is_awaited():
    async def rewrite(request: RewriteRequest) -> str:
        await asyncio.sleep(0)
        return request.query.upper()

    assert asked(query_rewriter=rewrite)[0] == QUESTION.upper()
    shelf = Shelf(["One."])
    assembler = ContextAssembler(
        {"main": plan({"type": "context", "name": "kb"})}, {"kb": shelf}, query_rewriter=rewrite
    )
    asyncio.run(assembler.aassemble("main", inputs={"query": "why"}))
    assert shelf.requests[0].query == "WHY"


def slow(request: RewriteRequest) -> str:
    time.sleep(5)
    return "too late"


@pytest.mark.parametrize(
    ("rewriter", "said"),
    [
        (Rewriter(ConnectionError("gone")), "failed: ConnectionError"),
        (Rewriter(None), "returned NoneType instead of text"),
        (Rewriter("  "), "returned no text"),
        (Rewriter("a" * 20_000), "returned more than 10,000 characters"),
        (slow, "did not answer within 0.05 s"),
    ],
)
def test_where_it_fails_the_query_stays_and_the_receipt_says_so(rewriter: Any, said: str):
    query, result = asked(query_rewriter=rewriter, query_rewriter_timeout=0.05)
    assert query == QUESTION
    assert result.receipt.notes == (f"query_rewriter {said}; asked without it: '{QUESTION}'",)


def test_where_it_fails_the_last_question_is_still_added():
    query, _ = asked({"follow_up": True}, query_rewriter=Rewriter(ValueError("no")))
    assert query == "\n".join(["And per year?", *[QUESTION] * 3])
    rewritten, _ = asked({"follow_up": True}, query_rewriter=Rewriter())
    assert rewritten == "What does the Team plan cost?"


def test_a_retriever_can_be_left_out():
    rewriter = Rewriter()
    assert asked({"rewrite": False}, query_rewriter=rewriter)[0] == QUESTION
    assert rewriter.requests == []


def test_answers_are_remembered_by_content_and_failures_are_not():
    rewriter = Rewriter()
    shelf = Shelf(["One."])
    packs = [{"type": "context", "name": name} for name in ("a", "b", "inner")]
    assembler = ContextAssembler(
        {"main": plan(*packs), "inner": plan({"type": "context", "name": "c"})},
        dict.fromkeys("abc", shelf),
        query_rewriter=rewriter,
    )
    for _ in range(3):
        assembler.assemble("main", inputs={"query": "why"}, history=HISTORY)
    asked_first = len(rewriter.requests)
    assert (
        asked_first <= 2
    )  # packs of one wave are asked together, a nested one may be at the same time
    assembler.assemble("main", inputs={"query": "why"}, history=HISTORY[:2])
    assert len(rewriter.requests) > asked_first
    rewriter.answer = ValueError("no")
    before = len(rewriter.requests)
    for _ in range(2):
        assembler.assemble("main", inputs={"query": "other"}, history=HISTORY)
    assert len(rewriter.requests) - before >= 2


def test_a_pack_that_is_not_asked_has_no_query_to_rewrite():
    rewriter = Rewriter()
    context = plan(
        {"type": "context", "name": "kb", "place": "quoted"},
        {"type": "user", "template": "{% if input.deep %}{context.kb}{% endif %}Why?"},
    )
    assembler = ContextAssembler({"main": context}, {"kb": Shelf(["1"])}, query_rewriter=rewriter)
    assembler.assemble("main", inputs={"deep": False})
    assert rewriter.requests == []


def test_the_query_of_an_alternative_is_rewritten():
    shelf = Shelf(["One."])
    group = {"first": [{"type": "context", "name": "kb"}, "none"]}
    assembler = ContextAssembler({"main": plan(group)}, {"kb": shelf}, query_rewriter=Rewriter())
    assembler.assemble("main", inputs={"query": "why"})
    assert shelf.requests[0].query == "What does the Team plan cost?"


def test_sync_and_async_give_the_same_fingerprint():
    def made() -> ContextAssembler:
        return ContextAssembler(
            {"main": plan({"type": "context", "name": "kb"})},
            {"kb": Shelf(["One."])},
            query_rewriter=Rewriter(),
        )

    call = {"inputs": {"query": "why"}, "history": HISTORY}
    one = made().assemble("main", **call)
    other = asyncio.run(made().aassemble("main", **call))
    assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize(
    "options", [{"query_rewriter": "no"}, {"query_rewriter": slow, "query_rewriter_timeout": 0}]
)
def test_a_rewriter_that_cannot_be_one_is_an_error(options: dict[str, Any]):
    with pytest.raises(InputError, match="query_rewriter"):
        asked(**options)
