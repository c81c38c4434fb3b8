"""An assembler can be sent to another process, which answers with the same bytes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from textwrap import dedent

import pytest

from biblicus_context import ContextAssembler, InputError, ModelTable, Principal
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

PLAN = {
    "policy": {"model": "house-model", "input_budget": {"max_tokens": 60}},
    "messages": [
        {"type": "system", "content": "Answer from the notes."},
        {"type": "context", "name": "notes"},
        {"type": "user", "content": "{input.question}"},
    ],
}
MODELS = {"house-model": {"counter": "o200k_base", "window": 100}}


def notes(request: ContextRetrieverRequest) -> list[str]:
    return [f"{request.query}: lamps may be opened.", "Chairs as well."]


def assembled(assembler: ContextAssembler) -> str:
    return str(assembler.assemble("ask", inputs={"question": "Lamps?"}).messages)


def test_an_assembler_answers_the_same_in_another_process() -> None:
    assembler = ContextAssembler(
        {"ask": PLAN}, {"notes": {"config": {"query": "{input.question}"}}}, models=MODELS,
        retriever_functions={"notes": notes},
    )  # fmt: skip
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        assert other.submit(assembled, assembler).result() == assembled(assembler)


def test_an_assembler_over_files_opens_its_indexes_in_the_other_process(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "lamps.md").write_text("Lamps may be opened.", encoding="utf-8")
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "ask.yaml").write_text(
        dedent(
            """\
            kind: context
            name: ask
            messages:
              - {type: context, name: notes}
              - {type: user, content: "{input.question}"}
            ---
            kind: retriever
            name: notes
            corpus: pages
            config: {retriever_id: keyword, query: "{input.question}"}
            ---
            kind: corpus
            name: pages
            config: {root: ../pages, embedder: null}
            """
        ),
        encoding="utf-8",
    )
    here = ContextAssembler.from_path(tmp_path / "contexts", index="missing")
    there = pickle.loads(pickle.dumps(here.for_principal(Principal("local", user="ann"))))
    assert "Lamps may be opened." in assembled(here)
    assert assembled(there) == assembled(here)


def test_what_cannot_be_sent_is_named() -> None:
    def local(_: ContextRetrieverRequest) -> ContextPack | None:
        return None

    assembler = ContextAssembler({"ask": PLAN}, retriever_functions={"notes": local}, models=MODELS)
    with pytest.raises(InputError, match=r"retriever_functions: .*another process.*each process"):
        pickle.dumps(assembler)


def test_a_table_of_models_can_be_sent_to_another_process() -> None:
    table = ModelTable.shipped().with_models({"gpt-4o": {"window": 64_000}})
    assert pickle.loads(pickle.dumps(table)).find("gpt-4o") == table.find("gpt-4o")
    assert pickle.loads(pickle.dumps(ModelTable.shipped())).find("gpt-4o").window == 128_000
