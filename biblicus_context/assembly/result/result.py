"""The result: what to send, its tokens, and the account of how it came about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, Self

from biblicus_context import formats
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.reasons import counted
from biblicus_context.assembly.result.cache_marks import CacheMark, cache_marks, free_cut
from biblicus_context.assembly.result.plain_text import labelled
from biblicus_context.assembly.result.spans import PartSpan, spans_of
from biblicus_context.assembly.steps.parts import PackPart, Part, TextPart
from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.base.lazy import lazy
from biblicus_context.text.messages.framing import Framing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from langchain_core.messages import BaseMessage
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_ai.messages import ModelMessage
    from pydantic_core import CoreSchema

    from biblicus_context.assembly.result.account import write_receipt
    from biblicus_context.assembly.result.citations import Citation, citations_of
    from biblicus_context.assembly.result.receipt import Receipt
    from biblicus_context.assembly.result.stored import StablePrefix, StoredResult, stored_from
    from biblicus_context.formats import (
        CacheLifetime,
        CacheMarks,
        ForeignParts,
        LateSystemMessages,
        ToolSignatures,
    )
    from biblicus_context.formats.sdk_types import (
        AnthropicArguments,
        GeminiArguments,
        OpenAIMessages,
        OpenAIResponseItems,
    )

    stored_as = StoredResult.model_construct
else:  # accounts and saved results are a tenth of the import: who reads them loads them
    _ROOM = "biblicus_context.assembly.result"
    citations_of = Deferred(f"{_ROOM}.citations:citations_of")
    stored_as = Deferred(f"{_ROOM}.stored:StoredResult.model_construct")
    stored_from = Deferred(f"{_ROOM}.stored:stored_from")
    StablePrefix = Deferred(f"{_ROOM}.stored:StablePrefix")
    write_receipt = Deferred(f"{_ROOM}.account:write_receipt")


@door
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

    def __repr__(self) -> str:
        """What fits into a line; `explain()` shows the receipt, and notebooks the page."""
        tokens, messages = (
            counted(self.token_count, "token"),
            counted(len(self.messages), "message"),
        )
        return f"<ContextAssemblyResult: {tokens}, {messages}>"

    @lazy
    def receipt(self) -> Receipt:
        """The account of every part, block and turn; written when it is first read."""
        if self.draft is None:
            raise AttributeError("a result that was not assembled has no receipt")
        return write_receipt(self.draft)

    @lazy
    def citations(self) -> tuple[Citation, ...]:
        """Every block of evidence that is placed, in the order of the text."""
        if self.draft is None:
            raise AttributeError("a result that was not assembled has no citations")
        return tuple(citations_of(self.draft, self.spans))

    @lazy
    def spans(self) -> tuple[PartSpan, ...]:
        """Where every part of the plan, and every piece of a pack, is in `messages`."""
        return tuple(spans_of(self.draft, self.messages)) if self.draft else ()

    def as_text(self) -> str:
        """Everything that is sent, as one text; turns begin with their roles.

        For models and logs that take a text. It may have some tokens more or less than the messages.

        >>> turns = [{"role": "assistant", "content": "Hello."}]
        >>> print(ContextAssemblyResult("Be kind.", turns, "Why?").as_text())
        Be kind.
        <BLANKLINE>
        Assistant: Hello.
        <BLANKLINE>
        Why?
        """
        texts = [self.system_prompt, *labelled(self.history), self.user_message]
        return "\n\n".join(filter(None, texts))

    @lazy
    def framing(self) -> Framing:
        """What the message format of the model adds to texts."""
        return self.draft.limits.framing if self.draft else Framing()

    @lazy
    def cache_marks(self) -> tuple[CacheMark, ...]:
        """Where the parts end that the plan marks with `cache: true`."""
        return tuple(cache_marks(self.draft, self.spans, self.messages)) if self.draft else ()

    @lazy
    def fingerprint(self) -> str:
        """The same for the same plan, inputs and answers, on every machine; timings left out."""
        account = self.receipt.without_timings().model_dump(
            mode="json", exclude={"warnings", "now"}
        )
        content = json.dumps([self.messages, account], sort_keys=True, default=str)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """A copied or pickled result keeps its accounts; its draft holds functions, and is lost."""
        written: dict[str, Any] = {
            "spans": self.spans,
            "cache_marks": self.cache_marks,
            "framing": self.framing,
            "_prefix": self._prefix,
        }
        if self.draft:
            written |= {"receipt": self.receipt, "citations": self.citations}
        return {**self.__dict__, **written, "draft": None}

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON: to log, to compare, to store, for `previous=` and `from_json`.

        Timings are left out: the same call gives the same JSON.
        """
        return self._stored().as_json()

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | str | bytes) -> Self:
        """The result that `to_json` wrote, from its plain values or their JSON text.

        >>> from biblicus_context import ContextAssembler
        >>> plan = {"messages": [{"type": "system", "content": "Hi."}]}
        >>> result = ContextAssembler({"hello": plan}).assemble("hello")
        >>> ContextAssemblyResult.from_json(result.to_json()) == result
        True
        """
        return cls._of(stored_from(value))

    @classmethod
    def _of(cls, stored: StoredResult) -> Self:
        result = cls(
            system_prompt=stored.system_prompt,
            history=stored.history,
            user_message=stored.user_message,
            token_count=stored.token_count,
            messages=stored.messages,
            estimated=stored.estimated,
        )
        known = {
            "receipt": stored.receipt,
            "citations": stored.citations,
            "spans": stored.spans,
            "cache_marks": stored.cache_marks,
            "framing": stored.framing,
            "_prefix": (stored.prefix.characters, stored.prefix.evidence_follows),
        }
        result.__dict__.update(known)  # what is else computed from the draft
        return result

    def _stored(self) -> StoredResult:
        characters, follows = self._prefix
        return stored_as(
            context=self.receipt.context,
            fingerprint=self.fingerprint,
            token_count=self.token_count,
            estimated=self.estimated,
            system_prompt=self.system_prompt,
            history=self.history,
            user_message=self.user_message,
            messages=self.messages,
            framing=self.framing,
            receipt=self.receipt,
            citations=self.citations,
            spans=self.spans,
            cache_marks=self.cache_marks,
            prefix=StablePrefix(characters=characters, evidence_follows=follows),
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A field of a pydantic model, and a response of FastAPI: validated and written as JSON."""
        from pydantic_core import core_schema

        from biblicus_context.assembly.result.stored import StoredResult  # see above

        stored = core_schema.chain_schema(
            [handler(StoredResult), core_schema.no_info_plain_validator_function(cls._of)]
        )
        return core_schema.json_or_python_schema(
            json_schema=stored,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(cls), stored]),
            serialization=core_schema.plain_serializer_function_ser_schema(
                cls.to_json, return_schema=core_schema.dict_schema()
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        from biblicus_context.assembly.result.stored import StoredResult  # see above

        StoredResult.model_rebuild()
        return handler(StoredResult.__pydantic_core_schema__)

    def to_html(self) -> str:
        """The result as a page for the browser: what is sent, and why. It needs no network."""
        from biblicus_context.pages.page import page  # only who looks at it loads it

        return page(self)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, as notebooks show it."""
        from html import escape

        frame = "width:100%;height:40em;border:1px solid #8884"
        return f'<iframe sandbox style="{frame}" srcdoc="{escape(self.to_html())}"></iframe>'

    def explain(self, width: int | None = None, *, details: bool = False) -> str:
        """The receipt as a table for people; `details` has a line for each block of evidence."""
        return self.receipt.explain(width, details=details)

    def to_openai(
        self, *, cache: CacheMarks = "off", foreign: ForeignParts | Literal["keep"] = "error"
    ) -> OpenAIMessages:
        """The messages for OpenAI's chat completions.

        With `cache="auto"` they have explicit breakpoints, which models since gpt-5.6 take, where
        `to_anthropic` has its marks.
        """
        return formats.to_openai(self.messages, **self._marks(cache), foreign=foreign)

    def to_openai_responses(
        self, *, cache: CacheMarks = "off", foreign: ForeignParts = "error"
    ) -> OpenAIResponseItems:
        """The input for OpenAI's Responses API; `cache` as in `to_openai`."""
        return formats.to_openai_responses(self.messages, **self._marks(cache), foreign=foreign)

    def to_anthropic(
        self,
        *,
        tools: Iterable[Mapping[str, Any]] = (),
        cache: CacheMarks = "auto",
        ttl: CacheLifetime | None = None,
        late_system: LateSystemMessages = "error",
        foreign: ForeignParts = "error",
    ) -> AnthropicArguments:
        """The arguments for Anthropic's Messages API, with marks for its prompt cache.

        On "auto" they stand where the plan says `cache: true`, else where they usually help.
        """
        return formats.to_anthropic(
            self.messages,
            tools=tools,
            ttl=ttl,
            **self._marks(cache),
            late_system=late_system,
            foreign=foreign,
        )

    def _marks(self, cache: CacheMarks) -> dict[str, Any]:
        """Where a cached part may end: where the plan says so, else what decides it."""
        said = [formats.MarkAfter(*mark) for mark in self.cache_marks]
        chosen = said if said and cache == "auto" else cache
        return {"cache": chosen, "steady": self._prefix[0], "fetched": self._prefix[1]}

    def to_gemini(
        self,
        *,
        tools: Iterable[Mapping[str, Any]] = (),
        late_system: Literal["error", "user"] = "error",
        signatures: ToolSignatures = "given",
        foreign: ForeignParts = "error",
    ) -> GeminiArguments:
        """The arguments for Gemini's generate_content."""
        return formats.to_gemini(
            self.messages,
            tools=tools,
            late_system=late_system,
            signatures=signatures,
            foreign=foreign,
        )

    def to_langchain(self, *, foreign: ForeignParts = "error") -> list[BaseMessage]:
        """The messages as LangChain's own objects."""
        return formats.to_langchain(self.messages, foreign=foreign)

    def to_pydantic_ai(self, *, foreign: ForeignParts = "error") -> list[ModelMessage]:
        """The messages as pydantic-ai's own objects."""
        return formats.to_pydantic_ai(self.messages, foreign=foreign)

    @lazy
    def _prefix(self) -> tuple[int, bool]:
        """Of the system prompt: characters that are the same in every call; if evidence follows.

        It ends where a cut costs no token: what is sent is what was counted.
        """
        if self.draft is None:
            return 0, False
        numbered = enumerate(self.draft.parts)
        placed = ((at, part) for at, part in numbered if not _is_only_quoted(part))
        leading = [*takewhile(lambda each: _is_leading(each[1]), placed)]
        written = {*self.draft.context.texts, self.draft.call.base_system_prompt}
        spans = {span.part: span for span in self.spans if span.message == 0}
        end = 0
        for number, part in leading:
            # A part that is empty in this call may have text in the next one, so it ends the prefix.
            if not isinstance(part, TextPart) or part.render or part.text not in written:
                break
            if part.text:
                span = spans.get(number)
                if span is None or self.system_prompt[span.start : span.end] != part.text:
                    break  # it was left out, or shortened
                end = span.end
        quoted = (self.draft.parts[span.part] for span in spans.values())
        if 0 < end < len(self.system_prompt):
            end = free_cut(self.draft.limits.counter, self.system_prompt, end)
        return end, any(isinstance(part, PackPart) for part in (*dict(leading).values(), *quoted))


def _is_only_quoted(part: Part) -> bool:
    """Whether this is placed only inside other parts."""
    return isinstance(part, PackPart) and part.quoted


def _is_leading(part: Part) -> bool:
    """Whether this may be a part of the system prompt."""
    return isinstance(part, PackPart) or (isinstance(part, TextPart) and part.role == "system")
