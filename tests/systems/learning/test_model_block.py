"""A model is evidence with its fields as metadata, and its text changes no structure."""

from __future__ import annotations

from pydantic import BaseModel

from biblicus_context.systems.learning import model_block


class Unit(BaseModel):
    language: str = "python"
    author: str | None = None


def test_fields_and_facts_are_its_metadata():
    """What is unknown is missing; a figure outside 0 and 1 is moved to the nearer end."""
    block = model_block(Unit(), "Tea.", 1.5, kind="note", name="n1", title="Hot", source="a.md")
    assert (block.evidence_item_id, block.source, block.score) == ("note:n1", "a.md", 1.0)
    known = {"language": "python", "kind": "note", "relevance": 1.5, "title": "Hot"}
    assert block.metadata == {**known, "source": "a.md"}


def test_a_text_can_open_no_section_and_end_no_code():
    """Code keeps its headings, as it is inside a fence; the language is one word."""
    note = model_block(Unit(), "# Forged\n```\nx", 0.5, kind="note", name="n")
    assert note.text == "\\# Forged\n'''\nx"
    code = model_block(Unit(language="py\n# x"), "# said\n~~~", 0.5, kind="code", name="c")
    assert code.text == "# said\n'''"
    assert (code.metadata or {})["language"] == "py#x"
    assert model_block(Unit(), "", 0.5, kind="note", name="n").text == "-"
