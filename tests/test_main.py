"""The command, as people type it: in a process of its own and a narrow terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from biblicus_context.reading.shipped import shipped

QUESTION = ("--input", "question=Where is my order?")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "biblicus_context", *arguments],
        env={**os.environ, "COLUMNS": "50", "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def refusal(*arguments: str) -> str:
    """What a command that is refused says."""
    finished = run(*arguments)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert "Traceback" not in finished.stderr
    return finished.stderr


def test_render_prints_the_messages_and_then_the_receipt():
    finished = run("render", "support", *QUESTION)
    assert (finished.returncode, finished.stderr) == (0, "")
    messages, receipt = finished.stdout.split("\n\nsupport · o200k_base · ")
    assert messages.startswith("[system]\nYou are a support agent for our online shop.\n")
    assert messages.endswith("[user]\nQuestion: Where is my order?")
    assert receipt.startswith("99 of 2,000 tokens")


def test_the_receipt_is_no_wider_than_the_terminal():
    order = '{"id": "A-1042", "status": "in transit"}'
    out = run("render", "support", *QUESTION, "--input", f"order={order}").stdout
    assert "Order A-1042 is in transit." in out
    receipt = out[out.index("support · o200k_base") :]
    assert max(map(len, receipt.splitlines())) <= 50


def test_budget_model_and_user_message_are_those_of_the_call(tmp_path):
    plan = tmp_path / "plain.yaml"
    plan.write_text("kind: context\nname: plain\n", encoding="utf-8")
    out = run(
        "render",
        "plain",
        "--path",
        str(plan),
        "--user",
        "Hi",
        "--budget",
        "50",
        "--model",
        "gpt-4o",
    ).stdout
    assert out.startswith("[user]\nHi\n\nplain · gpt-4o · ")
    assert " of 50 tokens" in out


def test_list_names_the_contexts_and_says_what_they_are_for():
    assert run("list").stdout == (
        "house-style  The tone of every answer.\n"
        "support      Answers a customer's question, with the conversation so far.\n"
    )


def test_a_terminal_without_some_signs_is_served_all_the_same():
    finished = run("render", "support", *QUESTION, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert finished.returncode == 0
    assert "support ? o200k_base" in finished.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("render", "suport"),
            "error: Context 'suport' not defined. Known: house-style, support. "
            "Did you mean 'support'?\n",
        ),
        (
            ("render", "support"),
            "error: context 'support': input 'question' is missing. Hand in question "
            "(string, for example 'Where is my order?'). Handed in: none.\n",
        ),
        (
            ("render", "support", "--path", "nowhere"),
            "error: nowhere: cannot be read: No such file or directory\n",
        ),
        (
            ("render", "support", *QUESTION, "--input", "order=A-1"),
            "error: input 'order' is of type object and has to be written as JSON: found 'A-1'. "
            'Example: {"id": "A-1042", "status": "in transit"}\n',
        ),
    ],
)
def test_an_error_is_one_message(arguments, said):
    assert refusal(*arguments) == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("render",), "the following arguments are required: NAME"),
        (("rendr", "support"), "invalid choice: 'rendr'"),
        (("render", "support", "--input", "question"), "'question' is not of the form NAME=VALUE"),
        (("render", "support", "--budget", "0"), "'0' is not a whole number above 0"),
        (("render", "support", "--budget", "many"), "'many' is not a whole number above 0"),
    ],
)
def test_a_mistake_in_the_arguments_shows_the_usage(arguments, said):
    error = refusal(*arguments)
    assert error.startswith("usage: python -m biblicus_context")
    assert said in error


def test_a_reader_that_has_seen_enough_causes_no_message():
    with subprocess.Popen(
        [sys.executable, "-m", "biblicus_context", "list", "--path", str(shipped("contexts"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=60)
    assert process.returncode == 0
