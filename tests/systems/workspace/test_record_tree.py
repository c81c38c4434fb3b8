"""What is inside a record takes its readers and its title from it, whatever is changed in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context import Corpus, InputError, Principal, Readers, Record
from biblicus_context.stores import NOBODY, Batch, Document
from biblicus_context.systems.workspace import RecordReaders, RecordTree
from biblicus_context.systems.workspace.tree_inheritance import inheritance
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import seen
from tests.nightly import NIGHTLY, sample
from tests.pace import within

EVERYBODY = Readers()


def only(*users: str) -> Readers:
    return Readers(users=frozenset(users))


def page(name: str, parent: str | None = None, **more: object) -> Record:
    return Record(id=name, text=f"Text of {name}.", parent=parent, **more)  # type: ignore[arg-type]


pytestmark = pytest.mark.on_postgres


@pytest.fixture
def tree(place: str | Path) -> Iterator[RecordTree]:
    with Corpus.open_records(place) as corpus:
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


@pytest.mark.parametrize("order", ["b:ann p:ann p:bob", "p:ann b:ann p:bob", "b:ann p:bob p:ann"])
def test_a_block_granted_to_one_user_alone_stays_so(tree: RecordTree, order: str):
    """Its readers equal those of the page for a while: that does not make them the page's."""
    tree.put([page("p"), page("b", "p")])
    for step in order.split():
        name, user = step.split(":")
        tree.grant(name, users=[user])
    assert readers(tree) == {"p": only("ann", "bob"), "b": only("ann")}


@pytest.mark.parametrize("kind", ["users", "groups"])
def test_equal_readers_are_not_taken_from_the_page(tree: RecordTree, kind: str):
    """Neither a later grant of the page, nor a move to a public one, opens the block."""
    for name, steps in {"x": "b p", "y": "p b"}.items():
        tree.put([page(f"p{name}"), page(f"b{name}", f"p{name}"), page(f"in{name}", f"b{name}")])
        for step in steps.split():
            tree.grant(f"{step}{name}", **{kind: ["ann"]})
        before = readers(tree)[f"b{name}"]
        tree.grant(f"p{name}", **{kind: ["bob"]})
        assert readers(tree)[f"b{name}"] == readers(tree)[f"in{name}"] == before
        tree.put([page("open")])
        tree.move(f"b{name}", "open")
        assert readers(tree)[f"b{name}"] == readers(tree)[f"in{name}"] == before


def test_what_was_granted_can_be_taken_back(tree: RecordTree):
    tree.put([page("p"), page("b", "p"), page("own", "p")])
    tree.grant("p", users=["ann", "bob"], groups=["hr"])
    tree.grant("own", users=["eve"])
    assert tree.revoke("p", users=["bob"], groups=["hr"]) == 2
    assert readers(tree)["p"] == readers(tree)["b"] == only("ann")
    assert tree.revoke("p", users=["bob"]) == 0
    assert "bob" in readers(tree)["own"].users
    tree.revoke("p", users=["ann"])
    assert readers(tree)["p"] == readers(tree)["b"] == NOBODY
    tree.grant("p", users=["bob"])
    assert readers(tree)["b"] == only("bob")


def test_a_record_can_be_made_private_and_public_and_take_readers_of_its_page_again(
    tree: RecordTree,
):
    tree.put([page("p", title="Merger"), page("b", "p"), page("c", "b")])
    assert tree.readers_of("c") == (frozenset(), frozenset(), True, None, True)
    tree.make_private("p", users=["ann"], groups=["hr"])
    assert tree.readers_of("c") == ({"ann"}, {"hr"}, False, "p", True)
    tree.make_public("b")
    assert tree.readers_of("c") == (frozenset(), frozenset(), True, "b", True)
    assert titles(tree) == {"p": "Merger", "b": "", "c": ""}
    tree.grant("p", users=["bob"])
    assert readers(tree)["c"] == EVERYBODY
    tree.make_private("b")
    assert tree.readers_of("b") == (frozenset(), frozenset(), False, "b", True)
    assert readers(tree)["c"] == NOBODY
    for user in (None, "ann"):
        seen = tree.corpus.for_principal(Principal("local", user=user)).documents()
        assert [each.id for each in seen] == (["p"] if user else [])
    tree.inherit_readers("b")
    assert tree.readers_of("c") == ({"ann", "bob"}, {"hr"}, False, "p", True)
    tree.inherit_readers("p")
    assert {*readers(tree).values()} == {EVERYBODY}


def test_rights_are_changed_of_records_that_are_there_and_for_somebody(tree: RecordTree):
    tree.put([page("p")])
    for change in (tree.grant, tree.revoke):
        with pytest.raises(InputError, match=r"users: nobody is named\. Pass users or groups"):
            change("p")
        with pytest.raises(InputError, match="users: a sequence of texts is expected"):
            change("p", users="ann")
        with pytest.raises(InputError, match="there is no such record: found 'q'"):
            change("q", users=["ann"])
        with pytest.raises(InputError, match="a name must be text that is not empty"):
            change("p", users=["ann", ""])
    for single in (tree.make_private, tree.make_public, tree.inherit_readers, tree.readers_of):
        with pytest.raises(InputError, match="there is no such record: found 'q'"):
            single("q")
    with pytest.raises(InputError, match=r"everybody of the workspace may read this.*make_private"):
        tree.revoke("p", users=["ann"])
    with pytest.raises(InputError, match="parent: there is no such record: found 'q'"):
        tree.move("p", "q")
    assert tree.readers_of("p").everybody


def test_an_id_that_is_put_again_begins_anew(tree: RecordTree):
    """It has none of the readers, the activity, the uses and the relations of its former life."""
    tree.put([page("p"), page("q"), page("b", "p")])
    ann = tree.corpus.for_principal(Principal("local", user="ann"))
    ann.record_activity("b", "edit")
    tree.relate("b", "q", "links")
    tree.corpus.store.record_usage(
        tree.corpus.principal, used=["b#00000000"], when=datetime.now(UTC)
    )
    tree.grant("b", users=["ann"])
    tree.remove("b")
    tree.put([page("b", "p")])
    assert tree.readers_of("b") == (frozenset(), frozenset(), True, None, True)
    assert seen(ann.store, ann.principal).activity() == ()
    assert tree.corpus.relations(["b", "q"], direction="both") == ()
    (document,) = tree.documents(["b"]).values()
    assert document.accessed is None
    tree.grant("p", users=["bob"])
    assert readers(tree)["b"] == only("bob")


def test_what_was_inside_a_record_that_is_gone_is_not_shown_to_more(tree: RecordTree):
    """A program may remove the page alone: what it was inside of can no longer open it."""
    tree.put([page("p"), page("b", "p")])
    tree.grant("p", users=["ann"])
    tree.corpus.remove(["p"])
    tree.put([page("b", "p")])
    assert tree.readers_of("b") == ({"ann"}, frozenset(), False, "b", True)
    tree.put([page("p")])
    assert readers(tree) == {"p": EVERYBODY, "b": only("ann")}


def test_records_that_are_read_and_put_again_keep_what_they_take_from_their_page(tree: RecordTree):
    tree.put([page("p"), page("b", "p")])
    tree.grant("p", users=["ann"])
    (read,) = tree.corpus.get(["b"])
    tree.put([replace(read, text="New.")])
    assert tree.readers_of("b").said_by == "p"
    tree.revoke("p", users=["ann"])
    with pytest.raises(InputError, match="this record takes its readers from its parent"):
        tree.put([replace(read, text="Newer.")])
    assert readers(tree)["b"] == NOBODY
    tree.put([replace(read, own_readers=True)])
    assert tree.readers_of("b") == ({"ann"}, frozenset(), False, "b", True)
    tree.corpus.update("b", readers=only("bob"))
    assert tree.readers_of("b") == ({"bob"}, frozenset(), False, "b", True)


def test_exported_records_are_imported_with_their_readers(tree: RecordTree, tmp_path: Path):
    tree.put([page("p"), page("b", "p"), page("c", "p"), page("d", "p")])
    tree.grant("p", users=["ann"])
    tree.make_public("c")
    tree.make_private("d")
    lines = [*tree.corpus.export_lines()]
    with Corpus.open_records(tmp_path / "other") as other:
        other.import_lines(lines)
        copy = RecordTree(other)
        assert readers(copy) == readers(tree)
        copy.grant("p", users=["bob"])
        assert readers(copy) == {
            "p": only("ann", "bob"), "b": only("ann", "bob"), "c": EVERYBODY, "d": NOBODY
        }  # fmt: skip
    with Corpus.open_records(tmp_path / "part") as part:
        RecordTree(part).put([*(each for each in tree.corpus.get(["b"]))])
        assert readers(RecordTree(part)) == {"b": only("ann")}


NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
USERS = st.sampled_from(["ann", "bob"])
STEPS = st.one_of(
    st.tuples(st.sampled_from(["put", "move"]), NAMES, st.none() | NAMES),
    st.tuples(st.sampled_from(["grant", "revoke", "make_private"]), NAMES, USERS),
    st.tuples(st.sampled_from(["make_public", "inherit_readers", "remove"]), NAMES, st.none()),
)


class Model:
    """Own readers, and parents: who may read follows from these alone."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.own: dict[str, frozenset[str] | None] = {}
        """None: everybody."""

    def readers_of(self, name: str | None) -> frozenset[str] | None:
        if name is None or name not in self.parents:
            return None
        return self.own[name] if name in self.own else self.readers_of(self.parents[name])

    def is_inside(self, name: str, other: str | None) -> bool:
        while other is not None and other != name:
            other = self.parents.get(other)
        return other == name

    def is_orphan(self, name: str) -> bool:
        return self.parents.get(name) not in {None, *self.parents}

    def change(self, action: str, name: str, user: str) -> None:
        now = self.readers_of(name)
        if action == "inherit_readers":
            self.own.pop(name, None)
        elif action == "revoke":
            if now is not None and user in now:
                self.own[name] = now - {user}
        else:
            private = {"grant": (now or frozenset()) | {user}, "make_private": frozenset({user})}
            self.own[name] = private.get(action)

    def put(self, name: str, parent: str | None) -> None:
        """Where its new parent is not there, it keeps the readers that it has."""
        now = self.readers_of(name)
        if parent is not None and parent not in self.parents and now is not None:
            self.own[name] = now
        self.parents[name] = parent


@given(st.lists(STEPS, max_size=12))
def test_any_order_of_changes_leads_to_the_readers_of_the_definition(steps):
    with Corpus.open_records(InMemoryStore(), name="pages") as corpus:
        tree, model = RecordTree(corpus), Model()
        for action, name, other in steps:
            if action in ("put", "move"):
                unknown = action == "move" and {name, other or name} - model.parents.keys()
                if unknown or model.is_inside(name, other):
                    with pytest.raises(InputError):
                        tree.put([page(name, other)]) if action == "put" else tree.move(name, other)
                    continue
                tree.put([page(name, other)]) if action == "put" else tree.move(name, other)
                model.put(name, other)
            elif action == "remove":
                gone = [each for each in model.parents if model.is_inside(name, each)]
                gone = gone if name in model.parents else []
                assert tree.remove(name) == len(gone)
                for each in gone:
                    del model.parents[each]
                    model.own.pop(each, None)
            else:
                public = action == "revoke" and model.readers_of(name) is None
                gone = action == "inherit_readers" and model.is_orphan(name)
                if name not in model.parents or public or gone:
                    with pytest.raises(InputError):
                        getattr(tree, action)(name, **{"users": [other]} if other else {})
                    continue
                getattr(tree, action)(name, **{"users": [other]} if other else {})
                model.change(action, name, other)
            found = {each.id: _named(each.readers) for each in tree.corpus.documents()}
            assert found == {each: model.readers_of(each) for each in model.parents}
            for each in model.parents:
                assert _named_of(tree.readers_of(each)) == model.readers_of(each)


def _named(readers: Readers) -> frozenset[str] | None:
    return None if readers.are_everybody else readers.users


def _named_of(readers: RecordReaders) -> frozenset[str] | None:
    return None if readers.everybody else readers.users


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

    def write(
        self,
        principal: Principal,
        batch: Batch,
        *,
        expected_version: int | None = None,
        erase: bool = True,
    ) -> int:
        if self.left is not None:
            if not self.left:
                raise OSError("no space left")
            self.left -= 1
        return super().write(principal, batch, expected_version=expected_version, erase=erase)


@pytest.mark.no_cover  # thousands of records: traced, they take four times as long
@pytest.mark.parametrize("batches", sample([1, 0, 2, 3], of=4))
def test_a_grant_that_was_interrupted_is_finished_by_the_same_grant(batches: int):
    """Until then what is inside shows nothing to more readers than before, and the page is as it was."""
    store = FullDisk()
    tree = RecordTree(Corpus.open_records(store, embedder=None))
    half = 1_500 if NIGHTLY else 600  # four batches, or two
    inside = [page(f"b{n}", "p" if n < half else f"b{n - half}") for n in range(2 * half)]
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
