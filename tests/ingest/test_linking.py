"""Links between files are relations between documents, and follow them as they change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.links import LINKS, Links, links_of
from biblicus_context.stores import Batch, Relation, Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import seen
from tests.ingest.build import ANN, known, run, written
from tests.pace import within
from tests.permissions import permissions_hold


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store") as opened:
        yield opened


def links(name: str, text: str) -> Links:
    return links_of(Content(name, text.encode(), None))


def led(store: Store) -> list[tuple[str, str]]:
    found = seen(store, ANN).relations(known(store))
    assert {each.type for each in found} <= {LINKS}
    return [(each.source, each.target) for each in found]


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("a.md", "[x](b.md) and ![y](p.png)", ("b.md", "p.png")),
        ("a.md", "[x]( <c d.md> ) [y](e_(f).md) [z](<g.md>)", ("e_(f).md", "c d.md", "g.md")),
        ("a.md", '[x](b.md "Title") [x](b.md)', ("b.md",)),
        ("a.mdx", "[x]: other/b.md 'Title'\n\n[x]", ("other/b.md",)),
        ("a.md", '<a class="x" HREF="b.html#top">', ("b.html#top",)),
        ("a.html", "<a href='b.html'>[no](markdown.md)</a>", ("b.html",)),
        ("a.rst", "`x <b.rst>`_ :doc:`guide/c` :doc:`Title <d>`\n\n.. _e: e.rst\n",
         ("b.rst", "guide/c", "d", "e.rst")),
        ("a.txt", "[x](b.md)", ()),
        ("a.py", '"""[x](b.md)"""', ()),
    ],
)  # fmt: skip
def test_links_are_found_as_each_format_writes_them(
    name: str, text: str, places: tuple[str, ...]
) -> None:
    assert links(name, text) == Links(places)


def test_notes_are_linked_by_name(store: Store, tmp_path: Path) -> None:
    assert links("a.md", "[[Tea]], [[tea|that]] and [[Sub/Tea#hot]]").names == (
        "Tea",
        "tea",
        "Sub/Tea",
    )
    root = written(
        tmp_path / "notes",
        {
            "a.md": "[[TEA]] [[deep/tea]] [[Version 1.2]] [[nowhere]]",
            "x/tea.md": "x",
            "x/deep/tea.md": "x",
            "x/deep/a.md": "[[tea]]",
            "Version 1.2.md": "x",
        },
    )
    run(store, root)
    assert led(store) == [
        ("a.md", "Version 1.2.md"),
        ("a.md", "x/deep/tea.md"),
        ("a.md", "x/tea.md"),
        ("x/deep/a.md", "x/deep/tea.md"),
    ]


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("b.md", "guide/b.md"),
        ("./b.md#part", "guide/b.md"),
        ("b.md?raw=1", "guide/b.md"),
        ("b", "guide/b.md"),
        ("../top.md", "top.md"),
        ("/top.md", "top.md"),
        ("../guide/", "guide/README.md"),
        ("c%20d.md", "guide/c d.md"),
        ("gr%C3%BCn.md", "guide/grün.md"),
    ],
)
def test_a_link_leads_where_a_reader_would_follow_it(
    store: Store, tmp_path: Path, link: str, target: str
) -> None:
    names = ("b.md", "README.md", "c d.md", "grün.md")
    pages = {"top.md": "x", **{f"guide/{name}": "x" for name in names}}
    run(store, written(tmp_path / "files", {**pages, "guide/a.md": f"[x]({link})"}))
    assert led(store) == [("guide/a.md", target)]


@pytest.mark.parametrize(
    "link",
    [
        *("https://example.org/b.md", "//example.org/b.md", "mailto:b.md", "http://[b.md"),
        *("#b.md", "../../b.md", "a.md", "gone.md", "%00", "b.md/../../../../etc/passwd"),
    ],
)
def test_what_leads_to_no_other_document_is_no_relation(
    store: Store, tmp_path: Path, link: str
) -> None:
    run(store, written(tmp_path / "files", {"a.md": f"[x]({link})", "b.md": "x"}))
    assert led(store) == []


def test_relations_follow_the_files(store: Store, tmp_path: Path) -> None:
    root = written(tmp_path / "files", {"a.md": "[b](b.md) [c](c.md)", "b.md": "x"})
    run(store, root)
    assert led(store) == [("a.md", "b.md")]
    written(root, {"c.md": "x"})
    run(store, root)
    assert led(store) == [("a.md", "b.md"), ("a.md", "c.md")]
    (root / "b.md").unlink()
    run(store, root)
    assert led(store) == [("a.md", "c.md")]
    written(root, {"b.md": "it is back"})
    run(store, root)
    assert led(store) == [("a.md", "b.md"), ("a.md", "c.md")]
    written(root, {"a.md": "[b](b.md)"})
    run(store, root)
    assert led(store) == [("a.md", "b.md")]


def test_links_that_an_ingest_did_not_come_to_are_made_by_the_next(
    store: Store, tmp_path: Path
) -> None:
    root = written(tmp_path / "files", {"a.md": "[b](b.md)", "b.md": "x"})
    run(store, root)
    store.write(ANN, Batch(unrelate=(Relation("a.md", "b.md", LINKS),)))
    run(store, root)
    assert led(store) == [("a.md", "b.md")]


def test_an_ingest_that_changes_no_link_makes_no_version(store: Store, tmp_path: Path) -> None:
    root = written(tmp_path / "files", {"a.md": "[b](b.md)", "b.md": "[a](a.md)"})
    version = run(store, root).version
    assert run(store, root).version == version


def test_relations_of_other_types_are_left_alone(store: Store, tmp_path: Path) -> None:
    root = written(tmp_path / "files", {"a.md": "x", "b.md": "x"})
    run(store, root)
    cites = Relation("a.md", "b.md", "cites")
    store.write(ANN, Batch(relate=(cites,)))
    written(root, {"a.md": "changed"})
    run(store, root)
    assert seen(store, ANN).relations(["a.md"]) == (cites,)


def test_a_file_that_cannot_be_read_keeps_its_links(store: Store, tmp_path: Path) -> None:
    root = written(tmp_path / "files", {"a.md": "[b](b.md)", "b.md": "x"})
    run(store, root)
    (root / "a.md").chmod(0)
    with permissions_hold():
        summary = run(store, root)
    assert [each.name for each in summary.skipped] == ["a.md"]
    assert led(store) == [("a.md", "b.md")]


def test_links_lead_from_one_root_to_another(store: Store, tmp_path: Path) -> None:
    one = written(tmp_path / "one", {"a.md": "[x](../two/b.md) [y](/c.md)", "c.md": "x"})
    two = written(tmp_path / "two", {"b.md": "x"})
    run(store, one, two)
    assert led(store) == [("one/a.md", "one/c.md"), ("one/a.md", "two/b.md")]


@given(text=st.text(alphabet="[]()<>\"'`#:|. _-ahrefdoc=\n\\/%", max_size=200))
def test_any_text_has_links_that_are_texts(text: str) -> None:
    for suffix in ("md", "html", "rst"):
        for found in links(f"a.{suffix}", text):
            assert all(each and "\n" not in each for each in found)


def test_of_a_text_of_nothing_but_links_the_first_ones_count() -> None:
    found = links("a.md", "".join(f"[[{n}]]" for n in range(50_000)))
    assert found.names == tuple(map(str, range(10_000)))


@pytest.mark.no_cover
@pytest.mark.parametrize("suffix", ["md", "html", "rst"])
@pytest.mark.parametrize(
    "piece",
    [
        "](",
        "[[",
        "[",
        "[a",
        "[x]: ",
        "href=",
        "href = '",
        "`x <",
        ":doc:`",
        ".. _",
        "]( <",
        "](a(",
        "]((",
    ],
)
def test_links_are_found_in_bounded_time(suffix: str, piece: str) -> None:
    with within(2):
        links(f"a.{suffix}", piece * 100_000)
