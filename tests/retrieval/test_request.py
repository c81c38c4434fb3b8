"""A page leads to the one behind it, or to the same page of half the size."""

from __future__ import annotations

from hypothesis import given, strategies as st

from biblicus_context.retrieval.requests.request import ContextRetrieverRequest, PageRequest

some = st.none() | st.integers(1, 10_000)
pages = st.builds(
    PageRequest,
    query=st.just("q"),
    offset=st.integers(0, 99),
    limit=st.integers(1, 99),
    characters=some,
    tokens=some,
    metadata=st.just({"filters": {"a": [1]}}),
)


def test_a_request_asks_for_the_first_three_blocks_of_any_size() -> None:
    request = ContextRetrieverRequest(query="q")
    assert (request.offset, request.limit) == (0, 3)
    assert (request.max_tokens, request.maximum_total_characters) == (None, None)


@given(pages)
def test_the_following_page_begins_where_this_one_ends(page: PageRequest) -> None:
    request = page.request()
    expected = request.model_copy(update={"offset": request.offset + request.limit})
    assert page.following().request() == expected


@given(pages)
def test_what_a_retriever_writes_into_a_request_stays_there(page: PageRequest) -> None:
    request = page.request()
    request.metadata["filters"]["a"].append(2)
    request.offset += 1
    assert page.request().metadata == {"filters": {"a": [1]}}
    assert page.request().offset == page.offset


@given(pages)
def test_half_a_page_is_a_valid_request_for_the_same_page(page: PageRequest) -> None:
    request, half = page.request(), page.halved().request()
    assert ContextRetrieverRequest.model_validate(half.model_dump()) == half
    assert half.offset == request.offset
    for field in ("limit", "max_tokens", "maximum_total_characters"):
        whole = getattr(request, field)
        assert getattr(half, field) == (None if whole is None else max(1, whole // 2))
