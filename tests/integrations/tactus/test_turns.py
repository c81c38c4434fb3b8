"""An agent's turns are assembled by this engine: its plan, its history, its own prompt."""

from __future__ import annotations

import pytest

from biblicus_context import ContextAssembler, ContextAssemblyResult
from biblicus_context.integrations.tactus import Engine, install, installed
from tests.integrations.tactus.procedures import AGENT, asking, sent_as

PLAN = """
support_context = Context {
  messages = {
    system("You answer {input.message} with care. {not_a_name} stays."),
    history(),
    user(template("Question: {input.question}{sign}", {sign = "!"}))
  }
}
"""


def test_three_turns_are_sent_as_this_engine_assembles_them(play):
    results: list[ContextAssemblyResult] = []
    with installed(on_assembled=results.append):
        ran = play(
            PLAN + AGENT + asking("One?", "Two?", "Three?"), answers=["First.", "Second.", "Third."]
        )
    assert ran.success, ran.error
    assert ran.result == "Third."
    assert ran.sent == [sent_as(result) for result in results]
    assert ran.sent[2] == [
        {"role": "system", "content": "You answer Three? with care. {not_a_name} stays."},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "Two?"},
        {"role": "assistant", "content": "Second."},
        {"role": "user", "content": "Question: Three?!"},
    ]


def test_without_it_tactus_sends_something_else(play):
    ran = play(PLAN + AGENT + asking("One?"))
    assert ran.success, ran.error
    assert ran.sent[0][0]["content"] == (
        "You answer {input.message} with care. {not_a_name} stays."
    )


def test_a_context_is_looked_up_by_the_name_that_lua_gives_it(play):
    install()
    plan = 'support_context = Context { messages = { user("{input.message}") } }\n'
    ran = play(plan + AGENT + asking("One?"))
    assert ran.sent == [[{"role": "user", "content": "One?"}]]


def test_a_mistake_names_the_context_as_lua_does_not_by_its_temporary_name(play):
    install()
    plan = 'support_context = Context { messages = { context("nowhere") } }\n'
    ran = play(plan + AGENT + asking("One?"))
    assert not ran.success
    assert "context 'support_context': Context pack 'nowhere' is not available" in ran.error


def test_a_context_without_messages_is_the_agents_prompt_the_history_and_the_message(play):
    install()
    ran = play("support_context = Context {}\n" + AGENT + asking("One?", "Two?"))
    assert ran.sent[1] == [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Two?"},
    ]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("{base_system_prompt}", True),
        ("Be brief.\\n\\n{base_system_prompt}", True),
        ("Be brief.", False),
    ],
)
def test_the_fields_of_the_answer_are_told_where_the_plan_places_the_agents_prompt(
    play, system: str, expected: bool
):
    install()
    plan = f'support_context = Context {{ messages = {{ system("{system}"), user("x") }} }}\n'
    agent = AGENT.replace("context =", "output = { days = field.number{required=true} }, context =")
    ran = play(plan + agent + asking("One?"), answers=['{"days": 30}'])
    assert ran.success, ran.error
    prompt = ran.sent[0][0]["content"]
    assert ("You are Ada." in prompt) is expected
    assert ("- days (number, required)" in prompt) is expected


def test_braces_in_the_agents_prompt_are_no_placeholders(play):
    install()
    plan = 'support_context = Context { messages = { system("{base_system_prompt}") } }\n'
    agent = AGENT.replace("You are Ada.", 'Answer {\\"a\\": 1} to {input .message}')
    ran = play(plan + agent + asking("One?"))
    assert ran.sent[0][0]["content"] == 'Answer {"a": 1} to {input .message}'


def test_tables_of_lua_among_the_inputs_are_values_for_a_plan(play):
    install()
    plan = (
        'support_context = Context { messages = { user("{input.order.id} {input.order.rows}") } }\n'
    )
    call = 'support({message = "x", order = {id = 7, rows = {"a", "b"}}})'
    procedure = f"Procedure {{ function(input)\n  return {call}.output\nend }}\n"
    ran = play(plan + AGENT + procedure)
    assert ran.success, ran.error
    assert ran.sent[0][0]["content"] == '7 ["a","b"]'


def test_what_is_no_table_of_lua_stays_what_it_is():
    plan = {"messages": [{"type": "user", "content": "{input.a} {input.b} {input.c} {input.d}"}]}
    inputs = {"a": None, "b": {}, "c": [1], "d": "x"}
    turn = Engine().for_registries({"chat": plan})
    made = turn.assemble("chat", "", [], None, {"input": inputs})
    expected = ContextAssembler({"chat": plan}).assemble("chat", inputs=inputs)
    assert made.user_message == expected.user_message
    assert inputs == {"a": None, "b": {}, "c": [1], "d": "x"}


def test_a_note_for_the_agent_in_the_middle_of_a_history_stays_where_it_is(play):
    install()
    plan = 'support_context = Context { messages = { history(), user("{input.message}") } }\n'
    procedure = """
Procedure { function(input)
  support({message = "One?"})
  support.history:add({role = "system", content = "Mind the strike."})
  return support({message = "Two?"}).output
end }
"""
    ran = play(plan + AGENT + procedure)
    assert ran.success, ran.error
    assert ran.sent[1][2] == {"role": "system", "content": "Mind the strike."}
