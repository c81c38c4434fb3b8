"""What a helper does with what comes in."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import BinaryIO

import pytest

from biblicus_context.ingest import ChunkSettings
from biblicus_context.ingest.helper.program import GREETING, answer, leave, receive, serve
from tests.ingest.helpers import CUTTING, job

HOW = (ChunkSettings(), "o200k_base")
JOBS = [job("a.md", "# A\n\nwords"), job("b.bin", b"\0")]


def test_it_greets_and_answers_in_order_until_nobody_listens():
    asked, ask = os.pipe()
    hear, answered = os.pipe()
    ended = Event()
    with open(asked, "rb") as taken, open(ask, "wb", 0) as say, open(hear, "rb") as answers:
        serving = Thread(target=served, args=(taken, answered, ended.set))
        serving.start()
        for each in (HOW, JOBS, JOBS[:1]):
            say.write(pickle.dumps(each))
        assert answers.readline() == GREETING
        assert pickle.load(answers) == [CUTTING.of(each) for each in JOBS]
        assert pickle.load(answers) == [CUTTING.of(JOBS[0])]
        answers.close()
        say.write(pickle.dumps(JOBS))
        serving.join(timeout=60)
        assert ended.is_set()
        say.close()


def served(asked: BinaryIO, answered: int, end: Callable[[], object]) -> None:
    with suppress(BrokenPipeError), open(answered, "wb") as answers:
        serve(asked, answers, end)


def test_what_a_reader_fails_at_is_left_to_who_asked(monkeypatch):
    monkeypatch.setattr("biblicus_context.ingest.chunks.cutting.chunks", lambda *_: 1 / 0)
    answers = io.BytesIO()
    answer(JOBS, CUTTING, answers)
    assert pickle.loads(answers.getvalue()) == [None, CUTTING.of(JOBS[1])]


@pytest.mark.parametrize("rest", [b"", b"no pickle", b"\x80"], ids=repr)
def test_the_end_of_what_is_asked_is_noticed_at_once(rest: bytes):
    taken: list[object] = []
    ended = Event()
    with suppress(pickle.UnpicklingError):
        receive(io.BytesIO(pickle.dumps(JOBS) + rest), taken.append, ended.set)
    assert taken == [JOBS]
    assert ended.is_set()


def test_it_takes_along_what_it_started_only_where_the_group_is_its_own(monkeypatch):
    killed: list[int] = []

    def ended(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", ended)
    monkeypatch.setattr(os, "killpg", lambda group, _: killed.append(group))
    monkeypatch.setattr(os, "getpgrp", lambda: os.getpid() + 1)
    with pytest.raises(SystemExit):
        leave()
    assert not killed
    monkeypatch.setattr(os, "getpgrp", os.getpid)
    with pytest.raises(SystemExit):
        leave()
    assert killed == [0]
