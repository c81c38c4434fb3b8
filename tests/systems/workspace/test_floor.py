"""A request sets how similar what is found has to be, and the payload says whether it is relevant."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import InputError
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextPayload,
    ContextRequest,
    User,
)

ANN = User("ann", "acme")
FOREIGN = "How do I prune tomato plants?"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    store = BlockStore.open(Path(tmp_path_factory.mktemp("blocks")))
    texts = (
        "Parental leave is sixteen weeks.",
        "The hall holds 200 people.",
        "Tea is in the kitchen.",
    )
    blocks = [Block(id=f"b{n}", type="text", content=f"{e} ({n})") for n, e in enumerate(texts * 5)]
    store.sync.put_block(*blocks, workspace="acme")
    return store


def built(builder: ContextBuilder, query: str, **more: object) -> ContextPayload:
    return builder.sync.build(ContextRequest(query=query, user=ANN, **more))  # type: ignore[arg-type]


def blocks_of(payload: ContextPayload) -> list[str]:
    return [item.block_id for each in payload.sections if each.title for item in each.items]


def test_a_payload_says_whether_what_was_found_is_relevant(store: BlockStore):
    builder = ContextBuilder(store)
    assert built(builder, "How long is parental leave?").verdict in ("found", "weak")
    nothing = built(builder, FOREIGN)
    assert (blocks_of(nothing), nothing.verdict) == ([], "nothing")
    assert builder.sync.validate(nothing).problems == ("empty: no block was found",)


def test_a_request_has_a_floor_of_its_own(store: BlockStore):
    builder = ContextBuilder(store)
    assert blocks_of(built(builder, FOREIGN, floor=0))
    assert not blocks_of(built(builder, "How long is parental leave?", floor=0.999))
    assert not blocks_of(built(builder, FOREIGN))
    lax = ContextBuilder(store, ContextConfig(collectors={"semantic": {"min_score": 0}}))
    assert blocks_of(built(lax, FOREIGN))
    assert not blocks_of(built(lax, FOREIGN, floor="auto"))


def test_a_floor_that_is_none_is_refused():
    with pytest.raises(InputError, match="floor"):
        ContextRequest(query="tea", user=ANN, floor=2)
