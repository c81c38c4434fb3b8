"""A batch gives each row its result once, whoever assembles it and however often it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from biblicus_context import ContextAssembler
from biblicus_context.batches import BatchProgress, BatchRow, assemble_many, run_batch
from biblicus_context.cli.main import main
from biblicus_context.errors import ContextError, InputError, UnknownNameError

PLAN = {
    "policy": {"input_budget": {"max_tokens": 60}},
    "messages": [
        {"type": "system", "content": "You are a support agent for {input.product}."},
        {"type": "history"},
        {"type": "user", "content": "{input.question}"},
    ],
}
ASSEMBLER = ContextAssembler({"support": PLAN})
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def row(number: int, **more: Any) -> dict[str, Any]:
    inputs = {"product": "lamps", "question": f"Where is parcel {number}?"}
    return {"id": f"r{number}", "inputs": inputs, **more}


def written(folder: Path, rows: Sequence[object]) -> Path:
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in rows), "utf-8")
    return file


def parts(folder: Path, kind: str = "part") -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in sorted(folder.glob(f"{kind}-*"))}


def results(folder: Path, kind: str = "part") -> list[dict[str, Any]]:
    lines = [line for content in parts(folder, kind).values() for line in content.splitlines()]
    return [json.loads(line) for line in lines]


def test_results_are_those_of_single_calls():
    given = [row(1, history=[{"role": "user", "content": "Hello."}]), row(2, budget=40)]
    for each, made in zip(given, assemble_many(ASSEMBLER, "support", given, now=NOW), strict=True):
        options = {name: each[name] for name in ("inputs", "history", "budget") if name in each}
        single = ASSEMBLER.assemble("support", now=NOW, **options)
        assert made.messages == single.messages
        assert (made.token_count, made.fingerprint) == (single.token_count, single.fingerprint)
        assert made.receipt is None
        assert made.id == each["id"]


def test_a_row_that_fails_has_its_error_and_the_others_their_results():
    given = [row(1), {"inputs": {}, "budgt": 3}, row(3, budget=5), "no row", row(5)]
    made = [*assemble_many(ASSEMBLER, "support", given)]  # type: ignore[arg-type]
    assert [each.error for each in made] == [None, "InputError", "BudgetError", "InputError", None]
    assert "budgt" in str(made[1].problem)
    assert "Did you mean 'budget'" in str(made[1].problem)
    assert [each.row for each in made] == [1, 2, 3, 4, 5]


def test_rows_are_read_as_they_are_needed():
    read = list[int]()

    def rows() -> Any:
        for number in range(1_000_000):
            read.append(number)
            yield BatchRow.model_validate(row(number))

    assert next(assemble_many(ASSEMBLER, "support", rows())).id == "r0"
    assert len(read) < 1_000


@pytest.mark.parametrize(
    "form", ["openai", "openai-responses", "anthropic", "gemini", "langchain", "pydantic-ai"]
)
def test_messages_are_in_the_format_of_the_provider_and_can_be_written(form: str):
    (made,) = assemble_many(ASSEMBLER, "support", [row(1)], format=form, receipt=True)
    assert made.error is None
    assert "Where is parcel 1?" in json.dumps(made.messages)
    assert made.receipt is not None
    json.dumps(dict(made.receipt))


def test_an_unknown_format_or_context_is_an_error_before_any_row(tmp_path: Path):
    with pytest.raises(InputError, match="openai-responses"):
        [*assemble_many(ASSEMBLER, "support", [], format="chat")]
    with pytest.raises(UnknownNameError, match="support"):
        run_batch(ASSEMBLER, "suport", written(tmp_path, [row(1)]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_several_processes_write_the_same_bytes_as_one(tmp_path: Path):
    source = written(tmp_path, [row(n, budget=5 if n % 70 == 0 else 50) for n in range(450)])
    for processes in (1, 2):
        out = tmp_path / str(processes)
        done = run_batch(
            ASSEMBLER, "support", source, out, processes=processes, now=NOW, receipt=True
        )
        assert (done.rows, done.errors, done.before) == (450, 7, 0)
    for kind in ("part", "errors"):
        assert parts(tmp_path / "1", kind) == parts(tmp_path / "2", kind) != {}
    assert [each["row"] for each in results(tmp_path / "1", "errors")] == [*range(1, 451, 70)]


def test_a_batch_goes_on_where_it_was(tmp_path: Path):
    source = written(tmp_path, [row(n) for n in range(350)])

    def stop(at: BatchProgress) -> None:
        if at.done == 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(ASSEMBLER, "support", source, tmp_path / "out", now=NOW, on_progress=stop)
    seen = list[BatchProgress]()
    done = run_batch(ASSEMBLER, "support", source, tmp_path / "out", on_progress=seen.append)
    assert (done.rows, done.before) == (350, 200)
    assert [(each.done, each.all) for each in seen] == [(300, 350), (350, 350)]
    assert seen[-1].seconds_left == 0
    run_batch(ASSEMBLER, "support", source, tmp_path / "whole", now=NOW)
    assert parts(tmp_path / "out") == parts(tmp_path / "whole")


def test_a_part_that_was_removed_or_not_noted_is_made_again(tmp_path: Path):
    source, out = written(tmp_path, [row(n) for n in range(250)]), tmp_path / "out"
    run_batch(ASSEMBLER, "support", source, out)
    before = parts(out)
    (out / "part-00001.jsonl").unlink()
    journal = out / "batch.jsonl"
    journal.write_bytes(journal.read_bytes()[:-7])  # killed while the last line was written
    assert run_batch(ASSEMBLER, "support", source, out).before == 100
    assert parts(out) == before
    assert run_batch(ASSEMBLER, "support", source, out).before == 250


def test_other_rows_or_another_plan_are_not_mixed_into_a_batch(tmp_path: Path):
    source, out = written(tmp_path, [row(n) for n in range(150)]), tmp_path / "out"
    run_batch(ASSEMBLER, "support", source, out)
    with pytest.raises(ContextError, match="'format' differs"):
        run_batch(ASSEMBLER, "support", source, out, format="openai")
    other = ContextAssembler({"support": {**PLAN, "messages": PLAN["messages"][:1]}})
    with pytest.raises(ContextError, match="'plan' differs"):
        run_batch(other, "support", source, out)
    written(tmp_path, [row(n if n else 999) for n in range(150)])
    with pytest.raises(ContextError, match="rows from row 1 have changed"):
        run_batch(ASSEMBLER, "support", source, out)


def test_parquet_in_and_out_says_the_same_as_lines(tmp_path: Path):
    rows = [row(n, history=[{"role": "user", "content": "Hello."}] * (n % 2)) for n in range(120)]
    table = tmp_path / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), table)
    run_batch(ASSEMBLER, "support", written(tmp_path, rows), tmp_path / "lines", now=NOW)
    run_batch(
        ASSEMBLER, "support", table, tmp_path / "table", now=NOW, table="parquet", receipt=True
    )
    read = [
        each
        for file in sorted((tmp_path / "table").glob("part-*.parquet"))
        for each in parquet.read_table(file).to_pylist()
    ]
    assert [{**each, "messages": json.loads(each["messages"])} for each in read] == [
        {**each, "receipt": other["receipt"]}
        for each, other in zip(results(tmp_path / "lines"), read, strict=True)
    ]
    assert json.loads(read[0]["receipt"])["context"] == "support"


def test_a_table_may_hold_inputs_as_texts_of_json(tmp_path: Path):
    table = tmp_path / "rows.parquet"
    given = [{"id": 7, "inputs": json.dumps(row(7)["inputs"]), "budget": None}]
    parquet.write_table(pa.Table.from_pylist(given), table)
    run_batch(ASSEMBLER, "support", table, tmp_path / "out")
    (made,) = results(tmp_path / "out")
    assert (made["id"], made["messages"][-1]["content"]) == (7, "Where is parcel 7?")


def project(folder: Path, rows: Sequence[object]) -> list[str]:
    (folder / "contexts").mkdir()
    plan = {"kind": "context", "name": "support", **PLAN}
    (folder / "contexts" / "support.yaml").write_text(json.dumps(plan), "utf-8")
    written(folder, rows)
    return ["batch", "support", "--inputs", "rows.jsonl", "--output", "out"]


def test_the_command_reports_what_failed_and_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    command = project(tmp_path, [row(1), {"id": "bad"}])
    assert main([*command, "--format", "anthropic"]) == 1
    said = capsys.readouterr().err
    assert "2 rows in out" in said
    assert "1 row failed: see out/errors-*.jsonl" in said
    (good,), (bad,) = results(tmp_path / "out"), results(tmp_path / "out", "errors")
    assert good["messages"]["system"]
    assert (bad["row"], bad["id"], bad["error"]) == (2, "bad", "TemplateError")


def test_a_batch_that_is_killed_loses_no_row_and_doubles_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    command = project(tmp_path, [row(n) for n in range(1_500)])
    run = [sys.executable, "-m", "biblicus_context", *command, "--processes", "2"]
    with subprocess.Popen(run, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: parts(tmp_path / "out") or process.poll() is not None)
        process.kill()
    assert 0 < len(parts(tmp_path / "out")) < 15
    monkeypatch.chdir(tmp_path)
    here = of_this_batch(tmp_path) - {str(os.getpid())}
    assert main(command) == 0
    assert [each["id"] for each in results(tmp_path / "out")] == [f"r{n}" for n in range(1_500)]
    wait_until(lambda: not here & of_this_batch(tmp_path))  # its workers have ended as well


def wait_until(is_so: Any) -> None:
    for _ in range(1_000):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen within 20 seconds")


def of_this_batch(folder: Path) -> set[str]:
    """The processes that work in a folder."""
    found = set[str]()
    for each in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if os.readlink(each) == str(folder):
                found.add(each.parent.name)
        except OSError:
            continue
    return found


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path):
    source = written(tmp_path, [row(1)])

    def again(_: BatchProgress) -> None:
        with pytest.raises(ContextError, match="another run writes into this folder"):
            run_batch(ASSEMBLER, "support", source, tmp_path / "out")

    run_batch(ASSEMBLER, "support", source, tmp_path / "out", on_progress=again)


def test_a_worker_that_dies_is_an_error_that_says_what_to_do(tmp_path: Path):
    source = written(tmp_path, [row(1), row(2)])
    plan = {**PLAN, "messages": [{"type": "context", "name": "kb"}]}
    deadly = ContextAssembler({"support": plan}, {"kb": die})
    with pytest.raises(ContextError, match="Run it again: what is done is kept"):
        run_batch(deadly, "support", source, tmp_path / "out", processes=2)


def die(_request: object) -> Mapping[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
