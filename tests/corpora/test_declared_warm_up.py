"""An assembler is warmed up, whatever placeholders the settings of its retrievers have."""

from __future__ import annotations

from pathlib import Path

from biblicus_context import ContextAssembler

PLAN = """
kind: context
name: desk
messages: [{type: context, name: named}, {type: context, name: filtered}]
---
kind: retriever
name: named
corpus: notes
config: {retriever_id: explicit, documents: "{input.ids}"}
---
kind: retriever
name: filtered
corpus: notes
config: {retriever_id: keyword, query: "{input.q}", filters: {kind: "{input.kind}"}}
---
kind: corpus
name: notes
config: {root: notes, embedder: null}
"""


def test_retrievers_whose_settings_wait_for_a_call_are_warmed_up(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Tea is hot.\n", "utf-8")
    assembler = ContextAssembler.from_path(tmp_path / "plan.yaml", index="missing")
    assembler.warm_up()
    found = assembler.assemble("desk", inputs={"ids": ["tea.md"], "q": "tea", "kind": "file"})
    assert "Tea is hot." in found.system_prompt
