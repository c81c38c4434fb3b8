"""The contract of every store: a test class runs it by giving `store` and `make_store`."""

from __future__ import annotations

from tests.stores.contract_filters import Filtering
from tests.stores.contract_isolation import Isolation
from tests.stores.contract_paging import Paging
from tests.stores.contract_ranking import Ranking
from tests.stores.contract_searching import Searching
from tests.stores.contract_writing import Writing


class StoreContract(Writing, Searching, Ranking, Filtering, Isolation, Paging):
    """`store` is an empty store; `make_store` opens a new one each time it is called."""
