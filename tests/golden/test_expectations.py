"""What expectations mean: each holds where it should, and says what is so where it does not."""

from __future__ import annotations

import pytest

from tests.golden.projects import Folder, said

HISTORY = "history: [{role: user, content: Hello you}, {role: assistant, content: Hello}]"
LONG = "history: {messages: [{role: user, content: What about the lamp?}], times: 30}"

HOLDS = [
    "context: support",
    "expect: {tokens: 51}",
    "expect: {tokens: {min: 51, max: 51}}",
    "expect: {tokens: {max: 90}}",
    "expect: {tokens: {min: 3}}",
    "expect: {contains: support agent}",
    "expect: {contains: [support agent, 'Question: What now?']}",
    "expect: {absent: [Gift wrapping, '{input']}",
    "expect: {order: [You are, parcel is lost, parcel takes, Question]}",
    "expect: {user_message: 'Question: What now?'}",
    "expect: {user_message: {contains: now, absent: then, order: [Q, n], equals: 'Question: What now?'}}",
    "expect: {system_prompt: {order: [You are a support agent, ten days]}}",
    "expect: {roles: [system, user]}",
    f"{HISTORY}, expect: {{history: {{kept: [0, 1, -1, -2], order: [Hello you, Hello], absent: now}}}}",
    f"{HISTORY}, expect: {{roles: [system, user, assistant, user]}}",
    f"{LONG}, expect: {{history: {{kept: [29], dropped: [0, 1]}}, parts: {{history: shortened}}}}",
    "expect: {parts: {system: kept, handbook: shortened, 'messages[1]': shortened, user: kept}}",
    "expect: {packs: {handbook: {requests: 2, query: What now?, kept: [lost, delivery], dropped: [gifts]}}}",
    "expect: {packs: {handbook: {tokens: {max: 45}, text: {order: [parcel is lost, three days]}}}}",
    "packs: {handbook: [One.]}, expect: {packs: {handbook: {text: One., kept: [handbook-1]}}}",
    "budget: 90, expect: {unused_at_most: 39}",
    "budget: 90, expect: {unused_at_most: 44%}",
    "budget: 10, expect: {error: BudgetError}",
    "budget: 10, expect: {error: ContextError}",
    "budget: 10, expect: {error: {name: BudgetError, says: [cannot shrink, its budget is 10]}}",
    "budget: 10, expect: {fits: false}",
    "context: outer, expect: {parts: {inner/system: kept, inner/handbook: kept, 'inner/messages[1]': kept}}",
    "context: outer, expect: {packs: {handbook: {text: {order: [lost, Gift], absent: [Be brief, spring]}}}}",
    "context: outer, expect: {packs: {inner: {text: {contains: [Be brief, Gift]}}, news: {requests: 1}}}",
    'context: outer, expect: {packs: {news: {text: "It is spring.\\n\\nIt is warm."}}}',
]
DOES_NOT = [
    ("expect: {tokens: 50}", "expect.tokens: there are more tokens: 50: 51"),
    ("expect: {tokens: {min: 60, max: 70}}", "expect.tokens: there are fewer tokens: at least 60 and at most 70: 51"),
    ("expect: {unused_at_most: 5}", "expect.unused_at_most: more tokens are unused: 5: 39 of 90 tokens (43.3%); pack_budget of 45 tokens left out 1 block (15 tokens) of pack 'handbook', while 39 of 90 tokens are unused. Raise pack_budget in the policy."),
    ("expect: {unused_at_most: 5%}", "expect.unused_at_most: more tokens are unused: 5%: 39 of 90 tokens (43.3%); pack_budget of 45 tokens left out 1 block (15 tokens) of pack 'handbook', while 39 of 90 tokens are unused. Raise pack_budget in the policy."),
    ("expect: {contains: suport agent}", "expect.contains: the text is not there: 'suport agent': closest: 'support agent.'"),
    ("expect: {contains: [Question, zzz]}", "expect.contains[1]: the text is not there: 'zzz'"),
    ("expect: {absent: What}", "expect.absent: the text is there: no 'What': 'at home.\\n\\nQuestion: What now?'"),
    ("expect: {order: [Question, You are]}", "expect.order[1]: the order differs: 'You are' after 'Question'"),
    ("expect: {order: [zzz, You are]}", "expect.order[0]: the text is not there: 'zzz'"),
    ("expect: {user_message: What now?}", "expect.user_message: the text differs"),
    ("expect: {user_message: {equals: ''}}", "expect.user_message.equals: the text differs"),
    ("expect: {roles: [user, system]}", "expect.roles: the roles are others"),
    ("expect: {history: {kept: [0]}}", "expect.history.kept[0]: the history has no such message: 0: no messages"),
    (f"{HISTORY}, expect: {{history: {{kept: [2]}}}}", "expect.history.kept[0]: the history has no such message: 2: 2 messages, 0 to 1"),
    (f"{HISTORY}, expect: {{history: {{dropped: [-2]}}}}", "expect.history.dropped[0]: something else became of it: message 0 is dropped: kept"),
    (f"{LONG}, expect: {{history: {{kept: [0]}}}}", "expect.history.kept[0]: something else became of it: message 0 is kept: dropped: total budget of 90 tokens is full"),
    ("expect: {parts: {handbook: kept}}", "expect.parts.handbook: something else became of it: kept: messages[1] shortened: pack budget of 45 tokens is spent"),
    ("expect: {parts: {handbok: kept}}", "expect.parts.handbok: unknown part: 'handbok': system, messages[0], handbook, messages[1], history, messages[2], user, messages[3]; did you mean 'handbook'?"),
    ("expect: {packs: {handbook: {requests: 1}}}", "expect.packs.handbook.requests: it is asked more often: 1: 2"),
    ("expect: {packs: {handbook: {requests: 3}}}", "expect.packs.handbook.requests: it is asked less: 3: 2"),
    ("expect: {packs: {handbook: {query: What?}}}", "expect.packs.handbook.query: the text differs"),
    ("expect: {packs: {handbook: {tokens: 1}}}", "expect.packs.handbook.tokens: there are more tokens: 1: 35"),
    ("expect: {packs: {handbook: {text: {absent: ten days}}}}", "expect.packs.handbook.text.absent: the text is there: no 'ten days': 't has not moved for ten days. Then we send anoth'"),
    ("expect: {packs: {handbook: {kept: [gifts]}}}", "expect.packs.handbook.kept[0]: something else became of it: 'gifts' is kept: dropped: pack budget of 45 tokens is spent"),
    ("expect: {packs: {handbook: {shortened: [lost]}}}", "expect.packs.handbook.shortened[0]: something else became of it: 'lost' is shortened: kept"),
    ("expect: {packs: {handbook: {dropped: [gift]}}}", "expect.packs.handbook.dropped[0]: unknown block: 'gift': lost, delivery, gifts; did you mean 'gifts'?"),
    ("expect: {packs: {news: {requests: 1}}}", "expect.packs.news: unknown pack: 'news': handbook"),
    ("context: inner, expect: {packs: {inner: {requests: 1}}}", "expect.packs.inner: unknown pack: 'inner': handbook"),
    ("expect: {fits: false}", "expect.fits: it fits: 51 tokens, of 90"),
    ("context: inner, expect: {fits: false}", "expect.fits: it fits: 53 tokens, no budget"),
    ("expect: {error: BudgetError}", "expect.error: it ends without an error: BudgetError: a result of 51 of 90 tokens"),
    ("expect: {error: {name: InputError}}", "expect.error: it ends without an error: InputError: a result of 51 of 90 tokens"),
]  # fmt: skip


@pytest.mark.parametrize("case", HOLDS)
def test_an_expectation_holds(folder: Folder, case: str) -> None:
    verdict = folder.verdict(case)
    assert said(verdict) == []
    assert verdict.status == "passed"


@pytest.mark.parametrize(("case", "expected"), DOES_NOT)
def test_an_expectation_that_does_not_hold_says_what_is_so(
    folder: Folder, case: str, expected: str
) -> None:
    verdict = folder.verdict(case)
    assert said(verdict) == [expected]
    assert verdict.status == "failed"
    assert verdict.receipt is not None


def test_an_error_that_nobody_expects_is_a_failure_with_the_receipt(folder: Folder) -> None:
    verdict = folder.verdict("budget: 10, expect: {contains: x}")
    (failure,) = verdict.failures
    assert failure.problem == "it ends with an error"
    assert (failure.found or "").startswith("BudgetError: context 'support' needs")
    assert verdict.receipt is not None
    assert verdict.receipt.over > 0


def test_another_error_than_the_expected_one_is_told_with_its_message(folder: Folder) -> None:
    expect = "expect: {error: {name: InputError, says: [a handkerchief, budget]}}"
    verdict = folder.verdict(f"budget: 10, {expect}")
    assert [(each.expectation, each.problem) for each in verdict.failures] == [
        ("expect.error.name", "the error is another one"),
        ("expect.error.says[0]", "the text is not there"),
    ]
    by_class = folder.verdict("budget: 10, expect: {error: InputError}")
    assert [each.expectation for each in by_class.failures] == ["expect.error"]


def test_a_text_that_is_another_one_is_shown_as_a_difference(folder: Folder) -> None:
    verdict = folder.verdict("expect: {user_message: 'Question: What then?'}")
    assert verdict.failures[0].diff == ("-Question: What then?", "+Question: What now?")


def test_several_mistakes_are_told_in_the_order_of_their_lines(folder: Folder) -> None:
    (verdict,) = folder.verdicts(
        """\
          - name: it
            expect:
              packs: {handbook: {requests: 5}}
              roles: [user]
              tokens: 3
        """
    )
    assert [each.expectation for each in verdict.failures] == [
        "expect.packs.handbook.requests",
        "expect.roles",
        "expect.tokens",
    ]
    lines = [each.line for each in verdict.failures]
    assert lines == sorted(set(lines))


def test_a_context_over_its_budget_on_purpose_has_to_say_so(folder: Folder) -> None:
    folder.write(
        "contexts/loose.yaml",
        """\
        kind: context
        name: loose
        policy: {input_budget: {max_tokens: 1}, overflow: none}
        messages: [{type: user, content: Much more than one token.}]
        """,
    )
    assert said(folder.verdict("context: loose")) == [
        "expect.fits: it does not fit: 6 tokens, of 1"
    ]
    assert folder.verdict("context: loose, expect: {fits: false}").status == "passed"


def test_a_part_called_by_its_role_stands_for_all_of_that_role(folder: Folder) -> None:
    folder.write(
        "contexts/guarded.yaml",
        """\
        kind: context
        name: guarded
        messages:
          - {type: user, content: One., when: input.yes}
          - {type: user, content: Two.}
        """,
    )
    inputs = "context: guarded, inputs: {yes: false}"
    assert folder.verdict(f"{inputs}, expect: {{parts: {{user: kept}}}}").status == "failed"
    assert (
        folder.verdict(f"{inputs}, expect: {{parts: {{'messages[1]': kept}}}}").status == "passed"
    )


def test_tool_calls_and_content_in_parts_are_part_of_what_messages_say(folder: Folder) -> None:
    messages = (
        "[{role: user, content: [{type: text, text: Look at this}]}, "
        "{role: assistant, content: null, tool_calls: [{id: c1, function: {name: search}}]}, "
        "{role: tool, tool_call_id: c1, content: Nothing}]"
    )
    expect = "expect: {contains: [Look at this, search, Nothing], history: {kept: [0, 1, 2]}}"
    assert said(folder.verdict(f"budget: 200, history: {messages}, {expect}")) == []


def test_a_pack_is_found_however_deeply_it_is_nested(folder: Folder) -> None:
    folder.write(
        "contexts/deep.yaml",
        """\
        kind: context
        name: deep
        messages: [{type: context, name: outer}]
        """,
    )
    expect = "{text: {contains: Gift, absent: spring}, requests: 1, kept: [gifts]}"
    parts = "{outer/inner/handbook: kept}"
    case = f"context: deep, expect: {{packs: {{handbook: {expect}}}, parts: {parts}}}"
    assert said(folder.verdict(f"{case}, user_message: Hi")) == []


def test_a_block_cut_to_what_is_left_is_a_shortened_one(folder: Folder) -> None:
    packs = "packs: {handbook: [" + "A parcel is lost when it has not moved. " * 12 + "]}"
    expect = "expect: {packs: {handbook: {shortened: [handbook-1]}}, parts: {handbook: kept}}"
    (line,) = said(folder.verdict(f"{packs}, {expect}"))
    assert line.endswith("kept: messages[1] shortened: pack budget of 45 tokens is spent")


def test_a_long_text_that_is_not_there_is_told_without_its_middle(folder: Folder) -> None:
    verdict = folder.verdict(f"expect: {{contains: {'a parcel of lamps ' * 30}}}")
    assert " [...] " in (verdict.failures[0].expected or "")
    assert len(verdict.failures[0].expected or "") < 200


def test_a_pack_placed_twice_is_judged_as_a_whole(folder: Folder) -> None:
    folder.write(
        "contexts/twice.yaml",
        """\
        kind: context
        name: twice
        messages: [{type: context, name: news}, {type: context, name: news}]
        """,
    )
    expect = "expect: {packs: {news: {requests: 2, kept: [news-1], text: {contains: warm}}}}"
    assert said(folder.verdict(f"context: twice, user_message: Hi, {expect}")) == []
