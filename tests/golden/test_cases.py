"""How defaults, cases, turns and matrices come together, and what a case may say by mistake."""

from __future__ import annotations

import json

import pytest

from biblicus_context.golden import GoldenOptions
from tests.golden.projects import Folder, said


def trouble(folder: Folder, case: str) -> str:
    """What is said of a case that cannot be run, without its place."""
    verdict = folder.verdict(case)
    assert verdict.status == "error"
    (found,) = verdict.troubles
    return found.text.removeprefix(f"{found.file}:{found.line}:{found.column}: ")


def test_inputs_packs_and_expectations_are_taken_key_by_key(folder: Folder) -> None:
    file = folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults:
          context: outer
          inputs: {question: What now?}
          packs: {handbook: [Apples], news: [Bread]}
          expect: {contains: Apples, packs: {news: {requests: 1}}}
        cases:
          - name: it
            inputs: {language: en}
            packs: {news: [Cakes]}
            expect: {absent: Bread, packs: {handbook: {text: Apples}}}
        """,
    )
    (report,) = folder.run(paths=["contexts/x.test.yaml"]).files
    assert [said(verdict) for verdict in report.verdicts] == [[]]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("absent: Bread", "absent: Cakes"), encoding="utf-8")
    (report,) = folder.run(paths=["contexts/x.test.yaml"]).files
    (failure,) = report.verdicts[0].failures
    assert (failure.line, failure.expectation) == (11, "expect.absent")


def test_an_expectation_of_the_defaults_fails_at_its_place_in_the_defaults(folder: Folder) -> None:
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults:
          context: inner
          inputs: {question: How?}
          packs: {handbook: [A]}
          expect: {contains: Nowhere}
        cases: [{name: it}]
        """,
    )
    ((failure,),) = (each.failures for each in folder.run().files[0].verdicts)
    assert (failure.line, failure.column) == (6, 12)


def test_an_expected_error_sets_aside_what_the_defaults_expect(folder: Folder) -> None:
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults: {context: inner, inputs: {question: How?}, packs: {handbook: [A]}, expect: {contains: A}}
        cases:
          - {name: as always}
          - {name: an error, context: outer, expect: {error: RetrieverError}, packs: {news: {fails: no}}}
        """,
    )
    assert folder.run().counts["passed"] == 2


def test_an_error_in_the_defaults_leaves_nothing_else_to_expect(folder: Folder) -> None:
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults: {context: inner, expect: {error: BudgetError}}
        cases: [{name: it, expect: {contains: A}}]
        """,
    )
    (trouble,) = folder.run().files[0].troubles
    assert trouble.text.endswith(
        "x.test.yaml:3:29: error must be the only expectation: a failed assembly has no result to check. "
        "The error is expected in line 2."
    )


def test_a_matrix_is_a_case_for_each_budget_and_model(folder: Folder) -> None:
    case = "matrix: {budget: [60, 90], model: [gpt-4o, gpt-4]}, expect: {tokens: {max: 90}}"
    verdicts = folder.verdicts(f"  - {{name: it, {case}}}")
    assert [verdict.name for verdict in verdicts] == [
        "it [budget 60, model gpt-4o]",
        "it [budget 60, model gpt-4]",
        "it [budget 90, model gpt-4o]",
        "it [budget 90, model gpt-4]",
    ]
    assert {verdict.status for verdict in verdicts} == {"passed"}
    failing = folder.verdicts("  - {name: it, matrix: {budget: [60]}, expect: {tokens: 1}}")
    assert failing[0].receipt is not None
    assert failing[0].receipt.budget == 60


def test_a_case_may_replace_the_budgets_of_packs_and_of_the_history(folder: Folder) -> None:
    case = "shares: {handbook: 0, history: {max_tokens: 1}}, expect: {packs: {handbook: {requests: 0}}}"
    assert folder.verdict(case).status == "passed"


def test_a_skipped_case_says_why_and_is_not_run(folder: Folder) -> None:
    verdict = folder.verdict("context: nowhere, skip: later")
    assert (verdict.status, verdict.reason) == ("skipped", "later")


@pytest.mark.parametrize("case", ["expect: {stable_prefix: {min_share: 1}}",
                                  "turns: [{expect: {stable_prefix: {min_share: 1}}}, {}]"])  # fmt: skip
def test_a_prefix_needs_a_call_before(folder: Folder, case: str) -> None:
    folder.test_file(f"  - {{name: it, {case}}}\n")
    (found,) = folder.run().files[0].troubles
    assert found.text.endswith(
        "stable_prefix needs an earlier call to compare with. "
        "Add turns to the case, or move it to a later turn."
    )


def test_a_prefix_in_the_defaults_is_meant_for_cases_with_turns(folder: Folder) -> None:
    folder.write(
        "contexts/x.test.yaml",
        """\
        kind: contexts-test
        defaults:
          context: inner
          inputs: {question: How?}
          packs: {handbook: [A]}
          expect: {stable_prefix: {min_share: 1}}
        cases: [{name: one}, {name: two, turns: [{}, {}]}, {name: three, turns: [{}, {packs: {handbook: [B]}}]}]
        """,
    )
    assert [verdict.status for verdict in folder.run().files[0].verdicts] == [
        "passed",
        "passed",
        "failed",
    ]


def test_each_turn_adds_its_messages_and_is_judged_on_its_own(folder: Folder) -> None:
    (verdict,) = folder.verdicts(
        """\
          - name: it
            history: [{role: user, content: Hello}]
            expect: {contains: agent}
            turns:
              - expect: {roles: [system, user, user]}
              - messages: [{role: assistant, content: Hi}]
                inputs: {question: And then?}
                expect: {roles: [system, user, assistant, user], user_message: "Question: And then?"}
              - messages: [{role: user, content: Hm}]
                budget: 200
                expect: {roles: [system, user, assistant, user, user], user_message: "Question: What now?"}
        """
    )
    assert said(verdict) == []


def test_what_fails_in_a_turn_is_told_with_its_number_and_ends_the_case(folder: Folder) -> None:
    (verdict,) = folder.verdicts(
        """\
          - name: it
            turns:
              - {}
              - {expect: {contains: Nowhere}}
              - {expect: {contains: Nowhere}}
        """
    )
    assert [failure.turn for failure in verdict.failures] == [2]


def test_a_stable_prefix_is_measured_against_the_turn_before(folder: Folder) -> None:
    (verdict,) = folder.verdicts(
        """\
          - name: it
            expect: {stable_prefix: {min_share: 1, min_tokens: 51}}
            turns:
              - {}
              - messages: [{role: user, content: "Question: What now?"}]
        """
    )
    assert said(verdict) == []


def test_a_prefix_that_changes_says_where(folder: Folder) -> None:
    (verdict,) = folder.verdicts(
        """\
          - name: it
            expect: {stable_prefix: {min_share: 0.9, min_tokens: 50}}
            turns:
              - {}
              - packs: {handbook: [Something else entirely.]}
        """
    )
    found = "11 of 51 tokens (21.6%); messages[0] differs from line 3, column 1: "
    found += "'A parcel is lost when it has not moved f' became 'Something else entirely.'"
    assert [(each.expectation, each.expected, each.found) for each in verdict.failures] == [
        ("expect.stable_prefix.min_share", "90.0%", found),
        ("expect.stable_prefix.min_tokens", "50 tokens", found),
    ]


def test_a_prefix_ends_where_a_message_is_gone(folder: Folder) -> None:
    folder.write(
        "contexts/tail.yaml",
        """\
        kind: context
        name: tail
        messages:
          - {type: user, content: First.}
          - {type: user, content: Second., when: input.second}
        """,
    )
    (verdict,) = folder.verdicts(
        """\
          - name: it
            context: tail
            inputs: {second: true}
            expect: {stable_prefix: {min_share: 0.9}}
            turns: [{}, {inputs: {second: false}}]
        """
    )
    assert (verdict.failures[0].found or "").endswith("messages[1] was removed")


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ("context: null", "the case does not name a context. Add 'context: NAME' to the case, or once under defaults."),
        ("context: suport", "unknown context: found 'suport'. Valid: inner, outer, support. Did you mean 'support'?"),
        ("packs: {hndbook: []}", "context 'support' does not query a retriever of this name: found 'hndbook'. Valid: handbook. Did you mean 'handbook'?"),
        ("history: nowhere.json", "the file does not exist: found 'nowhere.json'. Paths are relative to the file of the test."),
        ("tools: nowhere.json", "the file does not exist: found 'nowhere.json'. Paths are relative to the file of the test."),
        ("packs: {handbook: nowhere.json}", "the file does not exist: found 'nowhere.json'. Paths are relative to the file of the test."),
        ("packs: null", "the context queries 'handbook', but no answer is recorded. Record one: 'packs: {handbook: [first text, second text]}'."),
    ],
)  # fmt: skip
def test_a_case_that_cannot_be_run_says_why_at_its_place(
    folder: Folder, case: str, problem: str
) -> None:
    assert trouble(folder, case) == problem


def test_an_answer_that_is_missing_is_noticed_also_where_the_plan_skips_failures(
    folder: Folder,
) -> None:
    assert "no answer is recorded" in trouble(folder, "context: inner, packs: null")


def test_a_context_without_retrievers_is_asked_for_nothing(folder: Folder) -> None:
    folder.write("contexts/bare.yaml", "kind: context\nname: bare\nmessages: []\n")
    case = "context: bare, user_message: Hi, packs: {handbook: []}"
    assert trouble(folder, case).endswith("found 'handbook'. It does not insert any retriever.")


def test_a_case_with_an_error_of_the_engine_itself_never_stops_the_others(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("biblicus_context.golden.running.trial_run.judged", broken)
    first, second = folder.verdicts("  - {name: a}\n  - {name: b, skip: later}")
    assert first.troubles[0].text.endswith("it raised ZeroDivisionError: by nought")
    assert second.status == "skipped"


def test_tools_take_room_off_the_window_and_may_come_from_a_file(folder: Folder) -> None:
    tool = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
    folder.write("contexts/tools.json", json.dumps([tool] * 3))
    written = json.dumps([tool] * 3)
    for tools in (written, "tools.json"):
        verdict = folder.verdict(f"model: gpt-4o, tools: {tools}, expect: {{tokens: 1}}")
        assert verdict.receipt is not None
        assert verdict.receipt.tools > 20


def test_a_summarizer_and_compactors_of_python_write_what_the_case_says(folder: Folder) -> None:
    folder.write(
        "contexts/summing.yaml",
        """\
        kind: context
        name: summing
        policy: {input_budget: {max_tokens: 120}}
        messages:
          - {type: history, keep_last: 1, compactor: {type: summarize, fallback: null}}
          - {type: user, content: Go on.}
        ---
        kind: context
        name: shortening
        policy: {input_budget: {max_tokens: 60}, compactor: ours}
        messages:
          - {type: system, content: "A long text that says much more than anybody has the patience
             to read on a fine day in spring when the birds are singing and the sun is out. It goes
             on and on, and then it goes on a little more, until nobody is left.", shrink: true}
          - {type: user, content: Go on. And tell me more about the birds and the sun.}
        """,
    )
    (first, second) = folder.verdicts(
        """\
          - name: a summary
            context: summing
            history: {messages: [{role: user, content: We talked about lamps and tables.}], times: 40}
            summarizer: It was about lamps.
            expect: {contains: It was about lamps.}
          - name: a compactor
            context: shortening
            turns:
              - {compactors: {ours: In short.}, expect: {system_prompt: In short.}}
              - {compactors: {ours: Shorter.}, expect: {system_prompt: Shorter.}}
        """
    )
    assert (said(first), first.troubles) == ([], ())
    assert (said(second), second.troubles) == ([], ())


def test_an_undeclared_retriever_that_is_recorded_stands_for_one_of_python(folder: Folder) -> None:
    folder.write(
        "contexts/ours.yaml",
        "kind: context\nname: ours\nmessages: [{type: context, name: from_python}]\n",
    )
    case = "context: ours, user_message: Hi, packs: {from_python: [One.]}, expect: {contains: One.}"
    assert said(folder.verdict(case)) == []


def test_base_prompt_user_message_and_further_names_reach_the_plan(folder: Folder) -> None:
    folder.write("contexts/plain.yaml", "kind: context\nname: plain\n---\nkind: context\nname: named\nmessages: [{type: user, template: '{{ today }}'}]\n")  # fmt: skip
    case = "context: plain, base_system_prompt: Be kind., user_message: Hi"
    expect = "expect: {system_prompt: Be kind., user_message: Hi}"
    assert said(folder.verdict(f"{case}, {expect}")) == []
    names = "context: named, template_context: {today: Monday}, expect: {user_message: Monday}"
    assert said(folder.verdict(names)) == []


def test_names_of_cases_and_of_files_are_filtered_whatever_their_case(folder: Folder) -> None:
    folder.test_file("  - {name: The first}\n  - {name: the second}\n")
    report = folder.run(GoldenOptions(filter="FIRST"))
    assert [verdict.name for verdict in report.files[0].verdicts] == ["The first"]
    assert report.files[0].deselected == 1
    assert folder.run(GoldenOptions(filter="x.test.yaml")).files[0].deselected == 0
