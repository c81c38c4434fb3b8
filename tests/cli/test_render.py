"""`render`: the messages that a context comes to."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import DESK


def test_the_messages_are_printed_and_then_the_receipt(run, project):
    messages, receipt = run("render", *DESK).text.split("\n\ndesk · o200k_base · ")
    assert messages.startswith(
        "[system]\nYou work at the desk.\n\nA parcel is lost after ten days."
    )
    assert messages.endswith("[user]\nQuestion 1: Where is it?")
    assert receipt.startswith("68 of 70 tokens (97.1%)\n")


def test_the_messages_alone_are_json(run, project):
    messages = run("render", *DESK, "--format", "messages").json
    assert messages[-1] == {"role": "user", "content": "Question 1: Where is it?"}


def test_all_of_the_result_is_json_with_the_receipt_and_the_same_bytes_every_time(run, project):
    first = run("render", *DESK, "--format", "json")
    assert list(first.json) == [
        *("context", "fingerprint", "token_count", "estimated", "system_prompt", "history"),
        *("user_message", "messages", "framing", "receipt"),
        *("citations", "spans", "cache_marks", "prefix"),
    ]
    assert first.json["receipt"]["used"] == first.json["token_count"] <= 70
    assert run("render", *DESK, "--format", "json") == first


def test_budget_and_model_are_those_of_the_call(run, project):
    result = run("render", *DESK, "--budget", 300, "--model", "gpt-4o", "--format", "json").json
    assert (result["receipt"]["budget"], result["receipt"]["model"]) == (300, "gpt-4o")


def test_user_message_system_prompt_and_tools_are_handed_in(run, project, tmp_path):
    (project / "plain.yaml").write_text("kind: context\nname: default\n", encoding="utf-8")
    (project / "tools.json").write_text(
        json.dumps([{"type": "function", "function": {"name": "track"}}]), encoding="utf-8"
    )
    result = run(
        *("render", "default", "--path", "plain.yaml", "--user", "Hi", "--system", "Be kind."),
        *("--tools", "tools.json", "--model", "gpt-4o", "--format", "json"),
    ).json
    assert (result["system_prompt"], result["user_message"]) == ("Be kind.", "Hi")
    assert result["receipt"]["tools"] > 0


def test_the_result_of_the_call_before_is_handed_in(run, project):
    before = run("render", *DESK, "--format", "json").json
    (project / "before.json").write_text(json.dumps(before), encoding="utf-8")
    after = run("render", *DESK, "--previous", "before.json", "--format", "json").json
    assert after["receipt"]["same_prefix"] == before["token_count"]
    assert "begins as before" in run("explain", *DESK, "--previous", "before.json").text
    page = run("explain", *DESK, "--previous", "before.json", "--html", "-").text
    assert "Begins as the previous result" in page
    (project / "half.json").write_text(json.dumps({"messages": []}), encoding="utf-8")
    refusal = run("render", *DESK, "--previous", "half.json").refusal
    assert refusal.startswith("previous.receipt: Field required")


def test_contexts_are_those_of_the_folder_called_contexts(run, project):
    assert run("render", "plain").text.startswith("[system]\nBe brief.\n")


def test_those_of_the_package_can_be_asked_for(run, project):
    assert "Where is my order?" in run("render", "support", "--shipped", "--examples").text
    assert run("list", "--shipped", "--path", "contexts").refusal == (
        "--path and --shipped cannot be used together. Keep one of them."
    )


def test_inputs_come_from_a_file_in_yaml_or_json(run, project):
    (project / "i.yaml").write_text("question: Why?\ncount: 3\n", encoding="utf-8")
    out = run("render", *DESK, "--inputs", "i.yaml", "--input", "count=4").text
    assert "[user]\nQuestion 4: Why?\n" in out


def test_several_paths_are_one_project(run, project):
    (project / "more").mkdir()
    (project / "more" / "other.yaml").write_text(
        "kind: context\nname: other\nmessages: [{type: context, name: plain}]\n", encoding="utf-8"
    )
    assert "Be brief." in run("render", "other", "--path", "more", "--path", "contexts").text


def test_a_message_that_is_not_only_text_is_shown_as_json(run, project):
    call = {"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]
    history = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
    ]
    (project / "h.json").write_text(json.dumps(history), encoding="utf-8")
    (project / "c.yaml").write_text(
        "kind: context\nname: c\nmessages: [{type: history}]\n", encoding="utf-8"
    )
    out = run("render", "c", "--path", "c.yaml", "--history", "h.json").text
    assert out.startswith(
        '[user]\nLook:\n{"type": "image_url", "image_url": {"url": "x"}}\n\n'
        '[assistant]\n{"tool_calls": [{"id": "1", '
    )
    assert '[tool]\nfound\n{"tool_call_id": "1"}\n' in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("render", "dsk"),
            "Context 'dsk' not defined. Known: desk, plain. Did you mean 'desk'?",
        ),
        (
            ("render", "desk"),
            "context 'desk': input 'question' is missing. Pass question (string, for example "
            "'Where is it?'). Passed: none.",
        ),
        (
            ("render", "plain", "--path", "nowhere"),
            "nowhere: cannot be read: No such file or directory",
        ),
        (
            ("render", "plain", "--model", "gpt-4oo"),
            "context 'plain' policy: Model 'gpt-4oo' not defined.",
        ),
        (
            ("render", "desk", "--examples"),
            "retriever 'handbook' cannot run from the command line, and it has no recorded "
            "answer. Declare a corpus with a root or a store, and a retriever_id; or record an answer: "
            "--packs FILE, with 'handbook: [first text, second text]' in it.",
        ),
        (
            ("render", *DESK, "--budget", "5"),
            "context 'desk' needs 18 tokens that cannot shrink, its budget is 5",
        ),
    ],
)
def test_what_cannot_be_done_is_one_message(run, project, arguments, said):
    assert run(*arguments).refusal.startswith(said[:60])
    assert run(*arguments).refusal.count("\n") == 0


def test_a_retriever_that_may_fail_is_left_out_and_said_so(run, project):
    plan = "kind: context\nname: c\nmessages: [{type: context, name: kb, on_error: skip}]\n---\nkind: retriever\nname: kb\n"
    (project / "c.yaml").write_text(plan, encoding="utf-8")
    done = run("render", "c", "--path", "c.yaml")
    assert done.status == 0
    assert "failed: NotRecordedError" in done.out
    assert done.err.startswith("warning: context 'c': pack 'kb' is left out: failed: NotRecorded")


def test_half_a_character_and_a_huge_value_are_printed(run, project):
    (project / "i.json").write_text('{"question": "\\ud800 end"}', encoding="utf-8")
    out = run("render", *DESK, "--inputs", "i.json", "--budget", 400).text
    assert "Question 1: \\ud800 end" in out
    message = run("render", *DESK, "--inputs", "i.json", "--format", "messages", "--budget", 400)
    assert message.json[-1]["content"] == "Question 1: \ud800 end"
    (project / "big.txt").write_text("word " * 200_000, encoding="utf-8")
    big = run("render", *DESK, "--input", "question=@big.txt", "--budget", 300_000)
    assert len(big.text) > 1_000_000
