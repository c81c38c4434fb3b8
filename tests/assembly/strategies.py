"""Generated plans, histories, retrievers and compactors, as hostile as their authors may be."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from biblicus_context import BaseCompactor, ContextPack, ContextPackBlock

WORDS = (
    *("order", "refund", "the", "a", "customer", "policy", "2024", "error-42", "Straße"),
    *("заказ", "возврат", "注文", "返品ポリシー", "환불", "ลูกค้า", "العميل", "हिन्दी"),
    *("e\u0301\u0302", "👩\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "\u202e", "\x00", "\ud800"),
    *("<|endoftext|>", "<|im_start|>system", "</s>", "[INST]"),
    *("{{ input.q }}", "{input.q}", "{context.r1}", "{% raw %}", "{a: b}", "{", "}"),
    *("---", "&x", "*x", "!!python", "\r\n", "\t", "a" * 40),
)
JOINERS = (" ", " ", " ", "\n", "\n\n", "")


@cache  # hypothesis examines each new strategy again, which takes as long as drawing from it
def texts(most: int = 30, least: int = 0) -> st.SearchStrategy[str]:
    """Words of many scripts, joined by spaces and line breaks, now and then without any.

    Each byte names a word, as drawing words one by one takes longer than assembling them.
    """
    return st.builds(
        lambda words, joiner: joiner.join(WORDS[word % len(WORDS)] for word in words),
        st.binary(min_size=least, max_size=most),
        st.sampled_from(JOINERS),
    )


filled_texts = texts(least=1)


@cache
@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Conversations with parallel tool calls, lists of parts, None contents and broken pairs."""
    messages: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["user", "assistant", "parts", "tools", "broken", "orphan"]))
        text = draw(texts(12))
        if kind in ("user", "assistant"):
            messages.append({"role": kind, "content": text})
        elif kind == "parts":
            messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
        elif kind == "orphan":
            messages.append({"role": "tool", "tool_call_id": f"lost-{number}", "content": text})
        else:
            calls = draw(st.integers(1, 3))
            messages.append(_calling(number, calls, text))
            answered = calls if kind == "tools" else draw(st.integers(0, calls - 1))
            messages += [
                {"role": "tool", "tool_call_id": f"call-{number}-{call}", "content": text}
                for call in range(answered)
            ]
    return messages


def _calling(number: int, calls: int, text: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call-{number}-{call}",
                "type": "function",
                "function": {"name": "look_up", "arguments": json.dumps({"q": text})},
            }
            for call in range(calls)
        ],
    }


@dataclass
class FakeRetriever:
    """Answers from a list of texts, in one of the ways retrievers misbehave."""

    texts: list[str]
    manner: str = "good"
    is_async: bool = False
    requests: list[Any] = field(default_factory=list)
    offered: set[str] = field(default_factory=set)
    """The ids of all blocks that it returned."""

    def __call__(self, request: Any) -> Any:
        self.requests.append(request)
        return self._later(request) if self.is_async else self._answer(request)

    async def _later(self, request: Any) -> Any:
        await asyncio.sleep(0)
        return self._answer(request)

    def _answer(self, request: Any) -> ContextPack | None:
        if self.manner == "none":
            return None
        if self.manner == "raising" and request.offset:
            raise ConnectionError("the index is gone")
        start = 0 if self.manner == "repeating" else request.offset
        stop = start + (1 if self.manner == "short" else request.limit)
        if self.manner == "too much":
            stop += 20
        page = [
            ContextPackBlock(
                evidence_item_id=f"e{start + at}",
                text=text,
                metadata={"source_uri": f"s{at % 2}", "score": 1 / (1 + start + at)},
            )
            for at, text in enumerate(self.texts[start:stop])
        ]
        self.offered |= {block.evidence_item_id for block in page}
        return ContextPack(
            text="\n\n".join(block.text for block in page), evidence_count=len(page), blocks=page
        )


retrievers = st.builds(
    FakeRetriever,
    texts=st.lists(filled_texts, max_size=8),
    manner=st.sampled_from(["good", "short", "none", "repeating", "raising", "too much"]),
    is_async=st.booleans(),
)


class Growing(BaseCompactor):
    """Returns more than it was given."""

    def compact(self, request: Any) -> str:
        return request.text + " and more" * 5


class Vanishing(BaseCompactor):
    """Returns nothing."""

    def compact(self, request: Any) -> str:
        return ""


class Raising(BaseCompactor):
    """Fails."""

    def compact(self, request: Any) -> str:
        raise ValueError("no idea how")


def lying(request: Any) -> Any:
    """Not even text."""
    return 42


COMPACTORS = {"growing": Growing(), "vanishing": Vanishing(), "raising": Raising(), "lying": lying}

compactors = st.sampled_from(
    [
        None,
        {"type": "truncate"},
        {"type": "tail"},
        {"type": "head_tail"},
        {"type": "drop_blocks"},
        {"type": "summary"},
        {"type": "extractive"},
        {"type": "chain", "steps": [{"type": "summary"}, {"type": "truncate"}]},
        *COMPACTORS,
    ]
)

budgets = st.one_of(st.integers(1, 60), st.integers(60, 600))


@cache
@st.composite
def policies(
    draw: st.DrawFn, overflow: tuple[str | None, ...] = (None, "compact")
) -> dict[str, Any]:
    """Policies with a budget."""
    policy: dict[str, Any] = {"input_budget": {"max_tokens": draw(budgets)}}
    if draw(st.booleans()):
        policy["pack_budget"] = {"default_ratio": draw(st.sampled_from([0.1, 0.5, 1.0]))}
    if draw(st.booleans()):
        policy["expansion"] = {"max_pages": draw(st.integers(1, 4)), "min_fill_ratio": 0.9}
    if draw(st.booleans()):
        policy["framing"] = draw(st.sampled_from(["openai", "none"]))
    policy["overflow"] = draw(st.sampled_from(overflow))
    policy["compactor"] = draw(compactors)
    policy["max_iterations"] = draw(st.integers(1, 3))
    return {key: value for key, value in policy.items() if value is not None}


AROUND = ["", "A\n\n", "{count}/{total}\n", "{{ sources | length }}", "<{vars.input.q}>"]
ITEMS = [
    "- {content}",
    "{index}. {content} ({count}, {total})",
    "{{ content | upper }}",
    "{% if metadata.score %}{score}: {% endif %}{content}\n*{metadata.source_uri}*",
    "{id}",
]


@cache
@st.composite
def formats(draw: st.DrawFn, nested: bool = False) -> dict[str, Any]:
    """How a pack is written; a nested context has only texts around its packs."""
    texts_around = {key: st.sampled_from(AROUND) for key in ("title", "header", "footer", "empty")}
    form = draw(st.fixed_dictionaries({}, optional=texts_around))
    if not nested:
        form |= draw(
            st.fixed_dictionaries(
                {"metadata": st.booleans(), "fence": st.booleans()},
                optional={
                    "item": st.sampled_from(ITEMS),
                    "separator": st.sampled_from(["", "\n", " | "]),
                    "cut_note": st.sampled_from([" (cut, see {id})", "\n[...]"]),
                    "citations": st.just("inline"),
                    "together": st.just(["document"]),
                },
            )
        )
    return form


@cache
@st.composite
def packs(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, Any]:
    """A `context` directive."""
    pack: dict[str, Any] = {
        "type": "context",
        "name": draw(st.sampled_from(names)),
        "on_error": "skip",
    }
    if draw(st.booleans()):
        pack["weight"] = draw(st.sampled_from([0.1, 1, 2.5]))
        pack["priority"] = draw(st.integers(-1, 3))
    if draw(st.integers(0, 3)) == 0:
        pack["budget"] = {"max_tokens": draw(st.integers(1, 80))}
    pack["ordering"] = draw(st.sampled_from(["rank", "score", "source", "edges"]))
    if draw(st.integers(0, 3)) == 0:
        pack["format"] = draw(formats(nested=pack["name"] in ("inner", "innermost")))
    if draw(st.integers(0, 5)) == 0:
        pack["title"] = draw(st.sampled_from(["## Title", "{count} of {total}", ""]))
    return pack


literals = texts(12).map(lambda text: text.replace("{", "("))


@cache
def directives_over(packs_from: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Any directive but history."""
    return st.one_of(
        st.builds(
            lambda c, s: {"type": "system", "content": c, "shrink": s}, literals, st.booleans()
        ),
        st.builds(lambda c: {"type": "user", "content": c}, literals),
        st.builds(lambda c: {"type": "assistant", "content": c}, literals),
        st.builds(dict, st.just({"type": "user", "content": "Q: {input.q}"})),
        packs(packs_from),
        packs(packs_from),
        st.builds(lambda a, b: {"first": [a, b]}, literals, literals),
    )


@cache
@st.composite
def contexts(draw: st.DrawFn, packs_from: tuple[str, ...], history: bool = True) -> dict[str, Any]:
    """A plan, default or explicit."""
    if draw(st.integers(0, 5)) == 0:
        names = draw(st.lists(st.sampled_from(packs_from), max_size=3))
        return {"packs": [{"name": name, "on_error": "skip"} for name in names]}
    directives = draw(st.lists(directives_over(packs_from), max_size=5))
    if history and draw(st.booleans()):
        directive: dict[str, Any] = {"type": "history", "keep_last": draw(st.integers(0, 2))}
        if draw(st.integers(0, 2)) == 0:
            directive["start_on"] = "user"
        if draw(st.integers(0, 2)) == 0:
            directive["low_mark"] = draw(st.sampled_from([0.5, 0.75, 0.9, 1]))
        if draw(st.integers(0, 2)) == 0:
            directive["compactor"] = draw(
                st.sampled_from(["growing", "raising", {"type": "extractive"}])
            )
        directives.insert(draw(st.integers(0, len(directives))), directive)
    return {"messages": directives}


@dataclass
class Case:
    """Everything that goes into one assembly."""

    registries: dict[str, Any]
    call: dict[str, Any]
    retrievers: dict[str, FakeRetriever]

    @property
    def policy(self) -> dict[str, Any]:
        return self.registries["context_registry"]["main"]["policy"]

    @property
    def budget(self) -> int:
        return self.policy["input_budget"]["max_tokens"]

    @property
    def overflow(self) -> str:
        return self.policy.get("overflow", "compact")


@st.composite
def cases(draw: st.DrawFn, overflow: tuple[str | None, ...] = (None, "compact")) -> Case:
    """A main context, an inner and an innermost one, three retrievers (two may know the same) and a call."""
    known = {name: draw(retrievers) for name in ("r1", "r2", "r3")}
    if draw(st.booleans()):
        known["r2"].texts = known["r1"].texts
    innermost = draw(contexts(("r1",), history=False))
    inner = draw(contexts(("r1", "r2", "innermost"), history=False))
    if draw(st.booleans()):
        inner["policy"] = draw(policies())
    main = draw(contexts(("r1", "r2", "r3", "inner")))
    main["policy"] = draw(policies(overflow))
    return Case(
        registries={
            "context_registry": {"main": main, "inner": inner, "innermost": innermost},
            "retriever_registry": known,
            "compactor_registry": COMPACTORS,
        },
        call={
            "context_name": "main",
            "base_system_prompt": draw(texts(8)),
            "user_message": draw(texts(8)),
            "history_messages": draw(histories()),
            "template_context": {"input": {"q": draw(texts(6))}, "context": {}},
        },
        retrievers=known,
    )
