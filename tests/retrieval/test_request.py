"""A request leads to the next page, or to the same page of half the size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.retrieval.request import ContextRetrieverRequest

some = st.none() | st.integers(1, 10_000)
requests = st.builds(
    ContextRetrieverRequest,
    query=st.just("q"),
    offset=st.integers(0, 99),
    limit=st.integers(1, 99),
    maximum_total_characters=some,
    max_tokens=some,
)


def test_a_request_asks_for_the_first_three_blocks_of_any_size() -> None:
    request = ContextRetrieverRequest(query="q")
    assert (request.offset, request.limit) == (0, 3)
    assert (request.max_tokens, request.maximum_total_characters) == (None, None)


@given(requests)
def test_the_next_page_begins_where_this_one_ends(request: ContextRetrieverRequest) -> None:
    expected = request.model_copy(update={"offset": request.offset + request.limit})
    assert request.next_page() == expected


@given(requests)
def test_half_a_request_is_a_valid_request_for_the_same_page(
    request: ContextRetrieverRequest,
) -> None:
    half = request.halved()
    assert ContextRetrieverRequest.model_validate(half.model_dump()) == half
    assert half.offset == request.offset
    for field in ("limit", "max_tokens", "maximum_total_characters"):
        whole = getattr(request, field)
        assert getattr(half, field) == (None if whole is None else max(1, whole // 2))
