"""Builds packs from retrieved evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from biblicus_context.base.doors import door
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.packs.block_format import one_line
from biblicus_context.retrieval.packs.ordering import best_at_both_ends, by_score
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.text.valid_unicode import Text

_IN_PIECES: Final = frozenset(
    {"embedding-index-file", "embedding-index-inmemory", "sqlite-full-text-search"}
)
"""Retrievers of Biblicus that find several pieces of one item, each with its own span.

For the others a span only says where in the item the words of the query are.
"""


class ForeignEvidence(BaseModel):
    """One ranked piece of evidence; `text` is None if it is not text."""

    model_config = ConfigDict(frozen=True, from_attributes=True, extra="ignore", defer_build=True)

    item_id: Text = Field(min_length=1, description="Names the evidence.")
    text: Text | None = Field(default=None, description="The evidence itself.")
    rank: int | None = Field(default=None, description="Place in the ranked list; 1 is best.")
    score: float | None = Field(default=None, description="How well it matches; higher is better.")
    source_uri: Text | None = Field(default=None, description="Where it comes from.")
    stage: Text | None = Field(default=None, description="What ranked it.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")
    span_start: int | None = Field(default=None, description="Where in its item it begins.")
    span_end: int | None = Field(default=None, description="Where in its item it ends.")
    block_id: Text | None = Field(
        default=None, description="Names this piece, where an item comes in several."
    )

    def as_piece(self) -> ForeignEvidence:
        """The same with a name of its own, unless it is at the start of its item."""
        if not self.span_start:
            return self
        name = f"{self.item_id}#{self.span_start}-{self.span_end}"
        return self.model_copy(update={"block_id": name})


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else value


class _Result(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore", defer_build=True)

    evidence: list[Annotated[ForeignEvidence, BeforeValidator(_plain)]]
    retriever_id: str | None = None


def _evidence_of(result: object) -> list[ForeignEvidence]:
    """The evidence of an object or mapping, in its order."""
    try:
        found = _Result.model_validate(_plain(result))
    except ValidationError as error:
        raise InputError(
            f"a {type(result).__name__} is not a retrieval result ({first_invalid(error)})",
            fix="Pass an object or a mapping whose `evidence` lists items with item_id and text.",
        ) from None
    if found.retriever_id not in _IN_PIECES:
        return found.evidence
    return [each.as_piece() for each in found.evidence]


Ordering = Literal["rank", "score", "source", "edges"]


class ContextPackPolicy(BaseModel):
    """How evidence is ordered, described and joined."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True, defer_build=True)

    join_with: str = Field(default="\n\n", description="Stands between two blocks.")
    ordering: Ordering = Field(
        default="rank",
        description="As ranked, by score, by source, or best at both ends.",
    )
    include_metadata: bool = Field(
        default=False, description="Write metadata lines above each text."
    )
    metadata_fields: list[str] | None = Field(
        default=None,
        description="Of the metadata beyond id, source, score and stage, only these (all).",
    )


@door
def build_context_pack(result: object, *, policy: ContextPackPolicy) -> ContextPack:
    """A pack of the evidence in a retrieval result; evidence without text is left out.

    >>> found = {"evidence": [{"item_id": "b", "text": "Two.", "rank": 2},
    ...                       {"item_id": "a", "text": " One. ", "rank": 1}]}
    >>> build_context_pack(found, policy=ContextPackPolicy(join_with=" ")).text
    'One. Two.'
    """
    ordered = _ordering(policy)(_evidence_of(result))
    blocks = [
        _block(evidence, text, policy)
        for evidence in ordered
        if (text := (evidence.text or "").strip())
    ]
    return ContextPack(
        text=policy.join_with.join(block.text for block in blocks),
        evidence_count=len(blocks),
        blocks=blocks,
    )


def _ordering(
    policy: ContextPackPolicy,
) -> Callable[[list[ForeignEvidence]], list[ForeignEvidence]]:
    """The order that a policy names; that of Biblicus accepts any text."""
    known = _ORDERINGS.get(policy.ordering)
    if known is None:
        raise PlanError(
            "unknown ordering",
            place="ContextPackPolicy ordering",
            found=policy.ordering,
            valid=_ORDERINGS,
        )
    return known


def _block(evidence: ForeignEvidence, text: str, policy: ContextPackPolicy) -> ContextPackBlock:
    metadata = _metadata(evidence, policy.metadata_fields) if policy.include_metadata else None
    lines = (
        f"{one_line(name)}: {one_line(str(value))}\n" for name, value in (metadata or {}).items()
    )
    return ContextPackBlock(
        evidence_item_id=evidence.block_id or evidence.item_id,
        text=f"{''.join(lines)}{text}",
        metadata=metadata,
        source=evidence.source_uri,
        score=evidence.score,
    )


def _metadata(evidence: ForeignEvidence, wanted: list[str] | None) -> dict[str, object]:
    own: dict[str, object] = {
        "item_id": evidence.item_id,
        "source_uri": evidence.source_uri or "none",
        "score": evidence.score,
        "stage": evidence.stage,
    }
    known: Mapping[str, object] = evidence.metadata or {}
    names = sorted(known if wanted is None else known.keys() & set(wanted))
    return {
        **{name: value for name, value in own.items() if value is not None},
        **{name: known[name] for name in names if name not in own},
    }


def _by_rank(evidence: list[ForeignEvidence]) -> list[ForeignEvidence]:
    """Best rank first; evidence without a rank follows in its own order."""
    return sorted(
        evidence,
        key=lambda item: (math.inf, "") if item.rank is None else (item.rank, item.item_id),
    )


def _by_score(evidence: list[ForeignEvidence]) -> list[ForeignEvidence]:
    """Highest score first, ties by id: the order must not depend on the retriever."""
    named = sorted(evidence, key=lambda item: item.item_id)
    return by_score(named, lambda item: item.score)


def _by_source(evidence: list[ForeignEvidence]) -> list[ForeignEvidence]:
    """Sources by name; the highest score first within each."""
    return sorted(_by_score(evidence), key=lambda item: item.source_uri or item.item_id)


_ORDERINGS: Mapping[Ordering, Callable[[list[ForeignEvidence]], list[ForeignEvidence]]] = {
    "rank": _by_rank,
    "score": _by_score,
    "source": _by_source,
    "edges": lambda evidence: best_at_both_ends(_by_rank(evidence)),
}
