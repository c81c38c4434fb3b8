"""Plans of every feature: nothing breaks, budgets and shares hold, and what each format sends was counted.

Formats with texts for nothing found, alternatives, combined retrievers, packs that are quoted or
guaranteed tokens, nested contexts, `shares=`, `formats=` and `previous=`, with hostile texts. The
messages, and what each `to_*` returns, are counted again by another tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from benchmarks.attacks import Extent
from benchmarks.attacks.assemblies import Broken
from benchmarks.attacks.recount import orphans, recounted, tokens
from benchmarks.attacks.worlds.plans import Drawn, drawn
from benchmarks.targets import Target
from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import ContextError

ATTEMPTS: Final = 100_000
_PER_MESSAGE: Final = 4
_PER_CALL: Final = 12
_PER_REPLY: Final = 3
"""OpenAI's framing, as its cookbook publishes it and the engine documents it."""


def plans(extent: Extent) -> Iterator[Target]:
    """A hundred thousand assemblies in full."""
    attempts = extent.of(ATTEMPTS)
    assembled = converted = 0
    broken: list[Broken] = []
    for seed in range(attempts):
        done, sent, promise = attempt(seed)
        assembled += done
        converted += sent
        broken += [Broken(seed, promise)] if promise else []
    for each in broken[:10]:
        print(f"  broken: seed {each.seed}: {each.promise}", flush=True)
    yield Target("attack: plans of every feature", attempts, "assemblies")
    yield Target("attack: of these, with a result", assembled, "assemblies")
    yield Target("attack: results in a provider's format, counted again", converted, "results")
    yield Target("attack: plans that broke a promise", len(broken), "assemblies", at_most=0)


def attempt(seed: int) -> tuple[int, int, str]:
    """Results, results in a provider's format, and the promise that was broken, if one."""
    plan = drawn(seed)
    try:
        result = assembled(plan)
        if seed % 4 == 0:  # the next call of the same conversation
            again = {**plan.call, "inputs": {"q": "And then?"}, "previous": result}
            result = assembled(plan, again)
    except ContextError:
        return 0, 0, ""
    except Exception as error:
        return 0, 0, f"{type(error).__name__}: {error}"[:200]
    return 1, *_judged(plan, result)


def assembled(plan: Drawn, call: Mapping[str, Any] | None = None) -> ContextAssemblyResult:
    """The result of a plan that was drawn."""
    assembler = ContextAssembler(plan.contexts, plan.retrievers)
    return assembler.assemble(**(call or plan.call), retrievers=plan.shelves)


def _judged(plan: Drawn, result: ContextAssemblyResult) -> tuple[int, str]:
    receipt = result.receipt
    budget = plan.policy["input_budget"]["max_tokens"]
    if plan.policy.get("overflow") != "none" and result.token_count > budget:
        return 0, f"{result.token_count} tokens, {budget} allowed"
    if promise := _counted(plan, result):
        return 0, promise
    if lost := orphans(result.messages):
        return 0, f"orphaned: {lost[0]}"
    if receipt.used != sum(part.given for part in receipt.parts) + receipt.framing + receipt.joins:
        return 0, "the parts of the receipt are not its total"
    over = _over_share(receipt.parts, receipt.pack_budget)
    if receipt.overflow == "compact" and (promise := next(over, "")):
        return 0, promise
    policy = plan.policy
    # A framing that is stated is that of another provider.
    gemini = policy.get("framing") is None and policy.get("model") in (None, "gemini-2.5-pro")
    return _converted(result, skipped=() if gemini else ("to_gemini",))


def _counted(plan: Drawn, result: ContextAssemblyResult) -> str:
    """The exact figure where the vocabulary is public, else no less than what is sent."""
    least = recounted(result.messages)
    policy = plan.policy
    if policy.get("model") in (None, "gpt-4o"):
        openai = policy.get("model") == "gpt-4o" or policy.get("framing") == "openai"
        unstated = not openai and policy.get("framing") != "none"
        exact = sum(_message(each, openai=openai, unstated=unstated) for each in result.messages)
        exact += _PER_REPLY if openai else 0
        if exact != result.token_count:
            return f"{exact} tokens sent, {result.token_count} said"
    if least > result.token_count:
        return f"{least} tokens sent, {result.token_count} said"
    return ""


def _message(message: Mapping[str, Any], *, openai: bool, unstated: bool) -> int:
    total = _PER_MESSAGE if openai else 0
    total += tokens(message["content"] or "")
    total += tokens('{"output":""}') if unstated and message["role"] == "tool" else 0
    for call in message.get("tool_calls", ()):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        total += _PER_CALL if openai else 0
        total += tokens(name) * (2 if unstated else 1) + tokens(arguments)
    return total


def _over_share(
    parts: Iterable[ReceiptPart], pack_budget: int | None, path: str = ""
) -> Iterator[str]:
    """Packs above their shares or caps, and contexts above their pack budgets."""
    packs = [part for part in parts if part.kind == "context"]
    given = sum(part.given for part in packs)
    if pack_budget is not None and given > pack_budget:
        yield f"{path}: packs have {given} tokens, their budget is {pack_budget}"
    for part in packs:
        for limit in (part.share, part.cap):
            if limit is not None and part.given > limit:
                yield f"{path}{part.place} has {part.given} tokens of {limit}"
        yield from _over_share(part.parts, part.pack_budget, f"{path}{part.place}/")


def _converted(result: ContextAssemblyResult, skipped: Collection[str]) -> tuple[int, str]:
    """How many formats took the result, and one that sends more than was counted."""
    done = 0
    for name, read in _FORMATS.items():
        if name in skipped:
            continue
        try:
            sent = read(result)
            json.dumps(sent, default=str)
        except ContextError:
            continue
        except Exception as error:
            return done, f"{name}: {type(error).__name__}: {error}"[:200]
        done += 1
        count = recounted(sent)
        if count > result.token_count:
            return done, f"{name} sends {count} tokens, {result.token_count} were counted"
    return done, ""


def _langchain(result: ContextAssemblyResult) -> list[dict[str, Any]]:
    return [
        {"content": each.content, "tool_calls": getattr(each, "tool_calls", [])}
        for each in result.to_langchain(foreign="drop")
    ]


def _pydantic_ai(result: ContextAssemblyResult) -> list[dict[str, Any]]:
    return [
        {
            key: getattr(part, key)
            for key in ("content", "tool_name", "args")
            if isinstance(getattr(part, key, None), str | list | dict)
            and not (key == "tool_name" and type(part).__name__ == "ToolReturnPart")
        }
        for message in result.to_pydantic_ai(foreign="drop")
        for part in message.parts
    ]


def _gemini(result: ContextAssemblyResult) -> list[Any]:
    """Of a function's response also the JSON around its texts."""
    sent = result.to_gemini(foreign="drop", late_system="user")
    bodies = [
        part["function_response"]["response"]
        for content in sent["contents"]
        for part in content["parts"]
        if "function_response" in part
    ]
    around = [json.dumps(dict.fromkeys(body, ""), separators=(",", ":")) for body in bodies]
    return [sent, *around]


_FORMATS: Final = {
    "to_openai": lambda result: result.to_openai(foreign="drop"),
    "to_openai_responses": lambda result: result.to_openai_responses(foreign="drop"),
    "to_anthropic": lambda result: result.to_anthropic(foreign="drop", late_system="user"),
    "to_anthropic without marks": lambda result: result.to_anthropic(
        cache="off", foreign="drop", late_system="user"
    ),
    "to_gemini": _gemini,
    "to_langchain": _langchain,
    "to_pydantic_ai": _pydantic_ai,
}
