"""The result: what to send, what it counts, and the account of how it came about."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.steps.layout import BETWEEN_SYSTEM_TEXTS
from biblicus_context.assembly.steps.parts import PackPart, TextPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from langchain_core.messages import BaseMessage
    from pydantic_ai.messages import ModelMessage

    from biblicus_context.assembly.result.cache_marks import CacheMark
    from biblicus_context.assembly.result.citations import Citation
    from biblicus_context.assembly.result.receipt import Receipt
    from biblicus_context.formats import Cache, Foreign, LateSystem, Lifetime, Signatures


@dataclass
class ContextAssemblyResult:
    """An assembled context; `messages` is everything in order, the other fields are its parts."""

    system_prompt: str
    history: list[dict[str, Any]]
    user_message: str
    token_count: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)
    estimated: bool = False
    draft: Draft | None = field(default=None, repr=False, compare=False)

    @cached_property
    def receipt(self) -> Receipt:
        """The account of every part, block and turn; written when it is first read."""
        from biblicus_context.assembly.result.account import write_receipt  # noqa: PLC0415 - loads models

        if self.draft is None:
            raise AttributeError("a result that was not assembled has no receipt")
        return write_receipt(self.draft)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """Every block of evidence that is placed, in the order of the text."""
        from biblicus_context.assembly.result.citations import citations_of  # noqa: PLC0415

        if self.draft is None:
            raise AttributeError("a result that was not assembled has no citations")
        return tuple(citations_of(self.draft))

    @cached_property
    def cache_marks(self) -> tuple[CacheMark, ...]:
        """Where the parts end that the plan marks with `cache: true`."""
        from biblicus_context.assembly.result.cache_marks import cache_marks  # noqa: PLC0415

        return tuple(cache_marks(self.draft)) if self.draft else ()

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same plan, inputs and answers, on every machine; timings left out."""
        import hashlib  # noqa: PLC0415 - loads OpenSSL, and few calls need it

        account = self.receipt.without_timings().model_dump(mode="json")
        content = json.dumps([self.messages, account], sort_keys=True, default=str)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """A copied or pickled result keeps its accounts; the draft behind it holds functions."""
        written: dict[str, Any] = {"_steady": self._steady, "cache_marks": self.cache_marks}
        if self.draft:
            written |= {"receipt": self.receipt, "citations": self.citations}
        return {**self.__dict__, **written, "draft": None}

    def to_json(self) -> dict[str, Any]:
        """The messages and their account as plain JSON: to log, to compare, for `previous=`.

        Timings are left out: the same call gives the same JSON.
        """
        return {
            "context": self.receipt.context,
            "fingerprint": self.fingerprint,
            "token_count": self.token_count,
            "estimated": self.estimated,
            "system_prompt": self.system_prompt,
            "history": self.history,
            "user_message": self.user_message,
            "messages": self.messages,
            "receipt": self.receipt.model_dump(mode="json", exclude={"steps"}),
        }

    def explain(self, width: int | None = None, *, details: bool = False) -> str:
        """The receipt as a table for people; `details` has a line for each block of evidence."""
        from biblicus_context.assembly.result.explain import explanation  # noqa: PLC0415

        return explanation(self.receipt, width, details=details)

    def to_openai(self, *, foreign: Foreign | Literal["keep"] = "error") -> list[dict[str, Any]]:
        """The messages for OpenAI's chat completions."""
        from biblicus_context.formats import to_openai  # noqa: PLC0415 - few calls need a format

        return to_openai(self.messages, foreign=foreign)

    def to_openai_responses(self, *, foreign: Foreign = "error") -> list[dict[str, Any]]:
        """The input for OpenAI's Responses API."""
        from biblicus_context.formats import to_openai_responses  # noqa: PLC0415

        return to_openai_responses(self.messages, foreign=foreign)

    def to_anthropic(
        self,
        *,
        tools: Iterable[Mapping[str, Any]] = (),
        cache: Cache = "auto",
        ttl: Lifetime | None = None,
        late_system: LateSystem = "error",
        foreign: Foreign = "error",
    ) -> dict[str, Any]:
        """The arguments for Anthropic's Messages API, with marks for its prompt cache.

        On "auto" they stand where the plan says `cache: true`, else where they usually help.
        """
        from biblicus_context.formats import After, to_anthropic  # noqa: PLC0415

        said = [After(*mark) for mark in self.cache_marks]
        return to_anthropic(
            self.messages,
            tools=tools,
            cache=said if said and cache == "auto" else cache,
            ttl=ttl,
            steady=self._steady[0],
            fetched=self._steady[1],
            late_system=late_system,
            foreign=foreign,
        )

    def to_gemini(
        self,
        *,
        tools: Iterable[Mapping[str, Any]] = (),
        late_system: Literal["error", "user"] = "error",
        signatures: Signatures = "given",
        foreign: Foreign = "error",
    ) -> dict[str, Any]:
        """The arguments for Gemini's generate_content."""
        from biblicus_context.formats import to_gemini  # noqa: PLC0415

        return to_gemini(
            self.messages,
            tools=tools,
            late_system=late_system,
            signatures=signatures,
            foreign=foreign,
        )

    def to_langchain(self, *, foreign: Foreign = "error") -> list[BaseMessage]:
        """The messages as LangChain's own objects."""
        from biblicus_context.formats import to_langchain  # noqa: PLC0415

        return to_langchain(self.messages, foreign=foreign)

    def to_pydantic_ai(self, *, foreign: Foreign = "error") -> list[ModelMessage]:
        """The messages as pydantic-ai's own objects."""
        from biblicus_context.formats import to_pydantic_ai  # noqa: PLC0415

        return to_pydantic_ai(self.messages, foreign=foreign)

    @cached_property
    def _steady(self) -> tuple[int, bool]:
        """Of the system prompt: characters that are the same in every call; if evidence follows."""
        if self.draft is None:
            return 0, False
        steady = BETWEEN_SYSTEM_TEXTS.join(_steady_texts(self.draft))
        fetched = any(isinstance(part, PackPart) for part in _leading(self.draft))
        return len(steady) if self.system_prompt.startswith(steady) else 0, fetched


def _leading(draft: Draft) -> Iterator[TextPart | PackPart]:
    """The parts that the system prompt is made of."""
    for part in draft.parts:
        if isinstance(part, PackPart) or (isinstance(part, TextPart) and part.role == "system"):
            yield part
        else:
            return


def _steady_texts(draft: Draft) -> Iterator[str]:
    """The texts it begins with, as long as they are what was written, word for word."""
    written = {*draft.context.texts, draft.call.base_system_prompt}
    for part in _leading(draft):
        if not isinstance(part, TextPart) or part.render or part.text not in written:
            return
        if part.text:
            yield part.text
