"""Whatever a retriever returns becomes a pack, the end of paging, or a refusal with its name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.answer import answer_from
from tests.retrieval import sparingly

BLOCK = {
    "evidence_item_id": "e1",
    "text": "Text.",
    "metadata": {"date": "today"},
    "source": "a.md",
    "score": 0.5,
}
PACK = ContextPack(text="Text.", evidence_count=1, blocks=[ContextPackBlock.model_validate(BLOCK)])


def pack_from(answer: object, *, pack: str, limit: int = 3) -> ContextPack | None:
    found = answer_from(answer, pack=pack, limit=limit)
    return found.pack if found else None


def test_none_ends_paging() -> None:
    assert pack_from(None, pack="kb") is None


def test_a_pack_is_taken_as_it_is() -> None:
    assert pack_from(PACK, pack="kb") is PACK


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "Text.", "evidence_count": 1, "blocks": [BLOCK]},
        SimpleNamespace(text="Text.", evidence_count=1, blocks=[SimpleNamespace(**BLOCK)], more=1),
        SimpleNamespace(text="Text.", evidence_count=1, blocks=[BLOCK | {"rank": 1}]),
    ],
    ids=["mapping", "object", "mixed"],
)
def test_a_pack_of_another_library_is_read_field_by_field(answer: object) -> None:
    assert pack_from(answer, pack="kb") == PACK


def test_a_pack_may_have_no_blocks() -> None:
    assert pack_from({"text": "All.", "evidence_count": 1}, pack="kb") == ContextPack(
        text="All.", evidence_count=1
    )


def test_a_block_may_be_of_a_derived_class() -> None:
    class Dated(ContextPackBlock):
        date: str = "today"

    pack = ContextPack(text="T", evidence_count=1, blocks=[Dated(evidence_item_id="e", text="T")])
    assert pack_from(pack, pack="kb") is pack


FIELDS = {"text", "content", "page_content", "blocks", "documents", "evidence_count"}
json = st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
no_texts = st.booleans() | st.integers() | st.floats()
others = (
    no_texts
    | st.binary()
    | st.builds(object)
    | st.lists(no_texts, min_size=1)
    | st.dictionaries(st.text().filter(lambda key: key not in FIELDS), json)
)


@sparingly
@given(others)
def test_anything_else_is_refused_with_the_name_of_the_pack(answer: object) -> None:
    with pytest.raises(RetrieverError, match="retriever 'kb' did not return a pack") as caught:
        pack_from(answer, pack="kb")
    assert caught.value.pack == "kb"
    assert type(answer).__name__ in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"text": "T", "evidence_count": -1}, "evidence_count"),
        ({"text": 5, "evidence_count": 0}, "text"),
        ({"text": "T", "evidence_count": 1, "blocks": "T"}, "blocks: found str"),
        ({"text": "T", "evidence_count": 1, "blocks": [BLOCK | {"text": 5}]}, "text: found int"),
        ({"text": "T", "evidence_count": 1, "blocks": [BLOCK, {"txt": "T"}]}, "blocks.1.*'txt'"),
        (["T", 5], "blocks.1"),
        ({"text": "T", "evidence_count": 1, "blocks": [BLOCK | {"score": "high"}]}, "score"),
    ],
)
def test_a_refusal_says_which_field_is_wrong(answer: object, problem: str) -> None:
    with pytest.raises(RetrieverError, match=rf"\(.*{problem}"):
        pack_from(answer, pack="kb")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", None),
        ("text", b"bytes"),
        ("evidence_count", -1),
        ("evidence_count", "1"),
        ("blocks", None),
        ("blocks", ["text"]),
        ("blocks", [PACK]),
    ],
)
def test_a_pack_changed_past_validation_is_refused(field: str, value: Any) -> None:
    changed = PACK.model_copy(update={field: value})
    with pytest.raises(RetrieverError, match="did not return a pack"):
        pack_from(changed, pack="kb")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("evidence_item_id", 1),
        ("text", None),
        ("metadata", "date"),
        ("source", 1),
        ("score", "high"),
    ],
)
def test_a_block_changed_past_validation_is_refused(field: str, value: Any) -> None:
    changed = PACK.model_copy(update={"blocks": [PACK.blocks[0].model_copy(update={field: value})]})
    with pytest.raises(RetrieverError, match="did not return a pack"):
        pack_from(changed, pack="kb")


def test_a_pack_built_past_validation_without_its_fields_is_refused() -> None:
    with pytest.raises(RetrieverError, match="did not return a pack"):
        pack_from(ContextPack.model_construct(text="T"), pack="kb")  # type: ignore[call-arg]


def test_an_object_whose_fields_raise_is_refused() -> None:
    class Broken:
        evidence_count = 1

        @property
        def text(self) -> str:
            raise RuntimeError("gone")

    with pytest.raises(RetrieverError, match="text"):
        pack_from(Broken(), pack="kb")
