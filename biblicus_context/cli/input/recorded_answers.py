"""Answers of retrievers recorded in a file, and what happens when one is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.cli.input.data_files import read_mapping
from biblicus_context.corpora.declared import DeclaredRetriever, DeclaredRetrievers
from biblicus_context.errors import InputError
from biblicus_context.golden.running.recorded import RecordedAnswer
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.rank.store_facts import HasStoreFacts, StoreFacts
from biblicus_context.retrieval.requests.abilities import FillsShare
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


def recorded_answers(file: Path) -> dict[str, RecordedAnswer]:
    """The retrievers in a file: a text, a list of texts or blocks, or a pack for each name."""
    return {
        name: RecordedAnswer(tuple(_block(name, *each) for each in enumerate(_offered(answer), 1)))
        for name, answer in read_mapping(file, "recorded answers").items()
    }


def _offered(answer: object) -> Sequence[object]:
    if isinstance(answer, Mapping):
        return answer.get("blocks") or [answer.get("text")]
    return answer if isinstance(answer, list) else [answer]


def _block(pack: str, number: int, written: object) -> ContextPackBlock:
    fields: Any = {"text": written} if isinstance(written, str) else written
    if isinstance(fields, Mapping):
        fields = dict(fields)
        fields.setdefault("evidence_item_id", fields.pop("id", f"{pack}-{number}"))
    try:
        return ContextPackBlock.model_validate(fields)
    except ValidationError as error:
        invalid = first_invalid(error)
        raise InputError(
            str(invalid) if invalid.path else "neither a text nor a block",
            place=f"recorded answer of '{pack}', block {number}",
            found=invalid.value,
            fix="A block is a text, or {text: ..., id: ..., source: ..., score: ...}.",
        ) from None


class NotRecordedError(InputError):
    """A retriever was asked that nothing here can answer for."""

    def __init__(self, pack: str, file: Path | None) -> None:
        where = f"{file} has no answer for it" if file else "it has no recorded answer"
        super().__init__(
            f"retriever '{pack}' cannot run from the command line, and {where}",
            fix="Declare a corpus with a root or a store, and a retriever_id; or record an answer: "
            f"--packs FILE, with '{pack}: [first text, second text]' in it.",
        )


@dataclass(frozen=True, slots=True)
class FallbackRetriever(FillsShare, HasStoreFacts):
    """Stands for every retriever that has no recorded answer: its corpus is asked, if it has one."""

    file: Path | None
    over_corpora: DeclaredRetrievers | None = None

    def fills_share(self, *, over_corpus: bool) -> bool:
        """As the retriever does that is asked."""
        return over_corpus

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        return self._retriever(request)(request)

    def store_facts(self, request: ContextRetrieverRequest) -> StoreFacts:
        """As the retriever that was asked."""
        found = self._retriever(request)
        assert isinstance(found, HasStoreFacts)  # only of what was found in a corpus
        return found.store_facts(request)

    def _retriever(self, request: ContextRetrieverRequest) -> DeclaredRetriever:
        name = str(request.metadata["retriever"])
        retriever = self.over_corpora.get(name) if self.over_corpora else None
        if retriever is None:
            raise NotRecordedError(name, self.file)
        return retriever
