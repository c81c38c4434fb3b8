"""Postgres answers what SQLite answers: the same blocks, in the same order, with the same scores to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attacks.same_answers import differences
from biblicus_context.stores.sqlite import open_store
from tests.stores.postgres import fresh_store


@pytest.mark.parametrize("seed", range(4))
def test_random_corpora_are_searched_alike(tmp_path: Path, seed: int):
    """Random writes, principals, filters, versions and queries; `benchmarks/attacks` has the campaign."""
    with fresh_store() as ours, open_store(tmp_path / "store", keep_seconds=3600) as reference:
        assert [*differences((reference, ours), seed, 40)] == []
