"""The same plan through Biblicus' engine and ours gives the same result where nothing overflows.

`content` is literal there and has placeholders here, so texts with placeholders are templates.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler

theirs = pytest.importorskip("biblicus.context_engine")
packs = pytest.importorskip("biblicus.context")

WORD = st.sampled_from(["order", "refund", "Straße", "注文", "what?", "1,000", "e-mail"])
TEXT = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
NAMED = TEXT.map(lambda text: f"{text} {{input.q}}")
KB = {"kb": ["First evidence.", "Second evidence."], "faq": ["One answer."]}
ROOMY = {"input_budget": {"max_tokens": 5000}, "pack_budget": {"default_max_tokens": 2000}}


def retrieve(request: Any) -> Any:
    texts = KB[request.query.split()[0]][request.offset :][: request.limit]
    blocks = [
        packs.ContextPackBlock(evidence_item_id=f"{text}", text=text, metadata=None)
        for text in texts
    ]
    return packs.ContextPack(text="\n\n".join(texts), evidence_count=len(texts), blocks=blocks)


def both(context: dict[str, Any], **call: Any) -> tuple[Any, Any]:
    registries = {
        "retriever_registry": {
            name: theirs.RetrieverDeclaration(name=name, config={"query": f"{name} {{input.q}}"})
            for name in KB
        },
        "default_retriever": retrieve,
    }
    call = {
        "context_name": "main",
        "base_system_prompt": "",
        "history_messages": [],
        "user_message": "",
        "template_context": {"input": {"q": "why"}, "context": {}},
        **call,
    }
    contexts = {"inner": {"messages": [{"type": "system", "template": "Inner {input.q}."}]}}
    their_contexts = {
        name: theirs.ContextDeclaration(name=name, **copy.deepcopy(fields))
        for name, fields in {**contexts, "main": context}.items()
    }
    one = theirs.ContextAssembler(their_contexts, **registries).assemble(**copy.deepcopy(call))
    counted = {**context, "policy": {**(context.get("policy") or {}), "counter": "whitespace"}}
    ours = ContextAssembler({**contexts, "main": counted}, **registries).assemble(**call)
    return one, ours


def agree(context: dict[str, Any], **call: Any) -> None:
    one, ours = both(context, **call)
    assert (ours.system_prompt, ours.history, ours.user_message) == (
        one.system_prompt,
        one.history,
        one.user_message,
    )


HISTORY = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes?"}]


@pytest.mark.parametrize("policy", [{}, {"policy": ROOMY}])
@pytest.mark.parametrize(
    "context",
    [
        {},
        {"packs": ["kb"]},
        {"packs": "kb"},
        {"packs": [{"name": "kb", "weight": 2.0}, {"name": "faq", "priority": 1}]},
    ],
)
def test_a_default_plan_agrees(context: dict[str, Any], policy: dict[str, Any]):
    agree(
        {**context, **policy},
        base_system_prompt="Base.",
        history_messages=HISTORY,
        user_message="Now?",
    )


SYSTEM = {"type": "system", "content": "You help."}
USER = {"type": "user", "template": "Question: {input.q}"}
PACK = {"type": "context", "name": "kb"}


@pytest.mark.parametrize("policy", [{}, {"policy": ROOMY}])
@pytest.mark.parametrize(
    "messages",
    [
        [SYSTEM, USER],
        [SYSTEM, PACK, USER],
        [SYSTEM, PACK, {"type": "history"}, USER],
        [PACK, SYSTEM, {"type": "context", "name": "faq"}, USER],
        [SYSTEM, {"type": "context", "name": "inner"}, {"type": "history"}, USER],
        [{"type": "system", "template": "For {who}.", "vars": {"who": "Ada"}}, USER],
        [
            SYSTEM,
            {"type": "user", "content": "2+2"},
            {"type": "assistant", "content": "4"},
            USER,
        ],
        [SYSTEM, {"type": "history"}, {"type": "user", "template": "{input.q} {context.kb}"}],
    ],
)
def test_an_explicit_plan_agrees(messages: list[Any], policy: dict[str, Any]):
    known = {"input": {"q": "why"}, "context": {"kb": "given"}}
    agree({"messages": messages, **policy}, history_messages=HISTORY, template_context=known)


directives = st.one_of(
    st.builds(lambda text: {"type": "system", "content": text}, TEXT),
    st.builds(lambda text: {"type": "system", "template": text}, NAMED),
    st.sampled_from([PACK, {"type": "context", "name": "inner"}]),
)
few_shot = st.builds(
    lambda ask, answer: [
        {"type": "user", "content": ask},
        {"type": "assistant", "content": answer},
    ],
    TEXT,
    TEXT,
)


@given(
    st.lists(directives, max_size=4),
    st.lists(few_shot, max_size=2),
    st.booleans(),
    st.booleans(),
    NAMED,
    TEXT,
)
def test_any_plan_that_does_not_overflow_agrees(
    leading: list[Any], shots: list[list[Any]], history: bool, budget: bool, asked: str, value: str
):
    messages = [
        *leading,
        *([{"type": "history"}] if history else []),
        *(directive for shot in shots for directive in shot),
        {"type": "user", "template": asked},
    ]
    agree(
        {"messages": messages, **({"policy": ROOMY} if budget else {})},
        history_messages=HISTORY,
        template_context={"input": {"q": value}, "context": {}},
    )


def test_the_count_of_words_agrees_where_nothing_is_framed():
    one, ours = both({"messages": [SYSTEM, USER], "policy": ROOMY})
    assert ours.token_count == one.token_count
