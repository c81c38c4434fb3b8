"""Plans of every feature, drawn from a seed, with retrievers over texts that no two runs change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from biblicus_context import ContextPack, ContextPackBlock, ContextRetrieverRequest

_WORDS: Final = (
    *("order", "refund", "the", "a", "policy", "2024", "error-42", "Straße", "заказ", "注文"),
    *("e\u0301\u0302", "👩\u200d👩\u200d👧", "\u202e", "\x00", "\ud800", "a" * 40, "==="),
    *("<|endoftext|>", "</s>", "{{ x }}", "{input.q}", "{", "}", "---", "/", "'s", "<b>"),
)
_PLAIN: Final = ("order", "refund", "policy", "parcel", "invoice", "the", "of", "returns", "2024")
_JOINERS: Final = (" ", " ", " ", "\n", "\n\n", "")
_FORMATS: Final[tuple[Mapping[str, Any], ...]] = (
    {"empty": "Nothing is known."},
    {"empty": "Nothing.", "title": "## Found", "item": "- {content}", "separator": "\n"},
    {"header": "{count} of {total}\n", "footer": "\n({{ sources | length }} kinds)"},
    {"fence": True, "metadata": True},
    {"citations": "inline", "metadata": ["note"]},
    {"item": "{index}. {{ content | upper }} ({count})", "cut_note": " (cut, see {id})"},
    {"title": "## {total} items", "item": "{id}: {content}\n", "separator": ""},
)
_AROUND: Final[tuple[Mapping[str, Any], ...]] = (
    {"empty": "Nothing at all."},
    {"title": "## All", "footer": "\nEnd of {count}"},
)
_COMPACTORS: Final = (
    None,
    {"type": "truncate"},
    {"type": "drop_blocks"},
    {"type": "extractive"},
    {"type": "head_tail"},
)
_RETRIEVERS: Final = ("a", "b", "c", "all")
_MANNERS: Final = ("pages", "pages", "short", "repeating", "too much", "none", "failing", "empty")
MODELS: Final = (None, None, None, "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro")


@dataclass
class Shelf:
    """A retriever over texts, in one of the ways in which retrievers misbehave."""

    name: str
    texts: list[str]
    manner: str
    says_more: bool = False
    """Whether its answers say that there is more."""

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack | None:
        """A page of its texts."""
        if self.manner == "none":
            return None
        if self.manner == "failing" and request.offset:
            raise ConnectionError("the index is gone")
        start = 0 if self.manner == "repeating" else request.offset
        stop = start + {"short": 1, "too much": request.limit + 20}.get(self.manner, request.limit)
        texts = [] if self.manner == "empty" else self.texts[start:stop]
        blocks = [
            ContextPackBlock(
                evidence_item_id=f"{self.name}{start + at}",
                text=text,
                score=1 / (1 + start + at),
                metadata={"note": f"n{at}", "source_uri": f"s{at % 2}"},
            )
            for at, text in enumerate(texts)
        ]
        more = self.says_more and stop < len(self.texts)
        return ContextPack(text="", evidence_count=len(blocks), blocks=blocks, more=more)


@dataclass
class Drawn:
    """A plan and a call of it."""

    contexts: dict[str, dict[str, Any]]
    retrievers: dict[str, Any]
    """Declarations, and under `shelves` what answers."""
    shelves: dict[str, Shelf]
    call: dict[str, Any]

    @property
    def policy(self) -> dict[str, Any]:
        """The policy of the outermost context."""
        policy: dict[str, Any] = self.contexts["main"]["policy"]
        return policy


def drawn(seed: int, *, plain: bool = False) -> Drawn:
    """The plan of this seed; a plain one has ordinary words, a budget and no model."""
    chance = Random(f"plan {seed}")
    words = _PLAIN if plain else _WORDS
    policy = _policy(chance, outer=True)
    if not plain:
        policy["model"] = chance.choice(MODELS)
        if policy["model"] is None:
            policy["framing"] = chance.choice((None, None, "none", "openai"))
    main = _context(chance, words, (*_RETRIEVERS, "inner"), outer=True)
    inner = _context(chance, words, (*_RETRIEVERS, "innermost"), outer=False)
    innermost = _context(chance, words, _RETRIEVERS[:2], outer=False)
    main["policy"] = {key: value for key, value in policy.items() if value is not None}
    for context in (inner, innermost):
        if chance.random() < 0.4:
            context["policy"] = _policy(chance, outer=False)
    shelves: dict[str, Any] = {}
    for name in ("a", "b", "c"):
        manner = "pages" if plain and chance.random() < 0.8 else chance.choice(_MANNERS)
        texts = [
            text(chance, words, chance.choice((4, 12, 60))) for _ in range(chance.randint(0, 9))
        ]
        known = [each for each in texts if each.strip()]
        shelves[name] = Shelf(name, known, manner, says_more=chance.random() < 0.4)
    if chance.random() < 0.4:
        shelves["b"].texts = [*shelves["a"].texts]
    call: dict[str, Any] = {
        "context_name": "main",
        "inputs": {"q": text(chance, words, 8)},
        "history": [] if plain and chance.random() < 0.5 else _history(chance, words),
    }
    if chance.random() < 0.3:
        call["user_message"] = text(chance, words, 8)
    if chance.random() < 0.15:
        call["shares"] = {chance.choice(_RETRIEVERS): chance.choice((0, 5, 60))}
    if not plain and chance.random() < 0.1:
        call["formats"] = {chance.choice(_RETRIEVERS): chance.choice(_FORMATS)}
    return Drawn(
        contexts={"main": main, "inner": inner, "innermost": innermost},
        retrievers=_declared(chance),
        shelves=shelves,
        call=call,
    )


def _declared(chance: Random) -> dict[str, Any]:
    declared: dict[str, Any] = {name: {"config": _settings(chance)} for name in ("a", "b", "c")}
    of = [
        {"name": name, "weight": chance.choice((1, 2.5)), "on_error": "skip"}
        for name in chance.sample(("a", "b", "c"), chance.randint(1, 3))
    ]
    declared["all"] = {"config": {"retriever_id": "combined", "of": of, **_settings(chance)}}
    return declared


def _settings(chance: Random) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    if chance.random() < 0.5:
        settings["limit"] = chance.choice((1, 2, 4, 8))
    if chance.random() < 0.15:
        settings["maximum_total_characters"] = chance.choice((20, 200, 900))
    return settings


def _policy(chance: Random, *, outer: bool) -> dict[str, Any]:
    policy: dict[str, Any] = {}
    if outer or chance.random() < 0.5:
        most = chance.choice((chance.randint(1, 60), chance.randint(60, 400), 2_000))
        policy["input_budget"] = {"max_tokens": most}
        if chance.random() < 0.5:
            policy["pack_budget"] = {"default_ratio": chance.choice((0.1, 0.5, 0.8, 1.0))}
    if chance.random() < 0.5:
        policy["expansion"] = {"max_pages": chance.randint(1, 4), "min_fill_ratio": 0.9}
    if chance.random() < 0.3:
        policy["compactor"] = chance.choice(_COMPACTORS[1:])
    if chance.random() < 0.2:
        policy["dedupe"] = chance.choice(({"near": 0.8}, {"fields": ["note"]}))
    if chance.random() < 0.08:
        policy["overflow"] = chance.choice(("none", "error")) if outer else "compact"
    policy["max_iterations"] = chance.randint(1, 3)
    return policy


def _context(
    chance: Random, words: tuple[str, ...], packs: tuple[str, ...], *, outer: bool
) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for _ in range(chance.randint(1, 5)):
        kind = chance.randrange(8)
        if kind < 4:
            messages += _pack(chance, packs, words)
        elif kind == 4:
            group = [
                *_pack(chance, packs, words, alone=True),
                *_pack(chance, packs, words, alone=True),
            ]
            messages.append({"first": [*group[: chance.randint(1, 2)], "Nobody knows."]})
        else:
            messages.append(_text(chance, words, "system" if kind < 7 else "user"))
    if outer and chance.random() < 0.5:
        messages.insert(chance.randint(0, len(messages)), _of_history(chance))
    if outer and chance.random() < 0.7:
        messages.append({"type": "user", "content": "{input.q}"})
    return {"messages": messages}


def _of_history(chance: Random) -> dict[str, Any]:
    directive: dict[str, Any] = {"type": "history", "keep_last": chance.choice((0, 0, 1))}
    more: tuple[dict[str, Any], ...] = (
        {},
        {"start_on": "user"},
        {"low_mark": 0.75},
        {"max_turns": 2},
        {"compactor": {"type": "extractive"}},
        {"budget": {"max_tokens": 60, "min_tokens": 10}},
    )
    return {**directive, **chance.choice(more)}


def _text(chance: Random, words: tuple[str, ...], role: str) -> dict[str, Any]:
    said = text(chance, words, 10).replace("{", "(")
    directive: dict[str, Any] = {"type": role, "content": said or "-"}
    if role == "system":
        directive["shrink"] = chance.random() < 0.2
        directive["cache"] = chance.random() < 0.3
    return directive


def _pack(
    chance: Random, packs: tuple[str, ...], words: tuple[str, ...], *, alone: bool = False
) -> list[dict[str, Any]]:
    name = chance.choice(packs)
    nested = name.startswith("inner")
    pack: dict[str, Any] = {"type": "context", "name": name, "on_error": "skip"}
    if chance.random() < 0.4:
        pack |= {"weight": chance.choice((0.1, 1, 2.5)), "priority": chance.randint(-1, 3)}
    if chance.random() < 0.25:
        pack["budget"] = {"max_tokens": chance.randint(1, 80)}
    if chance.random() < 0.15:
        pack["budget"] = {"min_tokens": chance.randint(1, 30)}
    if chance.random() < 0.4:
        pack["format"] = dict(chance.choice(_AROUND if nested else _FORMATS))
    if chance.random() < 0.15:
        pack["title"] = "## Title"
    if not nested and chance.random() < 0.15:
        pack["ordering"] = chance.choice(("score", "source", "edges"))
    if not alone and chance.random() < 0.12:
        quoting = chance.choice(("Use {{ context.%s }}.", "{{ context.%s }}\n{{ context.%s }}"))
        said = quoting.replace("%s", name)
        return [{**pack, "place": "quoted"}, {"type": "system", "template": said}]
    return [pack]


def text(chance: Random, words: tuple[str, ...], most: int) -> str:
    """Some words, joined in one of the ways."""
    return chance.choice(_JOINERS).join(chance.choices(words, k=chance.randint(0, most)))


def _history(chance: Random, words: tuple[str, ...]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(chance.randint(0, 5)):
        said = text(chance, words, 10)
        messages.append({"role": "user", "content": said or "Well?"})
        if chance.random() < 0.3:
            function = {"name": "look_up", "arguments": json.dumps({"q": said})}
            call = {"id": f"call-{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            result = chance.choice((said, '{"days":3}'))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if chance.random() < 0.8:
            messages.append({"role": "assistant", "content": text(chance, words, 10) or "Yes."})
    return messages
