"""A Qdrant server keeps the contract of sources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from uuid import uuid4

import pytest

from biblicus_context.stores.qdrant.points import Points
from biblicus_context.stores.qdrant.source import QdrantSource
from biblicus_context.stores.qdrant.space import Spaces
from biblicus_context.stores.source import Source
from biblicus_context.testing.source_contract import MakeSource, SourceContract
from tests.qdrant_fixture import QdrantServer, running_qdrant


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running_qdrant() as server:
        yield server


class TestQdrantSource(SourceContract):
    @pytest.fixture
    def make_source(self, qdrant: QdrantServer) -> MakeSource:
        @contextmanager
        def make() -> Iterator[Source]:
            own = Spaces(Points(qdrant.url, "contract"), uuid4().hex)
            with closing(QdrantSource(own, keep_seconds=3600)) as source:
                yield source

        return make
