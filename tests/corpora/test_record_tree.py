"""What is inside a record takes its readers and its title from it, whatever is changed in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biblicus_context import Corpus, InputError, Principal, Readers, Record, RecordTree
from biblicus_context.corpora.tree_inheritance import inheritance
from biblicus_context.stores import Batch, Document
from biblicus_context.testing.memory_store import InMemoryStore
from tests.pace import within

EVERYBODY = Readers()


def only(*users: str) -> Readers:
    return Readers(users=frozenset(users))


def page(name: str, parent: str | None = None, **more: object) -> Record:
    return Record(id=name, text=f"Text of {name}.", parent=parent, **more)  # type: ignore[arg-type]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[RecordTree]:
    with Corpus.open_records(tmp_path / "pages") as corpus:
        yield RecordTree(corpus)


def readers(tree: RecordTree) -> dict[str, Readers]:
    return {each.id: each.readers for each in tree.corpus.documents()}


def titles(tree: RecordTree) -> dict[str, str]:
    return {each.id: each.title for each in tree.corpus.documents()}


def test_a_block_has_the_title_of_its_page_and_changes_with_it(tree: RecordTree):
    tree.put(
        [page("c", "b"), page("b", "p"), page("p", title="Plans"), page("q", "p", title="Own")]
    )
    assert titles(tree) == {"b": "Plans", "c": "Plans", "p": "Plans", "q": "Own"}
    assert tree.put([page("p", title="Launch")]) == 3
    assert titles(tree) == {"b": "Launch", "c": "Launch", "p": "Launch", "q": "Own"}
    found = tree.corpus.search("launch", filters={"document": ["c"]})
    assert [each.document.title for each in found] == ["Launch"]


def test_a_page_of_the_same_title_as_the_one_around_it_keeps_it(tree: RecordTree):
    tree.put([page("p", title="Notes"), page("q", "p", title="Notes")])
    tree.put([page("p", title="Plans")])
    assert titles(tree) == {"p": "Plans", "q": "Notes"}


def test_what_is_granted_holds_for_everything_inside(tree: RecordTree):
    tree.put([page("p"), page("b", "p"), page("c", "b")])
    tree.grant("p", users=["ann"])
    assert set(readers(tree).values()) == {only("ann")}
    tree.grant("b", users=["bob"], groups=["hr"])
    wider = Readers(users=frozenset({"ann", "bob"}), groups=frozenset({"hr"}))
    assert readers(tree) == {"p": only("ann"), "b": wider, "c": wider}
    tree.put([page("d", "c")])
    assert readers(tree)["d"] == wider


def test_who_may_read_a_block_alone_does_not_learn_the_title_of_its_page(tree: RecordTree):
    tree.put([page("p", title="Merger"), page("b", "p"), page("c", "b")])
    tree.grant("p", users=["ann"])
    tree.grant("b", users=["bob"])
    assert titles(tree) == {"p": "Merger", "b": "", "c": ""}
    tree.grant("p", users=["bob"])
    assert titles(tree) == {"p": "Merger", "b": "Merger", "c": "Merger"}


def test_a_record_that_is_put_again_is_not_shown_to_more(tree: RecordTree):
    tree.put([page("p"), page("b", "p")])
    tree.grant("b", users=["ann"])
    tree.put([page("b", "p")])
    assert readers(tree) == {"p": EVERYBODY, "b": only("ann")}


def test_moving_under_a_page_takes_its_readers_and_own_ones_stay(tree: RecordTree):
    tree.put([page("p", title="P"), page("q", title="Q"), page("b", "p"), page("c", "b")])
    tree.grant("q", users=["ann"])
    tree.move("b", "q", 3)
    assert readers(tree) == {"p": EVERYBODY, "q": only("ann"), "b": only("ann"), "c": only("ann")}
    assert titles(tree)["c"] == "Q"
    tree.grant("c", users=["bob"])
    tree.move("b", "p")
    assert readers(tree)["b"] == EVERYBODY
    assert readers(tree)["c"] == only("ann", "bob")


def test_children_that_came_before_their_parent_take_what_it_has(tree: RecordTree):
    tree.put([page("c", "b"), page("d", "c")])
    tree.put([page("b", title="B", readers=only("ann"))])
    assert set(readers(tree).values()) == {only("ann")}
    assert set(titles(tree).values()) == {"B"}


def test_one_put_may_change_a_page_and_add_below_what_follows_it(tree: RecordTree):
    tree.put([page("p"), page("b", "p")])
    tree.put([page("c", "b"), page("p", readers=only("ann"))])
    assert set(readers(tree).values()) == {only("ann")}


def test_removing_takes_everything_inside_along(tree: RecordTree):
    tree.put([page("p"), page("b", "p"), page("c", "b"), page("q")])
    assert tree.remove("p") == 3
    assert tree.remove("p") == 0
    assert readers(tree) == {"q": EVERYBODY}


def test_nothing_is_inside_itself(tree: RecordTree):
    tree.put([page("p"), page("b", "p"), page("c", "b")])
    for wrong in ([page("p", "c")], [page("x", "y"), page("y", "x")], [page("x", "x")]):
        with pytest.raises(InputError, match="parent: a record cannot be inside itself"):
            tree.put(wrong)
    with pytest.raises(InputError, match="there is no such record: found 'nowhere'"):
        tree.move("nowhere", None)


def test_a_tree_is_that_of_one_workspace(tree: RecordTree):
    tree.put([page("p", title="Ours"), page("b", "p")])
    other = RecordTree(tree.corpus, "other")
    other.put([page("b", "p")])
    assert titles(other) == {"b": ""}
    assert other.remove("p") == 0
    assert titles(tree) == {"p": "Ours", "b": "Ours"}


def test_ancestors_end_where_the_principal_may_not_read_on(tree: RecordTree):
    tree.put([page("p", title="P"), page("b", "p", title="B"), page("c", "b")])
    found = tree.corpus.ancestors(["c", "p", "nowhere"])
    assert {name: [each.id for each in row] for name, row in found.items()} == {
        "c": ["p", "b", "c"],
        "p": ["p"],
    }
    tree.grant("b", users=["ann"])
    tree.grant("p", users=["bob"])
    ann = tree.corpus.for_principal(Principal("local", user="ann"))
    assert {name: [each.id for each in row] for name, row in ann.ancestors(["c", "p"]).items()} == {
        "c": ["b", "c"]
    }


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, st.none() | NAMES),
    st.tuples(st.just("move"), NAMES, st.none() | NAMES),
    st.tuples(st.just("grant"), NAMES, st.sampled_from(["ann", "bob"])),
    st.tuples(st.just("remove"), NAMES, st.none()),
)


class Model:
    """The same, computed again for all records after each step."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.own: dict[str, frozenset[str]] = {}

    def readers_of(self, name: str | None) -> frozenset[str]:
        if name is None or name not in self.parents:
            return frozenset()
        return self.own.get(name) or self.readers_of(self.parents[name])

    def is_inside(self, name: str, other: str | None) -> bool:
        while other is not None and other != name:
            other = self.parents.get(other)
        return other == name

    def settle(self) -> None:
        """Readers that equal those of the parent are not a record's own."""
        for name in [*self.own]:
            if self.own[name] == self.readers_of(self.parents[name]):
                del self.own[name]


@settings(max_examples=60)
@given(st.lists(STEPS, max_size=12))
def test_any_order_of_changes_leads_to_the_readers_of_the_definition(steps):
    with Corpus.open_records(InMemoryStore(), name="pages") as corpus:
        tree, model = RecordTree(corpus), Model()
        for action, name, other in steps:
            if action in ("put", "move"):
                if action == "move" and name not in model.parents:
                    continue
                if model.is_inside(name, other):
                    with pytest.raises(InputError):
                        tree.put([page(name, other)])
                    continue
                tree.put([page(name, other)]) if action == "put" else tree.move(name, other)
                model.parents[name] = other
            elif action == "grant" and name in model.parents:
                tree.grant(name, users=[other])
                model.own[name] = model.readers_of(name) | {other}
            elif action == "remove":
                gone = [each for each in model.parents if model.is_inside(name, each)]
                gone = gone if name in model.parents else []
                assert tree.remove(name) == len(gone)
                for each in gone:
                    del model.parents[each]
                    model.own.pop(each, None)
            model.settle()
            found = {each.id: each.readers.users for each in corpus.documents()}
            found |= {each.id: each.readers.users for each in tree.corpus.documents()}
            assert found == {each: model.readers_of(each) for each in model.parents}


class Nothing:
    """A tree in which nothing was ever written."""

    def documents(self, ids: Iterable[str]) -> dict[str, Document]:
        return {}

    def lineage(self, ids: Iterable[str]) -> dict[str, Document]:
        return {}

    def children(self, ids: Sequence[str]) -> list[Document]:
        return []


def test_what_many_records_inherit_is_found_in_time_that_grows_with_their_number():
    """Each record has a parent of its own among them: pages of one block each."""
    records = {f"r{n}": page(f"r{n}", f"r{n - 1}" if n % 2 else None) for n in range(40_000)}
    with within(seconds=3):
        assert len(inheritance(records, Nothing())) == 40_000


def test_a_tree_is_changed_by_what_is_meant(tree: RecordTree):
    """Letters of a name are no users, an empty workspace is not the usual one, and an id counts once."""
    tree.put([page("p")])
    with pytest.raises(InputError, match="users: a sequence of texts is expected: found 'ann'"):
        tree.grant("p", users="ann")
    with pytest.raises(InputError, match=r"principal.workspace: a name must be text"):
        RecordTree(tree.corpus, "")
    with pytest.raises(InputError, match=r"records\[1\].id: the id appears twice: found 'b'"):
        tree.put([page("b"), page("b")])
    assert readers(tree) == {"p": EVERYBODY}


class FullDisk(InMemoryStore):
    """Fails after some batches."""

    left: int | None = None

    def write(self, principal: Principal, batch: Batch, *, erase: bool = True) -> int:
        if self.left is not None:
            if not self.left:
                raise OSError("no space left")
            self.left -= 1
        return super().write(principal, batch, erase=erase)


@pytest.mark.no_cover  # thousands of records: traced, they take four times as long
@pytest.mark.parametrize("batches", [0, 1, 2, 3])
def test_a_grant_that_was_interrupted_is_finished_by_the_same_grant(batches: int):
    """Until then what is inside shows nothing to more readers than before, and the page is as it was."""
    store = FullDisk()
    tree = RecordTree(Corpus.open_records(store, embedder=None))
    inside = [page(f"b{n}", "p" if n < 1_500 else f"b{n - 1_500}") for n in range(3_000)]
    tree.put([page("p"), *inside])
    store.left = batches
    with pytest.raises(OSError, match="no space left"):
        tree.grant("p", users=["ann"])
    assert readers(tree)["p"] == EVERYBODY
    assert {*readers(tree).values()} <= {EVERYBODY, only("ann")}
    store.left = None
    tree.grant("p", users=["ann"])
    assert {*readers(tree).values()} == {only("ann")}
    tree.grant("p", users=["bob"])
    assert {*readers(tree).values()} == {only("ann", "bob")}
