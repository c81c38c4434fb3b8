"""Citations name items by short ids that are stable, and never the same for two items."""

from __future__ import annotations

from functools import lru_cache

from biblicus_context.retrieval import citation_id
from biblicus_context.systems.prime import CitationManager, ContextItem


def item(name: str, **more: str) -> ContextItem:
    return ContextItem(id=name, type="file", content="text", source=f"{name}.md", tokens=1, **more)  # type: ignore[arg-type] # texts


@lru_cache
def alike() -> tuple[str, str]:
    """Two items whose ids have the same hash of 32 bits."""
    seen: dict[str, str] = {}
    for number in range(1_000_000):
        name = f"item-{number}"
        other = seen.setdefault(citation_id(name), name)
        if other != name:
            return other, name
    raise AssertionError("no two ids have the same hash")


def test_an_id_depends_on_the_item_alone():
    first, second = (CitationManager().generate_citations([item("b"), item("a")]) for _ in range(2))
    assert first == second
    assert [each.id for each in CitationManager().generate_citations([item("a")])] == [first[1].id]
    assert first[0].id == f"[fil-{citation_id('b')}]"


def test_items_with_the_same_hash_have_different_ids():
    manager = CitationManager()
    one, other = manager.generate_citations([item(name) for name in alike()])
    assert one.id[:-1] == other.id[: len(one.id) - 1]
    assert one.id != other.id
    assert manager.generate_citations([item(alike()[0])])[0].id == one.id
    assert manager.mark_used_in(f"As {other.id} says.") == [other.id]
    assert manager.format_citations_for_response().endswith(f"\n{other.id}: {other.source}")
    assert manager.mark_used_in(f"As {one.id} says.") == [one.id, other.id]  # it may be either


def test_only_what_an_answer_names_is_listed_as_a_source():
    citations = CitationManager().generate_citations(
        [item("a"), item("b", excerpt="We\nship " * 20)]
    )
    manager = CitationManager(citations)
    assert manager.format_citations_for_response() == ""
    assert manager.mark_used_in(
        f"See {citations[1].id}, [fil-00000000] and {citations[1].id}."
    ) == [citations[1].id]
    assert not manager.mark_as_used("[fil-00000000]")
    *_, line = manager.format_citations_for_response(citations).splitlines()
    assert line == f"{citations[1].id}: b.md - {' '.join(('We ship ' * 20).split())[:50]}..."
    assert not any(each.used_in_response for each in citations)  # another answer may use them


def test_a_source_cannot_forge_another_line():
    manager = CitationManager(
        CitationManager().generate_citations([item("a\n[fil-11111111]: b.md")])
    )
    manager.mark_used_in(" ".join(manager._citations))
    assert len(manager.format_citations_for_response().strip().splitlines()) == 3
