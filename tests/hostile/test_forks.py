"""A process forks while its threads search, assemble and ingest, and every child can do the same."""

from __future__ import annotations

import faulthandler
import itertools
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.attacks.index_damages import sound_index
from biblicus_context import ContextAssembler, Corpus
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import search_text
from biblicus_context.text import Counters

ANN = Principal("acme", sees_all=True)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that does other work, a thread may be inside for longer than a fork would wait."""
    monkeypatch.setattr("biblicus_context.base.forks._PATIENCE", 300.0)


pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def test_a_child_that_was_forked_while_threads_search_can_search(tmp_path: Path):
    store = open_store(sound_index(tmp_path / "store", documents=20))
    ends = forked_meanwhile(
        lambda number: bool(search_text(store, ANN, [f"oak{number}", "oak"], limit=20)),
        times=20,
        others=4,
    )
    assert ends == [0] * 20
    store.close()


def test_a_child_that_was_forked_while_threads_assemble_and_ingest_can_assemble(tmp_path: Path):
    for number in range(10):
        (tmp_path / f"{number}.md").write_text("# Rose\n\n" + "rose lily oak " * 50)
    plan = {"messages": [{"type": "context", "name": "kb"}, {"type": "history"}]}
    policy = {"input_budget": {"max_tokens": 2_000}}
    with Corpus.open(tmp_path, store=tmp_path / ".index") as corpus:
        corpus.ingest()
        assembler = ContextAssembler({"p": {**plan, "policy": policy}}, {"kb": corpus.retriever()})

        def work(number: int) -> bool:
            if number % 40 == 7:
                (tmp_path / "new.md").write_text(f"# New\n\nfern {number}")
                corpus.ingest()
            history = [{"role": "user", "content": f"turn {number} {n}"} for n in range(100)]
            result = assembler.assemble("p", user_message=f"oak {number}", history=history)
            return bool(result.history) and "oak" in result.system_prompt

        assert forked_meanwhile(work, times=12, others=4) == [0] * 12


def test_a_child_counts_many_texts_though_the_threads_that_count_are_not_in_it():
    def work(number: int) -> bool:
        texts = [f"text {number} {n} " * 20 for n in range(500)]
        return min(Counters().get("o200k_base").count_many(texts)) > 20

    assert work(0)
    assert [child(work, number) for number in range(3)] == [0] * 3


def forked_meanwhile(work: Callable[[int], bool], *, times: int, others: int) -> list[int]:
    """How children end that do some work, forked while other threads do it."""
    done = threading.Event()

    def work_on(number: int) -> None:
        for each in itertools.count(1_000 * (number + 1)):
            if done.is_set() or not work(each):
                return

    threads = [threading.Thread(target=work_on, args=(n,), daemon=True) for n in range(others)]
    for thread in threads:
        thread.start()
    try:
        return [child(work, number) for number in range(times)]
    finally:
        done.set()
        for thread in threads:
            thread.join()


def child(work: Callable[[int], bool], number: int) -> int:
    """How a child ends: 0 if its work succeeds, a signal if it hangs."""
    process = os.fork()
    if not process:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # pytest-timeout has one that never returns
        signal.alarm(60)
        faulthandler.dump_traceback_later(50, file=sys.__stderr__)
        try:
            os._exit(0 if work(number) else 3)
        finally:  # nothing that is raised may become a second pytest
            os._exit(4)
    return os.waitpid(process, 0)[1]
