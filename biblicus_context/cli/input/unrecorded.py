"""What stands for a retriever that nobody recorded an answer of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.corpora.declared import DeclaredRetrievers
    from biblicus_context.retrieval.packs.pack import ContextPack
    from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


class NotRecordedError(InputError):
    """A retriever was asked that nothing here can answer for."""

    def __init__(self, pack: str, file: Path | None) -> None:
        where = f"{file} has no answer for it" if file else "no answer of it is recorded"
        super().__init__(
            f"retriever '{pack}' cannot be asked from the command line, and {where}",
            fix=f"Record one: --packs FILE, with '{pack}: [first text, second text]' in it.",
        )


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """Stands for every retriever that has no recorded answer: its corpus is asked, if it has one."""

    file: Path | None
    over_corpora: DeclaredRetrievers | None = None

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        name = str(request.metadata["retriever"])
        retriever = self.over_corpora.get(name) if self.over_corpora else None
        if retriever is None:
            raise NotRecordedError(name, self.file)
        return retriever(request)
