"""From a conversation to the arguments of Gemini's generate_content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.formats.conversation import Conversation
from biblicus_context.formats.dialect import ForeignParts, own
from biblicus_context.formats.gemini.parts import GEMINI, SIGNATURE, part_of, response_part
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.pairs import paired
from biblicus_context.formats.sdk_types import GeminiArguments
from biblicus_context.formats.system_texts import divided
from biblicus_context.formats.tools import tools_for

ToolSignatures: TypeAlias = Literal["given", "skip"]
UNCHECKED: Final = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""The signature that Google documents for calls that another model wrote."""
_WAYS: Final = ("given", "skip")


class _Piece(NamedTuple):
    speaker: Literal["user", "model", "tools"]
    body: dict[str, Any]


@door
def to_gemini(
    messages: Iterable[Mapping[str, Any]],
    *,
    tools: Iterable[Mapping[str, Any]] = (),
    late_system: Literal["error", "user"] = "error",
    signatures: ToolSignatures = "given",
    foreign: ForeignParts = "error",
) -> GeminiArguments:
    """Arguments for `client.models.generate_content(model=..., **these)`.

    With `signatures="skip"` the first call of a turn without a signature gets a signature that
    Gemini does not check.

    >>> to_gemini([{"role": "user", "content": "Hello."}])
    {'contents': [{'role': 'user', 'parts': [{'text': 'Hello.'}]}]}
    """
    if signatures not in _WAYS:
        raise InputError("unknown way", place="signatures", found=signatures, valid=_WAYS)
    turns = paired(own(read(messages), GEMINI, foreign), GEMINI)
    system, rest, _ = divided(turns, GEMINI, late_system)
    config: dict[str, Any] = {}
    if system:
        config["system_instruction"] = {"parts": [piece.body for piece in _pieces(system)]}
    defined = tools_for("gemini", tools)
    if defined:
        config["tools"] = defined
    contents = _contents(rest)
    if signatures == "skip":
        _sign(contents)
    written = {"contents": contents, **({"config": config} if config else {})}
    return cast("GeminiArguments", written)


def _contents(turns: Conversation) -> list[dict[str, Any]]:
    """One content for each run of a speaker; Gemini needs results in a content of their own."""
    return [
        {
            "role": "model" if speaker == "model" else "user",
            "parts": [piece.body for piece in run],
        }
        for speaker, run in groupby(_pieces(turns), lambda piece: piece.speaker)
    ]


def _pieces(turns: Conversation) -> Iterator[_Piece]:
    names: dict[str, str] = {}
    for turn in turns:
        if not turn.parts:
            fix = "Leave the message out."
            raise GEMINI.refusal(turn, "wants content in each message", fix=fix)
        names |= {call.id: call.name for call in turn.calls}
        if turn.role == "tool":
            body = response_part(turn, names[turn.result.call_id])
            yield _Piece("tools", body)
            continue
        speaker: Literal["user", "model"] = "model" if turn.role == "assistant" else "user"
        for part in turn.parts:
            yield _Piece(speaker, part_of(turn, part))


def _sign(contents: Iterable[dict[str, Any]]) -> None:
    for content in contents:
        first = next((part for part in content["parts"] if "function_call" in part), None)
        if first is not None:
            first.setdefault(SIGNATURE, UNCHECKED)
