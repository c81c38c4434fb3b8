"""Assemblies over arbitrary JSON: what is sent is within the budget, and nothing breaks.

Messages, inputs and evidence are arbitrary; plans have a history, and some have packs, fences and a
nested context. Everything in `result.messages`, and in what each `to_*` returns, is counted again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from benchmarks.attacks import Extent
from benchmarks.attacks.recount import orphans, recounted
from benchmarks.targets import Target
from biblicus_context import ContextAssembler, ContextPack, ContextPackBlock
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import ContextError

ATTEMPTS = 100_000
_SYSTEM = {"type": "system", "content": "Be brief."}
_QUESTION = {"type": "user", "content": "{input.q}"}
_PACKS = (
    {"type": "context", "name": "kb"},
    {"type": "context", "name": "kb", "format": {"fence": True, "metadata": True}},
    {"type": "context", "name": "kb", "format": {"citations": "inline", "metadata": True}},
    {"type": "context", "name": "kb", "ordering": "reading", "pin": False, "weight": 2},
    {"type": "context", "name": "inner"},
)
_QUOTED = (
    {"type": "context", "name": "kb", "place": "quoted", "format": {"fence": True}},
    {"type": "system", "content": "Use {context.kb} for {input.q}."},
)
_HISTORIES = (
    {"type": "history"},
    {"type": "history", "keep_last": 1},
    {"type": "history", "max_turns": 2, "start_on": "user"},
    {"type": "history", "compactor": {"type": "extractive"}},
)
_MODELS = (None, None, "gpt-4o", "claude-sonnet-4-5")
_WORDS = (
    "word",
    "a b c",
    "заказ",
    "注文",
    "\n",
    "\ud800",
    "\udfff",
    "\ud83d\ude00",
    "<|endoftext|>",
    "{{ x }}",
    '"',
    "",
)
_KEYS = (
    *("type", "text", "content", "data", "source", "media_type", "mime_type", "url", "image_url"),
    *("file", "file_data", "input_audio", "format", "input", "args", "arguments", "name", "id"),
    *("function", "custom", "summary", "thinking", "reasoning", "signature", "encrypted_content"),
    *("inline_data", "functionCall", "function_response", "response", "parts", "cache_control"),
    *(
        "citations",
        "title",
        "reasoning_details",
        "refusal",
        "index",
        "detail",
        "extra",
        "tool_use_id",
    ),
)
_KINDS = (
    *("text", "image_url", "image", "document", "file", "input_audio", "thinking", "reasoning"),
    *(
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "tool_call",
        "function_call",
        "odd",
        "base64",
    ),
)
_FORMATS = ("to_openai", "to_openai_responses", "to_anthropic", "to_gemini", "to_langchain")


class Broken(NamedTuple):
    """An attempt that broke a promise."""

    seed: int
    promise: str


def assemblies(extent: Extent) -> Iterator[Target]:
    """Arbitrary JSON as messages, with small budgets."""
    attempts = extent.of(ATTEMPTS)
    broken = [found for seed in range(attempts) if (found := attempt(seed))]
    for each in broken[:5]:
        print(f"  broken: seed {each.seed}: {each.promise}", flush=True)
    yield Target("attack: assemblies over arbitrary JSON", attempts, "assemblies")
    yield Target("attack: broken", len(broken), "assemblies", at_most=0)


def attempt(seed: int) -> Broken | None:
    """One assembly; the promise that it broke, if one."""
    chance = Random(seed)
    history = [message(chance) for _ in range(chance.randint(1, 4))]
    before = repr(history)
    budget = chance.choice((20, 60, 300, 2_000))
    kb = evidence(chance)
    try:
        result = ContextAssembler(plans(chance), {"kb": lambda _: kb}).assemble(
            "p",
            history=history,
            budget=budget,
            inputs={"q": value(chance)},
            model=chance.choice(_MODELS),
        )
    except ContextError:
        return None
    except Exception as error:
        return Broken(seed, f"{type(error).__name__}: {error}"[:200])
    promise = _broken(result, budget)
    if repr(history) != before:
        promise = "the history was changed"
    return Broken(seed, promise) if promise else None


def _broken(result: ContextAssemblyResult, budget: int) -> str:
    count = recounted(result.messages, numbers=True)
    if not count <= result.token_count <= budget:
        return f"{count} tokens sent, {result.token_count} said, {budget} allowed"
    if lost := orphans(result.messages):
        return f"orphaned: {lost[0]}"
    for name in _FORMATS:
        try:
            sent = getattr(result, name)(foreign="drop")
            if name == "to_langchain":
                sent = [{"content": each.content, **each.additional_kwargs} for each in sent]
            json.dumps(sent)
        except ContextError:
            continue
        except Exception as error:
            return f"{name}: {type(error).__name__}: {error}"[:200]
        if recounted(sent) > budget:
            return f"{name} sends {recounted(sent)} tokens, {budget} are allowed"
    return ""


def plans(chance: Random) -> dict[str, Any]:
    """A plan with a history, sometimes with a question, packs and a nested context."""
    messages = [_SYSTEM, *chance.sample(_PACKS, chance.choice((0, 0, 1, 2)))]
    messages += _QUOTED if len(messages) == 1 and chance.random() < 0.3 else ()
    messages.append(chance.choice(_HISTORIES))
    messages += [_QUESTION] if chance.random() < 0.3 else []
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 0.5}}
    inner = [{"type": "system", "content": "Facts:"}, chance.choice(_PACKS[:-1])]
    return {"p": {"messages": messages, "policy": policy}, "inner": {"messages": inner}}


def evidence(chance: Random) -> ContextPack:
    """Blocks with any text and any metadata."""
    blocks = [
        ContextPackBlock(
            evidence_item_id=text(chance) or f"{number}",
            text=text(chance) or "-",
            source=chance.choice((None, text(chance))),
            score=chance.choice((None, chance.random())),
            metadata={chance.choice(_KEYS): value(chance) for _ in range(chance.randint(0, 3))},
        )
        for number in range(chance.randint(0, 4))
    ]
    return ContextPack(text="", evidence_count=len(blocks), blocks=blocks)


def message(chance: Random) -> dict[str, Any]:
    """A message in some shape, or nearly in one."""
    role = chance.choice(("user", "assistant", "user", "assistant", "tool", "system"))
    content = chance.choice((text, parts, parts, lambda _: None, value))(chance)
    made: dict[str, Any] = {"role": role, "content": content}
    if role == "tool":
        made["tool_call_id"] = text(chance)
    if chance.random() < 0.2:
        made["tool_calls"] = [call(chance) for _ in range(chance.randint(1, 2))]
    while chance.random() < 0.25:
        made[chance.choice((*_KEYS, text(chance) or "x"))] = value(chance)
    return made


def call(chance: Random) -> dict[str, Any]:
    """A tool call, with more keys than it should have now and then."""
    function = {"name": "f", "arguments": chance.choice(("{}", text(chance), value(chance)))}
    made: dict[str, Any] = {"id": text(chance), "type": "function", "function": function}
    while chance.random() < 0.3:
        chance.choice((made, function))[chance.choice(_KEYS)] = value(chance)
    return made


def parts(chance: Random) -> list[Any]:
    """Parts of a content."""
    return [part(chance) for _ in range(chance.randint(0, 3))]


def part(chance: Random) -> Any:
    """A part of a known kind with keys of any kind."""
    made = {chance.choice(_KEYS): value(chance) for _ in range(chance.randint(0, 3))}
    kind = chance.choice(_KINDS)
    usual: dict[str, Any] = {
        "text": {"text": text(chance)},
        "image_url": {"image_url": {"url": text(chance)}},
        "document": {"source": {"type": chance.choice(("text", "base64")), "data": text(chance)}},
        "tool_result": {"tool_use_id": "c", "content": text(chance)},
        "tool_use": {"id": "c", "name": "f", "input": {"q": text(chance)}},
        "thinking": {"thinking": text(chance), "signature": text(chance)},
    }
    return {"type": kind, **usual.get(kind, {}), **made}


def text(chance: Random) -> str:
    """A short text, a long one, or one that looks like a file."""
    word = chance.choice(_WORDS)
    return chance.choice(
        (
            word,
            word,
            f"{word}\n" * chance.choice((3, 400)),
            f"data:;base64,{word * 50}",
            f"data:image/png;base64,{'iVBORw0K' * chance.choice((1, 50))}",
            "aGVsbG8h" * chance.choice((1, 60)),
            "https://example.org/a.png",
        )
    )


def value(chance: Random, depth: int = 0) -> Any:
    """Any JSON, now and then too deep to be copied."""
    kind = chance.randrange(7 if depth < 4 else 5)
    if kind == 5:
        return {chance.choice(_KEYS): value(chance, depth + 1) for _ in range(chance.randint(0, 3))}
    if kind == 6:
        return [value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.01:
        return json.loads("[" * 600 + "]" * 600)
    return (text(chance), text(chance), chance.randint(-5, 10**6), None, chance.random())[kind]
