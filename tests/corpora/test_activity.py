"""What the asking user edited or viewed, as evidence and as a part of a ranking."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.corpora import Corpus
from biblicus_context.errors import PlanError
from biblicus_context.stores import Principal
from biblicus_context.testing.store_samples import seen

ANN, BOB = Principal("local", user="ann"), Principal("local", user="bob")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    for name in ("lamp", "bulb", "shade", "cable"):
        (root / f"{name}.md").write_text(f"All about one {name}.", "utf-8")
    now = datetime.now(UTC)
    with Corpus.open(root) as corpus:
        corpus.ingest()
        for name, action, hours in (
            ("lamp.md", "edit", 1),
            ("bulb.md", "edit", 2),
            ("shade.md", "view", 3),
            ("lamp.md", "view", 4),
            ("cable.md", "view", 100),
        ):
            corpus.store.record_activity(ANN, name, action, now - timedelta(hours=hours))  # type: ignore[arg-type] # one of the actions
    return root


def found(root: Path, who: Principal, **config: Any) -> dict[str | None, float | None]:
    plan = {
        "policy": {"input_budget": {"max_tokens": 500}},
        "messages": [{"type": "context", "name": "kb"}],
    }
    settings = {"retriever_id": "activity", "query": "?", "limit": 20, **config}
    assembler = ContextAssembler(
        {"ask": plan},
        {"kb": {"corpus": "notes", "config": settings}},
        {"notes": {"config": {"root": str(root)}}},
        principal=who,
    )
    return {each.path: each.score for each in assembler.assemble("ask").citations}


def test_edits_come_before_views_and_the_last_one_first(notes: Path):
    assert found(notes, ANN) == {"lamp.md": 0.6, "bulb.md": 0.58, "shade.md": 0.5}
    assert found(notes, ANN, edits=1, views=0) == {"lamp.md": 0.6}
    assert [*found(notes, ANN, within="1w")][-1] == "cable.md"
    assert found(notes, ANN, filters={"path": "s*"}) == {"shade.md": 0.5}


def test_what_was_viewed_may_be_shown_by_its_outline_and_what_was_edited_is_whole(notes: Path):
    for name in ("lamp", "shade"):
        path = notes / f"{name}.md"
        path.write_text(f"# The {name}\n\nOne line.\n\nAnother line.\n", "utf-8")
    with Corpus.open(notes) as corpus:
        corpus.ingest()
    plan = {
        "policy": {"input_budget": {"max_tokens": 500}},
        "messages": [{"type": "context", "name": "kb"}],
    }
    config = {"retriever_id": "activity", "query": "?", "outline": {"tokens": 50}}
    corpora = {"notes": {"config": {"root": str(notes)}}}
    retrievers = {"kb": {"corpus": "notes", "config": config}}
    text = (
        ContextAssembler({"ask": plan}, retrievers, corpora, principal=ANN)
        .assemble("ask")
        .as_text()
    )
    assert "# The lamp\n\nOne line.\n\nAnother line." in text
    assert "# The shade\nOne line." in text
    assert text.count("Another line.") == 1


def test_what_others_did_is_not_found(notes: Path):
    assert found(notes, BOB) == {}
    assert found(notes, Principal("local")) == {}


def test_ranking_by_affinity_prefers_what_the_user_edited(notes: Path):
    rank = {"retriever_id": "recent", "rank": "affinity"}
    assert found(notes, ANN, **rank) == {
        "lamp.md": 1.0, "bulb.md": 1.0, "shade.md": 0.5, "cable.md": 0.5,
    }  # fmt: skip
    assert set(found(notes, BOB, **rank).values()) == {0.0}


def test_activity_recorded_between_two_assemblies_is_found(notes: Path):
    plan = {"messages": [{"type": "context", "name": "kb"}]}
    config = {"retriever_id": "activity", "query": "?", "limit": 9}
    declared = {"kb": {"corpus": "notes", "config": config}}
    corpora = {"notes": {"config": {"root": str(notes)}}}
    assembler = ContextAssembler({"ask": plan}, declared, corpora, principal=BOB)
    assert not assembler.assemble("ask").citations
    with Corpus.open(notes) as corpus:
        corpus.store.record_activity(BOB, "cable.md", "view", datetime.now(UTC))
    assert [each.path for each in assembler.assemble("ask").citations] == ["cable.md"]


def test_a_span_that_is_none_is_refused(notes: Path):
    with pytest.raises(PlanError, match="within"):
        found(notes, ANN, within="3 months")


RECORDING = """
import sys
from datetime import UTC, datetime, timedelta
from biblicus_context import Corpus, Principal, Record
ann = Principal("acme", user="ann")
with Corpus.open_records(sys.argv[1], principal=ann) as pages:
    pages.put([Record(id=f"p{n}", text=f"Page {n}.") for n in range(200)])
    print("ready", flush=True)
    for n in range(200):
        pages.store.record_activity(ann, f"p{n}", "edit", datetime.now(UTC) - timedelta(hours=1))
        print(n, flush=True)
"""


def test_a_killed_program_loses_no_activity_that_it_recorded(tmp_path: Path):
    ann, place = Principal("acme", user="ann"), tmp_path / "pages"
    command = [sys.executable, "-c", RECORDING, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        returned = [program.stdout.readline().strip() for _ in range(12)]
        program.kill()
    assert returned[0] == "ready"
    with Corpus.open_records(place, principal=ann) as pages:
        known = {each.document_id for each in seen(pages.store, ann).activity(limit=1_000)}
        assert {f"p{n}" for n in returned[1:]} <= known
        assert pages.store.check() == ()
