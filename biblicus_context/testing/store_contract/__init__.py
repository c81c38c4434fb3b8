"""The contract of every store, as a class of pytest tests that a test of a store derives from.

It is the definition of a store: what the Protocol cannot say in types, these tests say.
"""

from __future__ import annotations

from importlib.util import find_spec

from biblicus_context.errors import MissingExtraError

for library in ("numpy", "pytest", "hypothesis"):
    if find_spec(library) is None:
        raise MissingExtraError(library, "testing")

import pytest  # noqa: E402 - after the check: a missing library has its own error

# pytest explains failed asserts in test files only, unless a module is registered before it is
# imported for the first time.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in (
            "activity",
            "block_filters",
            "clearing",
            "filters",
            "isolation",
            "paging",
            "ranking",
            "searching",
            "trees",
            "writing",
        )
    )
)

from biblicus_context.testing.store_contract.activity import ActivityContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.block_filters import (  # noqa: E402 - as above
    BlockFilterContract,
)
from biblicus_context.testing.store_contract.clearing import ClearingContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.filters import FilterContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.isolation import (  # noqa: E402 - as above
    IsolationContract,
    MakeStore,
)
from biblicus_context.testing.store_contract.paging import PagingContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.ranking import RankingContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.searching import (  # noqa: E402 - as above
    SearchContract,
)
from biblicus_context.testing.store_contract.trees import TreeContract  # noqa: E402 - as above
from biblicus_context.testing.store_contract.writing import WritingContract  # noqa: E402 - as above

__all__ = ["MakeStore", "StoreContract"]


class StoreContract(
    WritingContract,
    SearchContract,
    RankingContract,
    FilterContract,
    BlockFilterContract,
    IsolationContract,
    PagingContract,
    TreeContract,
    ActivityContract,
    ClearingContract,
):
    """A subclass gives two fixtures.

    `store` is an empty store. `make_store` is a function that opens a new, empty store each time it is
    called, as a context manager (`MakeStore`).
    """
