"""Generated conversations, in the one way this package writes them, with what a provider can say."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection
from functools import cache
from typing import Any

from hypothesis import settings, strategies as st

part_of_the_examples = settings(max_examples=max(1, settings().max_examples // 2))
"""A conversation is large; forty say as much of a format as a thousand texts of a counter."""

Message = dict[str, Any]

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(40))).decode()
_CHARACTERS = st.characters(exclude_categories=("Cs",))
words = st.one_of(
    st.sampled_from(["refund", "Straße", "заказ", "👩\u200d👧", "<|im_end|>", '{"a":1}', "a\n\nb"]),
    st.text(_CHARACTERS, min_size=1, max_size=12).filter(lambda text: bool(text.strip())),
)
names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,11}", fullmatch=True)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(_CHARACTERS, max_size=6),
)
json_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(_CHARACTERS, max_size=4), inner)
    ),
    max_leaves=6,
)
objects = st.dictionaries(st.text(_CHARACTERS, max_size=6), json_values, max_size=3)


def compact(value: Any) -> str:
    """JSON as this package writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_part(text: str, **more: Any) -> Message:
    return {"type": "text", "text": text, **more}


def image_part(url: str, **more: Any) -> Message:
    return {"type": "image_url", "image_url": {"url": url, **more}}


images = st.sampled_from(
    [
        image_part(f"data:image/png;base64,{PNG}"),
        image_part("https://example.com/parcel.jpg"),
        image_part("https://example.com/label.webp?size=2"),
    ]
)
files = st.sampled_from(
    [
        {"type": "file", "file": {"file_id": "file-1"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
        },
    ]
)
thinking = st.one_of(
    st.builds(
        lambda said, mark: {"type": "thinking", "thinking": said, "signature": mark}, words, words
    ),
    st.builds(lambda data: {"type": "redacted_thinking", "data": data}, words),
)
thoughts = st.builds(
    lambda said, signed: {"text": said, "thought": True, **signed},
    words,
    st.sampled_from([{}, {"thought_signature": "c2lnbmVk"}]),
)


reasoning = st.builds(
    lambda summary, sealed: {
        "type": "reasoning",
        "id": "",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        **sealed,
    },
    st.lists(words, max_size=2),
    st.sampled_from([{}, {"encrypted_content": "gAAA=="}]),
)
text_parts = words.map(text_part)
any_arguments = st.one_of(words, st.just(""), st.just('{"a" : 1}'))
results = st.one_of(words, st.just(""), objects.map(compact))


@cache
def _parts_of(
    usable: tuple[st.SearchStrategy[Message], ...],
) -> st.SearchStrategy[list[Message]]:
    """Made once: a strategy is checked when it is first drawn from, which takes longer than to draw."""
    return st.lists(st.one_of(text_parts, *usable), min_size=1, max_size=3)


class Speech:
    """Builds one conversation; what it may hold is named by `features`."""

    def __init__(self, draw: st.DrawFn, features: Collection[str]) -> None:
        self.draw = draw
        self.features = features
        self.messages: list[Message] = []
        self.calls = 0
        self.items = 0

    def may(self, feature: str) -> bool:
        return feature in self.features and self.draw(st.booleans())

    def content(self, *kinds: tuple[str, st.SearchStrategy[Message]]) -> Any:
        """A text, or a list that could not be one."""
        usable = tuple(strategy for feature, strategy in kinds if feature in self.features)
        if not usable or self.draw(st.booleans()):
            return self.draw(words)
        parts = self.draw(_parts_of(usable))
        return parts[0]["text"] if [*map(set, parts)] == [{"type", "text"}] else parts

    def system(self) -> None:
        role = "developer" if self.may("developer") else "system"
        content = self.content(("lists", text_parts))
        self.messages.append({"role": role, "content": content, **self.name()})

    def user(self) -> None:
        content = self.content(("lists", text_parts), ("images", images), ("files", files))
        self.messages.append({"role": "user", "content": content, **self.name()})

    def name(self) -> Message:
        return {"name": self.draw(names)} if self.may("names") else {}

    def assistant(self) -> None:
        """What the model says, with or without calls, and the results of these."""
        said = self.said()
        calls = [self.call() for _ in range(self.draw(st.integers(0 if said else 1, 2)))]
        self.messages.append(self.spoken(said, calls))
        for call in calls:
            self.result(call)

    def said(self) -> list[Message]:
        parts: list[Message] = []
        if self.may("thinking"):
            parts.append(self.draw(thinking))
        if self.may("thoughts"):
            parts.append(self.draw(thoughts))
        if self.may("reasoning"):
            self.items += 1
            parts.append({**self.draw(reasoning), "id": f"rs_{self.items}"})
        most = 2 if "lists" in self.features else 1
        parts += [self.text() for _ in range(self.draw(st.integers(0, most)))]
        if self.may("refusals"):
            parts.append({"type": "refusal", "refusal": self.draw(words)})
        return parts

    def text(self) -> Message:
        part = text_part(self.draw(words))
        if self.may("items"):
            self.items += 1
            part["item"] = {"id": f"msg_{self.items}", "status": "completed"}
        if self.may("signatures"):
            part["thought_signature"] = "c2lnbmVk"
        return part

    def call(self) -> Message:
        self.calls += 1
        head: Message = {"id": f"call_{self.calls}"}
        if self.may("custom"):
            custom = {"name": self.draw(names), "input": self.draw(words)}
            return {**head, "type": "custom", "custom": custom}
        arguments = compact(self.draw(objects))
        if self.may("any arguments"):
            arguments = self.draw(any_arguments)
        function = {"name": self.draw(names), "arguments": arguments}
        signed = {"thought_signature": "c2ln"} if self.may("signatures") else {}
        item = {"item": {"id": f"fc_{self.calls}"}} if self.may("items") else {}
        return {**head, "type": "function", "function": function, **signed, **item}

    def spoken(self, said: list[Message], calls: list[Message]) -> Message:
        message: Message = {"role": "assistant"}
        alone = said[0] if len(said) == 1 else {}
        if not said:
            message["content"] = None
        elif set(alone) == {"type", "text"}:
            message["content"] = alone["text"]
        elif set(alone) == {"type", "refusal"}:
            message |= {"content": None, "refusal": alone["refusal"]}
        else:
            message["content"] = said
        return {**message, **self.name(), **({"tool_calls": calls} if calls else {})}

    def result(self, call: Message) -> None:
        content = self.draw(results)
        if self.may("images in results"):
            content = [text_part(self.draw(words)), image_part(f"data:image/png;base64,{PNG}")]
        failed = {"is_error": True} if self.may("failures") else {}
        self.messages.append(
            {"role": "tool", "tool_call_id": call["id"], "content": content, **failed}
        )


@st.composite
def conversations(draw: st.DrawFn, features: Collection[str] = ()) -> list[Message]:
    """A system prompt, then users and models in turn, with what `features` allow."""
    speech = Speech(draw, features)
    if draw(st.booleans()):
        speech.system()
    for _ in range(draw(st.integers(1, 4))):
        speech.user()
        if speech.may("runs"):
            speech.user()
        speech.assistant()
        if speech.may("late system"):
            speech.system()
    speech.user()
    return speech.messages
