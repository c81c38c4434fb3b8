"""Rules about budgets agree with the engine about sizes, and about settings without effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import assume, given

from biblicus_context import BudgetError, ContextAssembler, PlanError
from tests.assembly.fakes import Shelf, words
from tests.assembly.strategies import Case, cases
from tests.lint.rules.harness import assembler_of, codes, fewer, rule_named, violations
from tests.lint.rules.snippets import EVIDENCE, KB, NEWS, QUESTION, STYLE, context

SMALL = "{input_budget: {max_tokens: 20}}"
LARGE = "{input_budget: {max_tokens: 4000}}"
SHARED = "{input_budget: {max_tokens: 4000}, pack_budget: {default_ratio: 0.5}}"


def found(code: str, text: str) -> list[int]:
    """The lines on which a rule reports a finding."""
    return [violation.place.line for violation in violations(rule_named(code), text)]


def problem(code: str, text: str) -> str:
    """The problem of the only finding of a rule."""
    (violation,) = violations(rule_named(code), text)
    return violation.problem


class TestPinnedText:
    @pytest.mark.parametrize("framing", ["none", "openai"])
    @pytest.mark.parametrize("limit", range(8, 40, 3))
    def test_the_figures_are_those_of_the_engine(self, limit: int, framing: str):
        text = context(
            '{type: system, content: "You answer for {input.product}, and for nobody else."}',
            "{type: user, content: Where is my parcel?}",
            "{type: assistant, content: On its way.}",
            QUESTION,
            policy=f"{{input_budget: {{max_tokens: {limit}}}, framing: {framing}}}",
        )
        refusal = None
        try:
            assembler_of(text).assemble("main", inputs={"product": "", "question": ""})
        except BudgetError as error:
            refusal = (error.needed, error.budget)
        said = [violation.problem for violation in violations(rule_named("BC301"), text)]
        figures = [
            re.findall(r"(\d+) tokens, but the input budget is (\d+)", each) for each in said
        ]
        assert figures == ([[tuple(map(str, refusal))]] if refusal else [])

    @pytest.mark.parametrize(
        ("message", "lines"),
        [
            (f"{{type: system, content: {words(30)}}}", [5]),
            (f"{{type: system, content: {words(30)}, shrink: true}}", []),
            (f"{{type: system, content: {words(30)}, when: input.long}}", []),
            (f"{{type: system, template: '{{% if input.a %}}{words(30)}{{% endif %}}'}}", []),
            (f"{{type: system, template: '{words(30)}{{{{ input.a }}}}'}}", [5]),
            ("{type: system, base: true}", []),
            (f"first: [{words(30)}, {words(25)}]", [5]),
            (f"first: [{words(30)}, left out]", []),
            (f"{{first: [{words(30)}, {words(25)}], when: input.long}}", []),
            (f"first: [{words(30)}, {{type: context, name: kb}}]", []),
            (f"{{type: user, content: '{{long}}', vars: {{long: {words(30)}}}}}", [5]),
        ],
    )
    def test_only_text_that_every_call_places_and_that_cannot_shrink_counts(self, message, lines):
        assert found("BC301", context(message, policy=SMALL) + KB) == lines

    @pytest.mark.parametrize("limit", range(16, 40, 2))
    def test_formats_around_nested_contexts_and_alternatives_in_them_count(self, limit: int):
        inner = context("{type: user, content: Always}", f"{{first: [{words(20)}, {words(8)}]}}")
        text = context(
            "{type: system, content: One}",
            "{type: context, name: inner, title: Two words, format: {footer: ' The end.'}}",
            policy=f"{{input_budget: {{max_tokens: {limit}}}}}",
        )
        text += "---\n" + inner.replace("name: main", "name: inner")
        refused = False
        try:
            assembler_of(text).assemble("main")
        except BudgetError:
            refused = True
        assert bool(found("BC301", text) or found("BC320", text)) == refused

    def test_nothing_shrinks_on_overflow_error_and_nothing_has_to_on_none(self):
        message = f"{{type: system, content: {words(30)}, shrink: true}}"
        policy = "{input_budget: {max_tokens: 20}, overflow: %s}"
        assert found("BC301", context(message, policy=policy % "error")) == [5]
        assert found("BC301", context(message, policy=policy % "none")) == []

    @fewer
    @given(cases(overflow=(None, "compact", "error")))
    def test_it_is_reported_exactly_when_no_call_can_succeed(self, case: Case):
        """With nothing handed in and nothing found, only what is always placed is left."""
        assume(case.budget > 3)  # below, the framing of no message at all is too much
        registries, call = _bare(case)
        text = _written(registries)
        refused = False
        try:
            ContextAssembler(**registries).assemble(**call)
        except BudgetError:
            refused = True
        rules = (rule_named("BC301"), rule_named("BC320"))
        assert bool(codes(text, *rules)) == refused


def _bare(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """A generated case without evidence, inputs, history and messages of the caller."""
    given_contexts = case.registries["context_registry"]
    bare = {name: _without_packs(fields) for name, fields in given_contexts.items()}
    main = bare["main"]
    main["policy"] = {**main["policy"], "compactor": "truncate"}
    if "policy" in bare["inner"]:
        bare["inner"]["policy"] = {**bare["inner"]["policy"], "compactor": "truncate"}
    reached = [*_inserted("main", bare)]
    known = {name: bare[name] for name in dict.fromkeys(reached)}
    return {"context_registry": known}, {"context_name": "main", "inputs": {"q": ""}}


def _inserted(name: str, contexts: dict[str, Any]) -> Iterator[str]:
    """A context and those inside it."""
    yield name
    for each in contexts[name]["messages"]:
        if "name" in each:
            yield from _inserted(each["name"], contexts)


def _without_packs(fields: dict[str, Any]) -> dict[str, Any]:
    """A context with nested contexts as its only packs."""
    nested = ("inner", "innermost")
    return {
        **{key: value for key, value in fields.items() if key != "packs"},
        "messages": [
            _readable(each)
            for each in (
                *fields.get("messages", ()),
                *({"type": "context", **pack} for pack in fields.get("packs", ())),
            )
            if each.get("name", "inner") in nested
        ],
    }


def _readable(directive: dict[str, Any]) -> dict[str, Any]:
    """Texts as a file may hold them, without what is written only where there is nothing else."""
    return {
        key: [_clean(each) for each in value]
        if key == "first"
        else {**value, "empty": None}
        if key == "format"
        else _clean(value)
        if isinstance(value, str)
        else value
        for key, value in directive.items()
        if key != "compactor"
    }


def _clean(text: str) -> str:
    return re.sub(r"[\x00-\x08\ud800\u202e]", "", text)


def _written(registries: dict[str, Any]) -> str:
    return "---\n".join(
        yaml.safe_dump({"kind": "context", "name": name, **fields}, allow_unicode=True)
        for name, fields in registries["context_registry"].items()
    )


class TestRatios:
    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{input_budget: {ratio: 0.5}}", [3]),
            ("{pack_budget: {default_ratio: 0.5}}", [3]),
            ("{window: 100, input_budget: {ratio: 0.5}}", []),
            ("{model: gpt-4o, pack_budget: {default_ratio: 0.5}}", []),
            ("{model: no-such-model, input_budget: {ratio: 0.5}}", []),
        ],
    )
    def test_an_unresolvable_ratio_is_reported_where_the_engine_rejects_it(self, policy, lines):
        text = context(QUESTION, policy=policy)
        assert found("BC305", text) == lines
        if lines:
            with pytest.raises(PlanError, match="ratio needs"):
                assembler_of(text).assemble("main", inputs={"question": "?"})

    def test_budgets_of_directives_need_an_input_budget_too(self):
        text = context(
            "{type: context, name: kb, budget: {ratio: 0.5}}",
            "{type: history, budget: {ratio: 0.5}}",
            QUESTION,
        )
        assert found("BC305", text + KB) == [4, 5]
        assert found("BC303", text + KB) == []
        assert found("BC305", context(QUESTION, policy=LARGE) + KB) == []
        with pytest.raises(PlanError, match="a ratio needs an input budget"):
            assembler_of(text + KB).assemble("main", inputs={"question": "?"})

    def test_the_ratio_of_a_nested_context_refers_to_its_share(self):
        inner = context(EVIDENCE, policy="{pack_budget: {default_ratio: 0.5}}", name="inner")
        outer = context("{type: context, name: inner}", QUESTION, policy=SHARED)
        assert found("BC305", f"{outer}---\n{inner}{KB}") == []
        assert found("BC305", inner + KB) == [3]

    def test_a_policy_that_no_called_context_uses_is_not_reported(self):
        policy = "kind: policy\nname: half\ninput_budget: {ratio: 0.5}\n"
        assert found("BC305", policy) == []
        assert found("BC305", f"{policy}---\n{context(QUESTION, policy='half')}") == [3]

    @pytest.mark.parametrize(
        ("ratio", "advice"),
        [(80, "Write 0.8 for 80 %."), (1.5, "Write a number"), (500, "Write a number")],
    )
    def test_a_ratio_above_one_is_usually_a_percentage(self, ratio: float, advice: str):
        text = context(
            f"{{type: history, budget: {{ratio: {ratio}}}}}",
            f"{{type: context, name: kb, budget: {{ratio: {ratio}}}}}",
            policy=f"{{window: 10, input_budget: {{ratio: {ratio}}}, "
            f"pack_budget: {{default_ratio: {ratio}}}}}",
        )
        said = violations(rule_named("BC310"), text + KB)
        assert [violation.place.line for violation in said] == [3, 3, 5, 6]
        assert all(str(violation.advice).startswith(advice) for violation in said)


class TestParts:
    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{window: 100, input_budget: {max_tokens: 101}}", [3]),
            ("{window: 100, reserve: {output_tokens: 1}, input_budget: {max_tokens: 100}}", [3]),
            ("{window: 100, input_budget: {max_tokens: 100}}", []),
            ("{input_budget: {max_tokens: 100}, pack_budget: {default_max_tokens: 101}}", [3]),
            ("{pack_budget: {default_max_tokens: 101}}", []),
        ],
    )
    def test_a_budget_does_not_exceed_its_limit(self, policy, lines):
        assert found("BC310", context(EVIDENCE, QUESTION, policy=policy) + KB) == lines

    @pytest.mark.parametrize(("budget", "lines"), [(100, []), (101, [5])])
    def test_a_budget_that_flowing_tokens_can_never_fill_is_reported(self, budget, lines):
        text = context(
            f"{{type: context, name: kb, budget: {{max_tokens: {budget}}}}}",
            "{type: context, name: news, budget: {max_tokens: 40}}",
            QUESTION,
            policy="{input_budget: {max_tokens: 400}, pack_budget: {default_max_tokens: 100}}",
        )
        assert found("BC304", text + KB + NEWS) == lines
        if lines:
            assert problem("BC304", text + KB + NEWS) == (
                "the budget of pack 'kb' is 101 tokens, but it can get at most 100"
            )

    def test_texts_of_other_packs_are_taken_off_what_a_pack_can_get(self):
        text = context(
            "{type: context, name: kb, budget: {max_tokens: 99}}",
            "{type: context, name: style}",
            QUESTION,
            policy="{counter: whitespace, pack_budget: {default_max_tokens: 100}}",
        )
        assert problem("BC304", text + KB + STYLE).endswith("but it can get at most 89")

    def test_where_nothing_divides_the_input_the_budgets_of_packs_add_up(self):
        messages = [
            f"{{type: context, name: {name}, budget: {{max_tokens: 60}}{more}}}"
            for name, more in (("kb", ""), ("news", ""))
        ]
        policy = "{input_budget: {max_tokens: 100}, overflow: none}"
        assert found("BC304", context(*messages, policy=policy) + KB + NEWS) == [6]
        divided = "{input_budget: {max_tokens: 100}}"
        assert found("BC304", context(*messages, policy=divided) + KB + NEWS) == []
        assert found("BC304", context(messages[0], policy=policy) + KB) == []
        assert found("BC304", context(*messages) + KB + NEWS) == []

    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{pack_budget: {default_max_tokens: 1}}", [5, 6]),
            ("{pack_budget: {default_max_tokens: 23}}", [6]),
            ("{pack_budget: {default_max_tokens: 24}}", []),
            ("{input_budget: {max_tokens: 10}, pack_budget: {default_ratio: 0.05}}", [5, 6]),
            ("{}", []),
        ],
    )
    def test_a_share_that_is_too_small_is_reported(self, policy, lines):
        text = context(EVIDENCE, "{type: context, name: news}", QUESTION, policy=policy)
        assert found("BC303", text + KB + NEWS) == lines

    def test_a_conditional_pack_shares_with_the_unconditional_ones(self):
        text = context(
            EVIDENCE,
            "{type: context, name: news, when: input.a}",
            "{type: context, name: news, when: not input.a}",
            policy="{pack_budget: {default_max_tokens: 24}}",
        )
        assert found("BC303", text + KB + NEWS) == []

    def test_the_own_budget_of_a_pack_can_be_too_small(self):
        text = context("{type: context, name: kb, budget: {max_tokens: 3}}", policy=SHARED)
        (violation,) = violations(rule_named("BC303"), text + KB)
        assert violation.advice == "Raise the budget of the pack."


class TestMinimums:
    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{pack_budget: {default_max_tokens: 99}}", [6]),
            ("{pack_budget: {default_max_tokens: 100}}", []),
            ("{input_budget: {max_tokens: 99}}", [6]),
            ("{input_budget: {max_tokens: 99}, overflow: none}", []),
            ("{}", []),
        ],
    )
    def test_minimums_that_do_not_fit_together_are_reported(self, policy: str, lines: list[int]):
        text = context(
            "{type: context, name: kb, budget: {min_tokens: 60}}",
            "{type: context, name: news, budget: {min_tokens: 40}}",
            QUESTION,
            policy=policy,
        )
        assert found("BC321", text + KB + NEWS) == lines

    def test_texts_of_inserted_contexts_count_and_conditional_packs_do_not(self):
        text = context(
            "{type: context, name: style}",
            "{type: context, name: news, when: input.a, budget: {min_tokens: 40}}",
            "{type: context, name: kb, budget: {min_tokens: 60}}",
            policy="{counter: whitespace, pack_budget: {default_max_tokens: %d}}",
        )
        assert found("BC321", text % 70 + KB + NEWS + STYLE) == [7]
        assert found("BC321", text % 71 + KB + NEWS + STYLE) == []

    def test_a_minimum_over_the_ratio_of_its_pack_is_reported(self):
        text = context(
            "{type: context, name: kb, budget: {min_tokens: 60, ratio: 0.5}}",
            policy="{input_budget: {max_tokens: 100}}",
        )
        assert problem("BC321", text + KB) == (
            "min_tokens is 60, but the pack can get at most 50 by its own budget"
        )


TIGHT = "{input_budget: {max_tokens: 100}, pack_budget: {default_max_tokens: 5}}"


class TestNested:
    @pytest.mark.parametrize(
        ("option", "policy", "problem_found"),
        [
            ("", TIGHT, "has 11 tokens, but the pack budget is 5"),
            (", pin: true", TIGHT, "has 11 tokens, but the pack budget is 5"),
            (", budget: {max_tokens: 9}", LARGE, "has 11 tokens, but its budget is 9"),
            (", when: input.a", TIGHT, None),
            ("", "{pack_budget: {default_max_tokens: 11}}", None),
            ("", TIGHT.replace("}}", "}, overflow: error}"), "but the pack budget is 5"),
            ("", TIGHT.replace("}}", "}, overflow: none}"), None),
        ],
    )
    def test_nested_text_that_cannot_fit_is_reported_where_every_call_fails(
        self, option: str, policy: str, problem_found: str | None
    ):
        policy = policy.replace("{", "{counter: whitespace, ", 1)
        text = context(f"{{type: context, name: style{option}}}", QUESTION, policy=policy) + STYLE
        if problem_found is None:
            assert found("BC320", text) == []
            assembler_of(text).assemble("main", inputs={"question": "?", "a": 0})
        else:
            assert problem("BC320", text).endswith(problem_found)
            with pytest.raises(BudgetError, match="cannot shrink"):
                assembler_of(text).assemble("main", inputs={"question": "?"})

    def test_text_that_may_shrink_or_is_conditional_does_not_count(self):
        outer = context("{type: context, name: inner}", QUESTION, policy=TIGHT)
        inner = context(
            f"{{type: system, content: {words(9)}, shrink: true}}",
            f"{{type: system, content: {words(9)}, when: input.a}}",
            name="inner",
        )
        assert codes(f"{outer}---\n{inner}", rule_named("BC320"), rule_named("BC301")) == []

    def test_texts_of_several_packs_and_of_all_depths_count_together(self):
        outer = context(
            "{type: context, name: inner}",
            "{type: context, name: style}",
            policy="{counter: whitespace, pack_budget: {default_max_tokens: 24}}",
        )
        inner = context(
            "{type: system, content: one two three}",
            "{type: context, name: style}",
            name="inner",
        )
        said = problem("BC320", f"{outer}---\n{inner}{STYLE}")
        assert said == (
            "the text of context 'style' has 11 tokens next to 14 of the packs before it, "
            "but the pack budget is 24"
        )
        fits = outer.replace("24", "25")
        assert found("BC320", f"{fits}---\n{inner}{STYLE}") == []

    def test_a_nested_budget_smaller_than_its_own_text_is_reported(self):
        outer = context("{type: context, name: inner}", QUESTION, policy=LARGE)
        inner = context(f"{{type: system, content: {words(30)}}}", policy=SMALL, name="inner")
        assert found("BC320", f"{outer}---\n{inner}") == [5]

    def test_nested_text_larger_than_the_input_budget_is_reported_with_that_of_the_plan(self):
        outer = context("{type: context, name: inner}", QUESTION, policy=SMALL)
        inner = context(f"{{type: system, content: {words(30)}}}", name="inner")
        assert found("BC301", f"{outer}---\n{inner}") == [5]

    def test_a_share_is_too_small_only_for_what_texts_leave_of_it(self):
        policy = "{counter: whitespace, pack_budget: {default_max_tokens: %d}}"
        text = context("{type: context, name: style}", policy=policy % 11) + STYLE
        assert found("BC303", text) == []
        inner = context(f"{{type: system, content: {words(9)}}}", EVIDENCE, name="inner")
        outer = context("{type: context, name: inner}", policy=policy % 20)
        assert "of which its own texts leave 11 for evidence" in problem(
            "BC303", f"{outer}---\n{inner}{KB}"
        )


SHRINKING = '{type: system, content: "Hints that are nice.", shrink: true}'


class TestWithoutEffect:
    """Settings that these rules report as ineffective change nothing, whatever the retriever returns."""

    @pytest.mark.parametrize(
        ("code", "with_it", "without_it"),
        [
            ("BC306", ["{type: history, pin: true, %s}"], ["{type: history, pin: true}"]),
        ],
    )
    @pytest.mark.parametrize(
        "option",
        [
            *("keep_last: 2", "max_turns: 1", "max_turns: 0", "start_on: user"),
            *("budget: {max_tokens: 2}", "compactor: truncate"),
        ],
    )
    def test_limits_of_a_pinned_history(self, code, with_it, without_it, option):
        one = context(with_it[0] % option, QUESTION, policy=LARGE)
        other = context(without_it[0], QUESTION, policy=LARGE)
        assert found(code, one) == [5]
        assert found(code, other) == []
        history = [{"role": "assistant", "content": f"turn {n}"} for n in range(9)]
        call = {"inputs": {"question": "?"}, "history": history}
        results = [assembler_of(text).assemble("main", **call) for text in (one, other)]
        assert results[0].messages == results[1].messages

    @pytest.mark.parametrize(
        ("code", "policy", "lines"),
        [
            ("BC308", "{overflow: error, max_iterations: 4}", [3]),
            ("BC308", "{overflow: none, max_iterations: 4}", [3]),
            ("BC308", "{max_iterations: 4}", [3]),
            ("BC308", "{pack_budget: {default_max_tokens: 30}, max_iterations: 4}", []),
            ("BC307", "{expansion: {max_pages: 1, min_fill_ratio: 0.5}}", [3]),
            ("BC307", "{expansion: {min_fill_ratio: 0.5}}", [3]),
            ("BC307", "{expansion: {max_pages: 3}}", [3]),
            ("BC307", "{expansion: {max_pages: 3}, input_budget: {max_tokens: 90}}", []),
            (
                "BC307",
                "{expansion: {max_pages: 3}, input_budget: {max_tokens: 90}, overflow: none}",
                [3],
            ),
            (
                "BC307",
                "{expansion: {max_pages: 3, min_fill_ratio: 0}, "
                "pack_budget: {default_max_tokens: 30}}",
                [3],
            ),
            ("BC307", "{expansion: {max_pages: 3}, pack_budget: {default_max_tokens: 30}}", []),
            ("BC309", "{compactor: tail, overflow: error}", [3]),
            ("BC309", "{compactor: tail, overflow: none}", [3]),
            ("BC309", "{compactor: tail}", [3]),
            ("BC309", "{compactor: tail, pack_budget: {default_max_tokens: 30}}", []),
        ],
    )
    def test_settings_of_a_policy(self, code: str, policy: str, lines: list[int]):
        text = context(EVIDENCE, QUESTION, policy=policy) + KB
        assert found(code, text) == lines
        shelf = Shelf([words(n) for n in (3, 9, 20, 40, 5, 2)])
        bare = re.sub(r"(max_iterations: 4|expansion: \{[^}]*\}|compactor: \w+)(, )?", "", policy)
        results = []
        for each in (policy, bare):
            case = context(EVIDENCE, QUESTION, policy=each) + KB
            try:
                result = assembler_of(case, shelf).assemble("main", inputs={"question": "?"})
                results.append(result.messages)
            except BudgetError as error:
                results.append(str(error))
        assert (results[0] == results[1]) or not lines

    def test_a_policy_file_is_checked_with_the_contexts_that_use_it(self):
        policy = "kind: policy\nname: p\nexpansion: {max_pages: 2}\nmax_iterations: 3\n---\n"
        plain = context(EVIDENCE, policy="p") + KB
        capped = context("{type: context, name: kb, budget: {max_tokens: 50}}", policy="p") + KB
        assert found("BC307", policy + plain) == [3]
        assert found("BC308", policy + plain) == [4]
        assert found("BC307", policy + capped) == []
        assert found("BC307", policy + context(QUESTION, policy="p")) == []

    def test_a_nested_context_may_divide_its_share(self):
        outer = context("{type: context, name: inner}", policy="{expansion: {max_pages: 2}}")
        inner = context(EVIDENCE, name="inner", policy="{input_budget: {max_tokens: 90}}")
        assert found("BC307", f"{outer}---\n{inner}{KB}") == []
        assert found("BC307", f"{outer}---\n{context(EVIDENCE, name='inner')}{KB}") == [3]

    def test_a_nested_context_has_a_share_of_the_outer_one(self):
        outer = context("{type: context, name: inner}", policy=SHARED)
        inner = context(EVIDENCE, name="inner", policy="{expansion: {max_pages: 2}}")
        assert found("BC307", f"{outer}---\n{inner}{KB}") == []

    def test_paging_and_retries_need_a_retriever(self):
        policy = (
            "{input_budget: {max_tokens: 90}, pack_budget: {default_ratio: 0.5}, "
            "expansion: {max_pages: 2}, max_iterations: 3}"
        )
        text = context("{type: context, name: style}", QUESTION, policy=policy) + STYLE
        assert found("BC307", text) == [3]
        assert found("BC308", text) == [3]

    def test_a_compactor_needs_packs_or_shrinking_texts(self):
        policy = "{input_budget: {max_tokens: 90}, compactor: tail}"
        assert found("BC309", context("{type: history}", QUESTION, policy=policy)) == [3]
        assert found("BC309", context(SHRINKING, QUESTION, policy=policy)) == []
        assert found("BC309", context(EVIDENCE, QUESTION, policy=policy) + KB) == []
        pinned = "{type: context, name: kb, pin: true}"
        assert found("BC309", context(pinned, QUESTION, policy=policy) + KB) == [3]

    def test_a_nested_context_may_use_the_compactor_of_the_outer_one(self):
        outer = context("{type: context, name: inner}", policy="{overflow: none, compactor: tail}")
        inner = context(EVIDENCE, name="inner", policy="{overflow: compact}")
        assert found("BC309", f"{outer}---\n{inner}{KB}") == []
        assert found("BC309", f"{outer}---\n{context(EVIDENCE, name='inner')}{KB}") == [3]

    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            (LARGE, []),
            ("{input_budget: {max_tokens: 90}, overflow: error}", [5]),
            ("{overflow: compact}", [5]),
            ("{input_budget: {ratio: 0.5}}", []),
        ],
    )
    def test_the_compactor_of_a_history_needs_dropped_turns(self, policy, lines):
        text = context("{type: history, compactor: tail}", QUESTION, policy=policy)
        assert found("BC309", text) == lines

    @pytest.mark.parametrize(
        ("policy", "lines"),
        [(LARGE, []), ("{overflow: none}", [5]), ("{compactor: tail}", [5])],
    )
    def test_a_text_shrinks_only_to_keep_a_budget(self, policy, lines):
        assert found("BC312", context(SHRINKING, QUESTION, policy=policy)) == lines

    def test_a_text_of_a_nested_context_may_always_shrink(self):
        outer = context("{type: context, name: inner}", QUESTION)
        inner = context(SHRINKING, name="inner", policy="{compactor: tail}")
        assert found("BC312", f"{outer}---\n{inner}") == []
        assert found("BC312", inner) == [5]


class TestHistory:
    @pytest.mark.parametrize(
        ("options", "lines"),
        [
            ("keep_last: 5, max_turns: 3", [5]),
            ("keep_last: 3, max_turns: 3", []),
            ("max_turns: 0", [5]),
            ("keep_last: 9, budget: {max_tokens: 8}", [5]),
            ("keep_last: 9, budget: {max_tokens: 9}", []),
            ("keep_last: 5, max_turns: 3, pin: true", []),
        ],
    )
    def test_contradictory_limits_are_reported(self, options, lines):
        text = context(f"{{type: history, {options}}}", QUESTION, policy=LARGE)
        assert found("BC311", text) == lines

    def test_an_unresolvable_ratio_is_left_to_its_own_rule(self):
        text = context("{type: history, keep_last: 9, budget: {ratio: 0.1}}", QUESTION)
        assert found("BC311", text) == []

    def test_a_fix_does_not_hide_an_unresolvable_ratio(self):
        text = context("{type: history, pin: true, budget: {ratio: 0.1}, max_turns: 2}")
        assert [bool(violation.edits) for violation in violations(rule_named("BC306"), text)] == [
            False,
            True,
        ]


class TestReserve:
    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{window: 100, reserve: {output_tokens: 100}}", [3]),
            ("{window: 100, reserve: {output_tokens: 99}}", []),
            ("{model: gpt-4o, reserve: {output_tokens: 999999}}", [3]),
            ("{model: nobody-knows, reserve: {output_tokens: 999999}}", []),
        ],
    )
    def test_a_reserve_leaves_tokens_for_the_input(self, policy, lines):
        text = context(QUESTION, policy=policy)
        assert found("BC302", text) == lines
        if lines:
            with pytest.raises(BudgetError, match="leaves nothing"):
                assembler_of(text).assemble("main", inputs={"question": "?"})

    @pytest.mark.parametrize(
        ("policy", "lines"),
        [
            ("{input_budget: {max_tokens: 9}, reserve: {output_tokens: 5}}", [3]),
            ("{input_budget: {max_tokens: 9}, reserve: {output_tokens: 0}}", []),
            ("{model: gpt-4o, reserve: {output_tokens: 5}}", []),
        ],
    )
    def test_a_reserve_needs_a_window(self, policy, lines):
        assert found("BC315", context(QUESTION, policy=policy)) == lines


class TestPlainCases:
    @pytest.mark.parametrize(
        ("code", "text", "lines"),
        [
            ("BC313", context("{type: system, content: a, priority: 1}"), [4]),
            ("BC313", context("{type: system, content: a, priority: 1, shrink: true}"), []),
            ("BC314", context("{type: context, name: kb, priority: 1}") + KB, [4]),
            ("BC314", "kind: context\nname: main\npacks: [{name: kb, weight: 2}]" + KB, [3]),
            ("BC314", context(EVIDENCE, "{type: context, name: news, weight: 2}") + KB + NEWS, []),
            ("BC316", context(QUESTION, policy="{pack_budget: {default_max_tokens: 9}}"), [3]),
            ("BC316", context(EVIDENCE, policy="{pack_budget: {default_max_tokens: 9}}") + KB, []),
            ("BC316", "kind: policy\nname: p\npack_budget: {default_max_tokens: 9}\n", []),
            (
                "BC319",
                "kind: compactor\nname: c\nconfig: {type: chain, steps: [ends, tail]}\n---\n"
                "kind: compactor\nname: ends\nconfig: {type: head_tail}\n",
                [3],
            ),
            (
                "BC319",
                "kind: compactor\nname: c\nconfig: {type: chain, steps: [{type: tail}, extractive]}",
                [3],
            ),
            (
                "BC319",
                "kind: compactor\nname: c\nconfig: {type: chain, steps: [summary, tail]}",
                [],
            ),
        ],
    )
    def test_it_is_reported_on_these_lines_only(self, code: str, text: str, lines: list[int]):
        assert found(code, text) == lines

    def test_a_nested_context_with_a_larger_budget_than_its_share_is_noted(self):
        outer = context("{type: context, name: inner}", policy=SHARED)
        inner = context(EVIDENCE, name="inner", policy="{input_budget: {max_tokens: %d}}")
        assert found("BC318", f"{outer}---\n{inner % 2001}{KB}") == [5]
        assert found("BC318", f"{outer}---\n{inner % 2000}{KB}") == []


class TestDefaultLimit:
    HANDBOOK = "---\nkind: corpus\nname: handbook\nconfig: {root: handbook}\n"

    @pytest.mark.parametrize(
        ("policy", "insert", "settings", "lines"),
        [
            ("{}", EVIDENCE, "", [5]),
            ("{overflow: none, input_budget: {max_tokens: 90}}", EVIDENCE, "", [5]),
            (SMALL, EVIDENCE, "", []),
            ("{model: gpt-4o}", EVIDENCE, "", []),
            ("{pack_budget: {default_max_tokens: 90}}", EVIDENCE, "", []),
            ("{}", "{type: context, name: kb, budget: {max_tokens: 90}}", "", []),
            ("{}", EVIDENCE, ", limit: 3", []),
        ],
    )
    def test_a_retriever_that_fills_no_share_is_reported_unless_its_author_limits_it(
        self, policy: str, insert: str, settings: str, lines: list[int]
    ):
        retriever = (
            "---\nkind: retriever\nname: kb\ncorpus: handbook\n"
            f"config: {{retriever_id: hybrid{settings}}}\n"
        )
        text = context(insert, QUESTION, policy=policy) + retriever + self.HANDBOOK
        assert found("BC322", text) == lines

    def test_what_a_function_returns_is_known_only_in_a_call(self):
        assert found("BC322", context(EVIDENCE, QUESTION) + KB) == []
