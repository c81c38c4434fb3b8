"""Where Biblicus is right, the same call has the same result as there."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import biblicus.context as theirs
import biblicus.context_engine as their_engine
import pytest
from biblicus.corpus import Corpus
from biblicus.models import Evidence, QueryBudget, RetrievalResult
from hypothesis import given, strategies as st
from pydantic import BaseModel

from biblicus_context.retrieval import biblicus_corpus
from biblicus_context.retrieval.packs import block_builder, builders, fitters
from biblicus_context.retrieval.requests import request
from tests.retrieval import sparingly

POOL = [
    Evidence(
        item_id=name,
        source_uri=source,
        media_type="text/plain",
        score=score,
        rank=rank,
        text=text,
        stage="scan",
        configuration_id="c",
        snapshot_id="s",
        metadata=metadata,
    )
    for name, source, (score, rank), (text, metadata) in product(
        ["a", "b", "ab"],
        [None, "x", "y"],
        [(0.0, 3), (0.5, 1), (0.5, 2), (1.0, 2)],
        [
            ("a", {}),
            (" bc d\n", {"title": "two words", "n": 3}),
            ("e f g.", {"score": 9, "n": [1, "x"]}),
            ("h i j k l", {"title": None, "n": True}),
            ("m " * 9, {"title": "", "stage": "forged"}),
        ],
    )
]

evidence = st.lists(st.sampled_from(POOL), max_size=6)
joins = st.sampled_from(["\n\n", "\n", " "])
policies = st.fixed_dictionaries(
    {
        "join_with": joins,
        "ordering": st.sampled_from(["rank", "score", "source"]),
        "include_metadata": st.booleans(),
        "metadata_fields": st.none() | st.lists(st.sampled_from(["title", "n", "missing"])),
    }
)
their_words = theirs.TokenCounter()
our_words = fitters.TokenCounter(tokenizer_id=their_words.tokenizer_id)


def common(ours: BaseModel) -> dict[str, Any]:
    """A pack of ours without what Biblicus' packs do not have."""
    return ours.model_dump(exclude={"blocks": {"__all__": {"source", "score"}}})


def result_of(items: list[Evidence]) -> RetrievalResult:
    return RetrievalResult(
        query_text="q",
        budget=QueryBudget(max_total_items=9),
        snapshot_id="s",
        configuration_id="c",
        retriever_id="scan",
        generated_at="now",
        evidence=items,
    )


@pytest.mark.parametrize(
    "name",
    [
        "CharacterBudget",
        "ContextBlock",
        "ContextBlockBuildRequest",
        "ContextBlockBuildResult",
        "ContextPackPolicy",
        "ContextSectionBudget",
        "TokenBudget",
        "TokenCounter",
    ],
)
def test_models_have_the_same_fields_with_the_same_defaults(name: str) -> None:
    ours = next(
        getattr(room, name) for room in (builders, fitters, block_builder) if hasattr(room, name)
    )
    defaults = {
        field: info.get_default(call_default_factory=True)
        for field, info in getattr(theirs, name).model_fields.items()
        if field not in {"tokenizer_id", "token_counter"}
    }
    assert ours.model_fields.keys() == getattr(theirs, name).model_fields.keys()
    for field, default in defaults.items():
        assert ours.model_fields[field].get_default(call_default_factory=True) == default


@sparingly
@given(evidence, policies)
def test_evidence_becomes_the_same_pack(items: list[Evidence], policy: dict[str, Any]) -> None:
    ours = builders.build_context_pack(
        result_of(items), policy=builders.ContextPackPolicy(**policy)
    )
    expected = theirs.build_context_pack(
        result_of(items), policy=theirs.ContextPackPolicy(**policy)
    )
    assert common(ours) == expected.model_dump()


@sparingly
@given(evidence, joins, st.integers(1, 25))
def test_a_pack_is_fitted_to_the_same_tokens(
    items: list[Evidence], join_with: str, maximum: int
) -> None:
    pack = builders.build_context_pack(result_of(items), policy=builders.ContextPackPolicy())
    ours = fitters.fit_context_pack_to_token_budget(
        pack,
        policy=builders.ContextPackPolicy(join_with=join_with),
        token_budget=fitters.TokenBudget(max_tokens=maximum),
        token_counter=our_words,
    )
    possible = [block for block in pack.blocks if len(block.text.split()) <= maximum]
    expected = theirs.fit_context_pack_to_token_budget(
        theirs.ContextPack.model_validate(common(pack.model_copy(update={"blocks": possible}))),
        policy=theirs.ContextPackPolicy(join_with=join_with),
        token_budget=theirs.TokenBudget(max_tokens=maximum),
        token_counter=their_words,
    )
    assert common(ours) == expected.model_dump()


@sparingly
@given(evidence, joins, st.integers(1, 60))
def test_a_pack_is_fitted_to_the_same_characters(
    items: list[Evidence], join_with: str, maximum: int
) -> None:
    pack = builders.build_context_pack(result_of(items), policy=builders.ContextPackPolicy())
    ours = fitters.fit_context_pack_to_character_budget(
        pack,
        policy=builders.ContextPackPolicy(join_with=join_with),
        character_budget=fitters.CharacterBudget(max_characters=maximum),
    )
    possible = [block for block in pack.blocks if len(block.text) <= maximum]
    expected = theirs.fit_context_pack_to_character_budget(
        theirs.ContextPack.model_validate(common(pack.model_copy(update={"blocks": possible}))),
        policy=theirs.ContextPackPolicy(join_with=join_with),
        character_budget=theirs.CharacterBudget(max_characters=maximum),
    )
    assert common(ours) == expected.model_dump()


REQUIRED = [
    {"block_id": "r", "section": section, "text": text, "required": True}
    for section, text in product(["rules", "news"], [" ", "one ", "one two"])
]
DROPPABLE = [
    {"block_id": name, "section": section, "text": text}
    for name, section, text in product("ab", ["rules", "news"], ["one ", "two", " "])
]


@sparingly
@given(
    st.lists(st.sampled_from(REQUIRED), max_size=3),
    st.lists(st.sampled_from(DROPPABLE), max_size=12),
    st.randoms(use_true_random=False),
    joins,
    st.none() | st.integers(12, 20),
    st.none() | st.integers(50, 90),
)
def test_blocks_of_one_size_and_priority_become_the_same_pack(
    required: list[dict[str, Any]],
    droppable: list[dict[str, Any]],
    random: Random,
    join_with: str,
    tokens: int | None,
    characters: int | None,
) -> None:
    row = required + droppable
    random.shuffle(row)
    asked: dict[str, Any] = {
        "blocks": row,
        "join_with": join_with,
        "max_tokens": tokens,
        "max_characters": characters,
        "section_budgets": [{"section": "news", "share": 0.5}],
        "token_counter": {"tokenizer_id": "naive-whitespace"},
    }
    ours = block_builder.build_context_pack_from_blocks(
        block_builder.ContextBlockBuildRequest.model_validate(asked)
    )
    expected = theirs.build_context_pack_from_blocks(
        theirs.ContextBlockBuildRequest.model_validate(asked)
    )
    assert ours.model_dump() == expected.model_dump()


@pytest.mark.parametrize("retriever_id", ["scan", "sqlite-full-text-search", "hybrid"])
@pytest.mark.parametrize("maximum", [None, 20, 100])
def test_a_corpus_answers_the_same(tmp_path: Path, retriever_id: str, maximum: int | None) -> None:
    corpus = Corpus.init(tmp_path / "corpus")
    for number in range(5):
        corpus.ingest_note("refund " * number + f"note {number}", title=f"note {number}")
    options: dict[str, Any] = {
        "corpus": corpus,
        "retriever_id": retriever_id,
        "configuration": {},
        "include_metadata": True,
        "metadata_fields": ["title"],
    }
    asked: dict[str, Any] = {"query": "refund", "limit": 4, "max_tokens": maximum}
    ours = biblicus_corpus.retrieve_context_pack(
        request=request.ContextRetrieverRequest(**asked), token_counter=our_words, **options
    )
    expected = their_engine.retrieve_context_pack(
        request=their_engine.ContextRetrieverRequest(**asked), **options
    )
    assert common(ours) == expected.model_dump()
