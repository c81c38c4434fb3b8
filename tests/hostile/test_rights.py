"""Whoever changes rights in whatever order, in two processes: what may be read is what the tree says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from benchmarks.attacks import Extent
from benchmarks.attacks.rights import Sequence, Worker, rights, workers
from benchmarks.attacks.worlds.page_tree import PageTree
from biblicus_context.systems.workspace import Block
from tests.nightly import NIGHTLY


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Worker, Worker]]:
    with workers() as started:
        yield started


def test_the_campaign_finds_no_difference():
    figures = [*rights(Extent(0.0006))]
    assert [figure.name for figure in figures if not figure.holds] == []
    assert figures[0].measured == 12


class Forgetful(PageTree):
    """Forgets that a block was hidden again, or that it was granted to one alone."""

    def revoke(self, name: str, who: str) -> bool:
        return self.readers(name) is not None

    def copy(self) -> PageTree:
        return Forgetful({**self.blocks}, {**self.own})


class Guessing(PageTree):
    """Takes readers that equal those of the page for those of the page."""

    def grant(self, name: str, who: str) -> None:
        super().grant(name, who)
        if self.own[name] == self.readers(self.blocks[name].parent_id):
            del self.own[name]

    def copy(self) -> PageTree:
        return Guessing({**self.blocks}, {**self.own})


@pytest.mark.parametrize("wrong", [Forgetful, Guessing])
def test_a_tree_with_another_idea_of_rights_is_seen(
    pair: tuple[Worker, Worker], wrong: type[PageTree]
):
    found = []
    for seed in range(60):
        sequence = Sequence(pair, Random(seed), f"{wrong.__name__}{seed}", wrong())
        sequence.run()
        found += sequence.different
        if found:
            return
    pytest.fail("no sequence told the difference")


def test_two_programs_that_grant_at_once_lose_nothing(pair: tuple[Worker, Worker]):
    """And what one puts while the other grants its page is read by those it is granted to."""

    def begin(worker: Worker, method: str, *args: Any, **named: Any) -> None:
        worker.send("change", method, "acme", [*args], named)

    one, other = pair
    for number in range(200 if NIGHTLY else 4):
        page, inside = f"p{number}", f"in{number}"
        begin(one, "put_block", Block(id=page, type="page", content="Salaries"))
        assert one.receive()
        begin(one, "grant", page, users=["ann"])
        begin(other, "grant", page, users=["bob"])
        assert one.receive()
        assert other.receive()
        begin(one, "put_block", Block(id=inside, type="todo", parent_id=page, content="Raise"))
        begin(other, "grant", page, groups=["hr"])
        assert one.receive()
        assert other.receive()
    known = one.call("own", "acme")
    everyone = ["ann", "bob", "group hr"]
    assert {(*map(str, each[0]),) for each in known.values()} == {(*everyone,)}
