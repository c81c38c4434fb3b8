"""The contract of every source, as a class of pytest tests that a test of a source derives from.

It is what the engine of ranking and the views build on: packs, rows, versions and writes. What users of a store
see is in `store_contract`; a source keeps both.
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
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in ("packs", "scopes", "writes")))

from biblicus_context.testing.source_contract.packs import (  # noqa: E402 - as above
    MakeSource,
    PackContract,
)
from biblicus_context.testing.source_contract.scopes import ScopeContract  # noqa: E402 - as above
from biblicus_context.testing.source_contract.writes import WriteContract  # noqa: E402 - as above

__all__ = ["MakeSource", "SourceContract"]


class SourceContract(PackContract, ScopeContract, WriteContract):
    """A subclass gives one fixture.

    `make_source` is a function that opens a new, empty source each time it is called, as a context
    manager (`MakeSource`). A source that ends versions keeps them for a minute at least.
    """
