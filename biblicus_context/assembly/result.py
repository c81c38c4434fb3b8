"""The result: what to send, what it counts, and the account of how it came about."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from biblicus_context.assembly.draft import Draft

if TYPE_CHECKING:
    from biblicus_context.assembly.receipt import Receipt


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
        from biblicus_context.assembly.account import write_receipt  # noqa: PLC0415 - loads models

        if self.draft is None:
            raise AttributeError("a result that was not assembled has no receipt")
        return write_receipt(self.draft)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same plan, inputs and answers, on every machine; timings left out."""
        import hashlib  # noqa: PLC0415 - loads OpenSSL, and few calls need it

        account = self.receipt.without_timings().model_dump(mode="json")
        content = json.dumps([self.messages, account], sort_keys=True, default=str)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        """A copied or pickled result keeps its receipt; the draft behind it holds functions."""
        written = {"receipt": self.receipt} if self.draft else {}
        return {**self.__dict__, **written, "draft": None}

    def explain(self, width: int | None = None) -> str:
        """The receipt as a table for people."""
        from biblicus_context.assembly.explain import explanation  # noqa: PLC0415

        return explanation(self.receipt, width)
