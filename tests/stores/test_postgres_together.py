"""What several packs and stores want of one Postgres server at once travels together."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.stores import Principal
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.sqlite import open_store as open_folder
from tests.stores.postgres import drop, new_schema, postgres_store, url

NAMES = [f"r{n}" for n in range(5)]


def assembled(corpora: list[Corpus], names: list[str]) -> str:
    """Packs of these names, from these corpora in turn."""
    retrievers = {
        name: corpora[n % len(corpora)].retriever(
            {
                "retriever_id": "keyword",
                "filters": {"kind": name},
            }
        )
        for n, name in enumerate(names)
    }
    assembler = ContextAssembler({"main": {"packs": names}}, retrievers)
    return assembler.assemble("main", inputs={"query": "lamp"}).system_prompt


def filled(corpus: Corpus) -> Corpus:
    corpus.put([Record(id=name, kind=name, text=f"The lamp {name} is new.") for name in NAMES])
    return corpus


def test_packs_over_collections_of_one_server_take_the_trips_of_one_pack(tmp_path: Path) -> None:
    """And they find what they find in a folder."""
    with postgres_store() as store, open_folder(tmp_path / "folder") as folder:
        assert isinstance(store.source, PostgresSource)
        server = store.source.server
        far = [
            filled(Corpus.open_records(store.collection(name), name=name)) for name in ("a", "b")
        ]
        near = [
            filled(Corpus.open_records(folder.collection(name), name=name)) for name in ("a", "b")
        ]
        made = []
        for names in (NAMES[:1], NAMES, NAMES[:1], NAMES):
            before = server.trips
            assert assembled(far, names) == assembled(near, names)
            made.append(server.trips - before)
        assert made[2] <= made[3] <= 3


def test_packs_of_other_workspaces_travel_too() -> None:
    """Each gets what its principal may read."""
    with postgres_store() as store:
        corpus = filled(Corpus.open_records(store, name="lamps"))
        nobody = corpus.for_principal(Principal("nobody"))
        assert assembled([corpus, nobody], NAMES[:2]) == "The lamp r0 is new."


def test_packs_whose_store_is_not_open_yet_open_it_once() -> None:
    """While one of them opens it, which asks the server, the other one waits and does not stop it."""
    schema = new_schema()
    address = f"{url(schema)}#lamps"
    made: list[str] = []
    with filled(Corpus.open_records(address)), Corpus.open_records(address) as corpus:
        work = Thread(target=lambda: made.append(assembled([corpus], NAMES[:2])), daemon=True)
        work.start()
        work.join(60)
        assert made == ["The lamp r0 is new.\n\nThe lamp r1 is new."]
    drop(schema)
