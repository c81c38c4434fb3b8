"""Rules about templates agree with the engine: an error of a rule ends a call in an error."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import ContextError
from biblicus_context.lint.engine.finding import Violation
from tests.lint.rules.harness import assembler_of, rule_named, violations
from tests.lint.rules.snippets import EVIDENCE, KB, NEWS, QUESTION, context


def said(code: str, text: str) -> list[Violation]:
    """The findings of a rule in a text."""
    return violations(rule_named(code), text)


def places(code: str, text: str) -> list[tuple[int, int]]:
    """The places of the findings of a rule."""
    return [tuple(violation.place) for violation in said(code, text)]


def lines(code: str, text: str) -> list[int]:
    """The lines on which a rule reports a finding."""
    return [line for line, _ in places(code, text)]


def outcome(text: str, **inputs: Any) -> str:
    """The user message of a call, or the first words of the error it ends in."""
    try:
        return assembler_of(text).assemble("main", inputs=inputs).user_message
    except ContextError as error:
        return f"error: {error.problem}"


def user(template: str, key: str = "template", **options: str) -> str:
    """A user directive of this text; quoted as YAML wants it."""
    more = "".join(f", {name}: {value}" for name, value in options.items())
    quoted = template.replace("'", "''")
    return f"{{type: user, {key}: '{quoted}'{more}}}"


class TestSyntax:
    @pytest.mark.parametrize(
        ("yaml", "place"),
        [
            ("template: |-\n      one\n        two {{ a b }}", (7, 18)),
            ("template: >\n      one\n      two {{ a b }}", (7, 16)),
            ("template: one\n      two {{ a b }}", (6, 16)),
            ('template: "one\n      two \\u00e4 {{ a b }}"', (6, 23)),
            ("template: 'one ''\n      two {{ a b }}'", (6, 16)),
            ("template: |2-\n      one\n         two {{ a b }}", (7, 19)),
        ],
    )
    def test_a_syntax_error_is_reported_at_its_line_and_column(
        self, yaml: str, place: tuple[int, int]
    ):
        text = f"kind: context\nname: main\nmessages:\n  - type: user\n    {yaml}\n"
        assert places("BC401", text) == [place]
        line, column = place
        assert text.splitlines()[line - 1][column - 1 :].startswith("b }}")

    @pytest.mark.parametrize(
        ("condition", "advice"),
        [
            ("{input.a}", "Write the expression without braces: input.a"),
            ("{{ input.a }}", "Write the expression without braces: input.a"),
            ("input.a = 1", "Write one expression, such as: input.language == 'de'"),
            ("", "Write one expression, such as: input.language == 'de'"),
        ],
    )
    def test_a_condition_is_one_expression_without_braces(self, condition: str, advice: str):
        text = context(f"{{type: user, content: a, when: '{condition}'}}")
        assert [violation.advice for violation in said("BC401", text)] == [advice]
        assert outcome(text, a=1).startswith("error: the template cannot be parsed")


class TestNames:
    @pytest.mark.parametrize(
        ("directive", "column"),
        [
            (user("{{ name }}"), 32),
            (user("{name}"), 29),
            (user("{{ name }}", vars="{name: Ada}"), None),
            (user("{name}", key="content"), None),
            (user("{{ name | default('x') }}"), None),
            (user("{% if name is defined %}{{ name.x }}{% endif %}"), None),
            (user("{% for name in input.names %}{{ name }}{% endfor %}"), None),
            (user("a", when="name"), 40),
            (user("{{ _name }}"), None),
        ],
    )
    def test_an_unknown_name_is_reported_in_templates_and_conditions(self, directive, column):
        text = context(directive)
        expected = [] if column is None else [4]
        assert lines("BC402", text) == expected
        if expected:
            assert outcome(text, names=[]).startswith("error: unknown name")

    def test_a_condition_does_not_see_the_variables_of_its_directive(self):
        text = context(user("{name}", when="name", vars="{name: Ada}"))
        assert lines("BC402", text) == [4]
        assert outcome(text).startswith("error: unknown name")

    @pytest.mark.parametrize(
        ("name", "advice"),
        [("question", "Write 'input.question'."), ("kb", "Write 'context.kb'.")],
    )
    def test_the_advice_knows_inputs_and_packs(self, name: str, advice: str):
        text = context(EVIDENCE, user(f"{{{{ {name} }}}}"), inputs="{question: string}") + KB
        assert [violation.advice for violation in said("BC402", text)] == [advice]

    def test_each_name_is_reported_once_per_text(self):
        assert lines("BC402", context(user("{{ a }}{{ a }}{{ b }}"))) == [4, 4]


DECLARED = "{question: string, order: {type: object, required: false}, language: {default: de}}"


class TestInputs:
    @pytest.mark.parametrize(
        ("directive", "is_found"),
        [
            (user("{input.qestion}", key="content"), True),
            (user("{{ input.qestion }}"), True),
            (user("a", when="input.qestion"), True),
            (user("{{ input.qestion | default('') }}"), False),
            (user("{input.question}", key="content"), False),
            (user("{input}", key="content"), False),
            (user("{input.x}", key="content", vars="{input: {x: 1}}"), False),
        ],
    )
    def test_an_input_must_be_declared(self, directive: str, is_found: bool):
        text = context(directive, inputs=DECLARED)
        assert lines("BC403", text) == ([5] if is_found else [])
        assert outcome(text, question="?").startswith("error") == is_found

    def test_query_and_message_are_always_accepted(self):
        text = context(user("{{ input.query }}"), inputs=DECLARED)
        assert lines("BC403", text) == []
        assert outcome(text, question="?", query="!") == "!"

    def test_without_declared_inputs_any_input_is_accepted(self):
        assert lines("BC403", context(user("{input.anything}"))) == []

    def test_a_nested_context_has_the_inputs_of_the_outer_ones(self):
        inner = context(user("{input.question}{input.tone}"), inputs="{tone: string}", name="inner")
        outer = context("{type: context, name: inner}", inputs="{question: string, tone: string}")
        assert lines("BC403", f"{outer}---\n{inner}") == []
        assert lines("BC403", inner) == [5]
        free = context("{type: context, name: inner}")
        assert lines("BC403", f"{free}---\n{inner}") == []

    def test_the_query_of_a_retriever_is_checked_with_the_contexts_that_insert_it(self):
        plan = context(EVIDENCE, QUESTION, inputs="{question: string}")
        kb = KB.replace("corpus: handbook\n---", 'config: {query: "{input.topic}"}\n---', 1)
        (violation,) = said("BC403", plan + kb)
        assert violation.problem == "context 'main' does not declare this input"
        assert outcome(plan + kb, question="?").startswith("error: unknown name")
        other = context(EVIDENCE, name="other")
        assert lines("BC403", other + kb) == []

    @pytest.mark.parametrize(
        ("kind", "path", "key", "is_found"),
        [
            ("string", "input.a.b", "content", True),
            ("string", "input.a.0", "content", True),
            ("string", "input.a[0]", "template", False),
            ("integer", "input.a.b", "content", True),
            ("integer", "input.a.real", "content", False),
            ("array", "input.a.b", "content", True),
            ("array", "input.a.0", "content", False),
            ("object", "input.a.b", "content", False),
            ("any", "input.a.b", "content", False),
            ("boolean", "input.a.b", "content", True),
        ],
    )
    def test_only_objects_have_named_fields(self, kind, path, key, is_found):
        values = {"string": "x", "integer": 1, "array": ["x"], "boolean": True}
        braced = f"{{{{ {path} }}}}" if key == "template" else f"{{{path}}}"
        text = context(user(braced, key=key), inputs=f"{{a: {kind}}}")
        assert lines("BC404", text) == ([5] if is_found else [])
        assert outcome(text, a=values.get(kind, {"b": 1})).startswith("error") == is_found

    @pytest.mark.parametrize(("kind", "is_found"), [("integer", True), ("string", False)])
    def test_a_loop_needs_a_value_with_items(self, kind: str, is_found: bool):
        text = context(user("{% for x in input.a %}{{ x }}{% endfor %}"), inputs=f"{{a: {kind}}}")
        assert lines("BC404", text) == ([5] if is_found else [])
        assert outcome(text, a=1 if is_found else "1").startswith("error") == is_found

    @pytest.mark.parametrize(
        ("directive", "is_found"),
        [
            (user("{input.order.id}", key="content"), True),
            (user("{{ input.order.id }}"), True),
            (user("{% for x in input.order %}{{ x }}{% endfor %}"), True),
            (user("{input.order}", key="content"), False),
            (user("{% if input.order %}{{ input.order.id }}{% endif %}"), False),
            (user("{{ input.order.id if input.order else 0 }}"), False),
            (user("{{ input.order and input.order.id }}"), False),
            (user("{{ input.order.id | default('none') }}"), False),
            (user("{input.order.id}", key="content", when="input.order"), False),
        ],
    )
    def test_an_optional_input_must_be_guarded(self, directive: str, is_found: bool):
        text = context(directive, inputs=DECLARED)
        assert lines("BC405", text) == ([5] if is_found else [])
        assert outcome(text, question="?").startswith("error") == is_found

    def test_an_input_with_a_default_needs_no_guard(self):
        assert lines("BC405", context(user("{{ input.language.x }}"), inputs=DECLARED)) == []

    def test_a_group_may_guard_its_alternatives(self):
        group = "{first: ['{input.order.id}'], when: input.order}"
        assert lines("BC405", context(group, QUESTION, inputs=DECLARED)) == []

    @pytest.mark.parametrize(
        ("inputs", "expected"),
        [
            ("{a: string, b: string}", [(3, 21)]),
            ("[a, b]", [(3, 13)]),
            ("[{name: a}, {name: b, type: string}]", [(3, 21)]),
            ("{a: string, query: string, message: string}", []),
        ],
    )
    def test_an_unused_input_is_reported(self, inputs: str, expected):
        assert places("BC406", context(user("{input.a}"), inputs=inputs)) == expected

    @pytest.mark.parametrize("broken", [user("{{ input.a"), user("x", when="input.a = 1")])
    def test_a_text_that_cannot_be_parsed_may_use_any_input(self, broken: str):
        assert lines("BC406", context(broken, inputs="{a: string}")) == []

    @pytest.mark.parametrize(
        "messages",
        [
            [user("{input.b}")],
            [user("a", when="input.b")],
            [user("{{ input | tojson }}")],
            [EVIDENCE],
            ["{type: context, name: style}"],
            ["{type: context, name: from_python}"],
        ],
    )
    def test_texts_conditions_queries_and_nested_contexts_use_inputs(self, messages: list[str]):
        kb = KB.replace("corpus: handbook\n---", 'config: {query: "{input.b}"}\n---', 1)
        style = "\n---\n" + context(user("{input.b}"), name="style")
        text = context(*messages, inputs="{b: string}") + kb + style
        assert lines("BC406", text) == []

    @pytest.mark.parametrize(
        ("inputs", "is_found"),
        [
            ("{question: string}", True),
            ("{question: string, tone: string}", False),
            ("{question: string, tone: {default: kind}}", False),
            ("", False),
        ],
    )
    def test_a_nested_context_requires_inputs_of_the_outer_one(self, inputs, is_found):
        outer = context("{type: context, name: style}", QUESTION, inputs=inputs)
        style = context(
            "{type: system, content: '{input.tone}'}", inputs="{tone: string}", name="style"
        )
        text = f"{outer}---\n{style}"
        assert bool(lines("BC421", text)) == is_found
        if inputs:
            known = {"question": "?", **({"tone": "kind"} if "tone: s" in inputs else {})}
            assert outcome(text, **known).startswith("error") == is_found


class TestPacks:
    @pytest.mark.parametrize(
        ("directive", "is_found"),
        [
            (user("{context.kb}", key="content"), False),
            (user("{{ context.kb }}"), False),
            (user("{context.bk}", key="content"), True),
            (user("{{ context.bk | default('') }}"), False),
            (user("{context.bk}", key="content", vars="{context: {bk: 1}}"), False),
            (user("a", when="context.kb"), True),
            (user("a", when="context.kb is defined"), False),
        ],
    )
    def test_a_text_quotes_packs_of_its_plan(self, directive: str, is_found: bool):
        text = context(EVIDENCE, directive) + KB
        assert lines("BC407", text) == ([5] if is_found else [])
        assert outcome(text).startswith("error") == is_found

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_a_query_quotes_packs_that_were_placed_before(self, order: tuple[int, int]):
        directives = [EVIDENCE, "{type: context, name: news}"]
        news = NEWS.rstrip() + '\nconfig: {query: "{context.kb}"}\n'
        text = context(*(directives[at] for at in order)) + KB + news
        is_found = order == (1, 0)
        assert bool(lines("BC407", text)) == is_found
        assert outcome(text).startswith("error") == is_found

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_a_nested_context_quotes_packs_placed_before_it(self, order: tuple[int, int]):
        directives = [EVIDENCE, "{type: context, name: inner}"]
        inner = context("{type: system, content: '{context.kb}'}", name="inner")
        text = context(*(directives[at] for at in order)) + KB + "\n---\n" + inner
        is_found = order == (1, 0)
        assert bool(lines("BC407", text)) == is_found
        assert outcome(text).startswith("error") == is_found

    def test_a_pack_that_is_placed_later_is_still_quoted(self):
        quoting = "{type: system, content: '{context.kb}'}"
        text = context(quoting, EVIDENCE, QUESTION) + KB
        assert lines("BC408", text) == [4]
        assert lines("BC407", text) == []
        assert outcome(text, question="?") == "?"
        assert lines("BC408", context(EVIDENCE, quoting, EVIDENCE) + KB) == []

    def test_a_pack_of_the_outer_context_can_be_quoted(self):
        outer = context(EVIDENCE, "{type: context, name: inner}")
        quoting = "{type: system, content: '{context.kb}'}"
        for pack in ("{type: context, name: kb}", "{type: context, name: kb, when: input.a}"):
            inner = context(quoting, pack, name="inner")
            text = f"{outer}{KB}---\n{inner}"
            assert lines("BC408", text) == lines("BC409", text) == []
            assert lines("BC408", inner) == [4]

    @pytest.mark.parametrize(
        ("pack", "directive", "is_found"),
        [
            ("when: input.a", user("{context.kb}"), True),
            ("when: input.a", user("{context.kb}", when="input.a"), False),
            ("when: input.a", user("{{ context.kb | default('') }}"), False),
            ("weight: 1", user("{context.kb}"), False),
        ],
    )
    def test_a_quote_of_a_conditional_pack_must_be_guarded(self, pack, directive, is_found):
        text = context(f"{{type: context, name: kb, {pack}}}", directive) + KB
        assert lines("BC409", text) == ([5] if is_found else [])
        assert outcome(text, a=False).startswith("error") == is_found


class TestRefused:
    @pytest.mark.parametrize(
        ("code", "template", "advice"),
        [
            ("BC411", "{{ input.a | uper }}", "Did you mean 'upper'?"),
            ("BC411", "{{ input.a | random }}", None),
            ("BC411", "{{ input.a is od }}", "Did you mean 'odd'?"),
            ("BC412", "{{ input.a.strip() }}", "Use a filter: {{ ... | trim }}."),
            ("BC412", "{{ input.a.whatever() }}", "Use a filter."),
            ("BC410", "{{ input.a.__class__ }}", None),
            ("BC410", "{{ input['_a'] }}", None),
            ("BC410", "{{ input.a | attr('_b') }}", None),
        ],
    )
    def test_what_the_engine_rejects_is_reported(
        self, code: str, template: str, advice: str | None
    ):
        text = context(user(template))
        (violation,) = said(code, text)
        assert advice in (None, violation.advice)
        assert outcome(text, a=[1]).startswith("error")


class TestBraces:
    @pytest.mark.parametrize(
        ("content", "found", "advice"),
        [
            ("{ input.x }", "{ input.x }", "Write {input.x}."),
            ("{inputs.x}", "{inputs.x}", "Write {input.x}."),
            ("{Input.x}", "{Input.x}", "Write {input.x}."),
            ("{contxt.kb}", "{contxt.kb}", "Write {context.kb}."),
            ("{input.x!r}", "{input.x!r}", "Use a template for anything else."),
            ("{input.x | upper}", "{input.x | upper}", "Use a template for anything else."),
            ("{input['x']}", "{input['x']}", "Use a template for anything else."),
            ("{input._x}", "{input._x}", "Use a template for anything else."),
            ("{input}", "{input}", "Name one of them, such as {input.name}."),
        ],
    )
    def test_a_malformed_placeholder_is_reported(self, content, found, advice):
        text = context(EVIDENCE, user(content, key="content"), inputs="{question: string}") + KB
        (violation,) = said("BC414", text)
        assert (violation.found, violation.advice) == (found, advice)

    @pytest.mark.parametrize(
        "content",
        [
            *("{input.x}", '{"ok": true}', "{}", "{a: 1}", "{name}", "{user.name}", "{output.x}"),
            *("function() { return input; }", "{input or output}", "{{input.x}}", "\\frac{a}{b}"),
            *("set {x | x > 0}", "{context-free}", "${HOME}", "{% if %}", "{ input }"),
        ],
    )
    def test_other_braces_are_text(self, content: str):
        assert lines("BC414", context(user(content, key="content"))) == []

    def test_a_template_keeps_braces_that_are_not_a_placeholder(self):
        assert lines("BC414", context(user("{{ input.a }} { input.b }"))) == [4]
        assert lines("BC414", context(user("{question}{{ input }}"), inputs="[question]")) == []

    def test_the_query_of_a_retriever_is_a_text_with_placeholders(self):
        kb = KB.replace("corpus: handbook\n---", 'config: {query: "{ input.topic }"}\n---', 1)
        assert len(lines("BC414", kb.removeprefix("\n---\n"))) == 1

    @pytest.mark.parametrize(
        ("content", "is_found"),
        [
            ("{{ input.x }}", True),
            ("{{input.x}}", True),
            ("{%- if input.x %}a{% endif %}", True),
            ("{{ greeting }}", True),
            ("{{ handlebars }}", False),
            ("{% comment %}", False),
        ],
    )
    def test_jinja_in_content_is_reported_if_it_uses_a_known_name(self, content, is_found):
        text = context(user(content, key="content", vars="{greeting: Hello}"))
        assert lines("BC413", text) == ([4] if is_found else [])

    def test_jinja_in_a_query_works_and_in_another_setting_is_reported(self):
        query = 'kind: retriever\nname: kb\nconfig: {pipeline: {query: {query: "{{ input.x }}"}}}\n'
        assert places("BC413", query) == []
        text = 'kind: retriever\nname: kb\nconfig: {filters: {a: "{input.x} {{ input.x }}"}}\n'
        assert places("BC413", text) == [(3, 34)]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("{history.last_user} {{ history.users }} {history.0.content}", []),
            ("{% for turn in history %}{{ turn.content }}{% endfor %}", []),
            ("{history.lastuser}", ["history.lastuser"]),
            ("{{ history.user }} {{ question }}", ["history.user", "question"]),
        ],
    )
    def test_an_unknown_part_of_the_conversation_in_a_query_is_reported(self, query, found):
        text = f'kind: retriever\nname: kb\nconfig: {{query: {{template: "{query}"}}}}\n'
        assert sorted(str(each.found) for each in said("BC402", text)) == found

    @pytest.mark.parametrize(
        ("template", "many"),
        [
            ("{{ context.kb }}", 0),
            ("{% if context.kb | trim %}{{ context.kb }}{% endif %}", 0),
            ("{{ context.kb | trim | upper }}", 1),
            ("{% if input.x %}{{ context.kb | trim }} {context.kb}{% endif %}", 1),
            ("{{ 'a' ~ (context.kb | upper) }}", 1),
        ],
    )
    def test_a_filter_on_a_pack_that_is_placed_by_quotes_is_reported(self, template, many):
        text = (
            "kind: context\nname: support\nmessages:\n"
            "  - {type: context, name: kb, place: quoted}\n"
            f"  - type: user\n    template: {template!r}\n"
        ).replace("\\'", "''")
        found = violations(rule_named("BC424"), text)
        assert [each.place.line for each in found] == [6] * many

    def test_an_unknown_placeholder_is_reported_once(self):
        content = user("{name} {name} {user.name} {input.x} {inputs.x}", key="content")
        assert [violation.found for violation in said("BC415", context(content))] == [
            "{name}",
            "{user.name}",
        ]
        assert said("BC415", context(user("{name}"))) == []

    @pytest.mark.parametrize(
        ("content", "advice", "severity"),
        [
            ("{question}", "Write {input.question}.", "warning"),
            ("{question.text}", "Write {input.question.text}.", "warning"),
            ("{kb}", "Write {context.kb}.", "warning"),
            ("{name}", "Write {input.name} for an input.", "note"),
        ],
    )
    def test_a_placeholder_without_input_has_one_name_and_warns_where_it_surely_is_one(
        self, content: str, advice: str, severity: str
    ):
        text = context(EVIDENCE, user(content, key="content"), inputs="{question: string}") + KB
        (violation,) = said("BC415", text)
        assert violation.advice == advice
        assert rule_named("BC415").finding("a.yaml", violation).severity == severity
        assert said("BC414", text) == []

    def test_braces_of_code_are_no_placeholder(self):
        code = user("${HOME} frac{a}{b} {input.x}", key="content")
        assert said("BC415", context(code)) == []


class TestVariables:
    @pytest.mark.parametrize(
        ("directive", "expected"),
        [
            (user("{a}", vars="{a: 1, b: 2}"), ["b"]),
            (user("{{ a }}", vars="{a: 1}"), []),
            ("{type: system, base: true, vars: {a: 1}}", ["a"]),
            (user("{{ a", vars="{b: 1}"), []),
        ],
    )
    def test_a_variable_is_used_in_its_own_text(self, directive: str, expected: list[str]):
        assert [violation.found for violation in said("BC417", context(directive))] == expected

    def test_if_no_variable_is_used_all_are_removed(self):
        (edit,) = said("BC417", context(user("a", vars="{b: 1, c: 2}")))[0].edits
        assert (edit.end.column - edit.start.column, edit.text) == (len(", vars: {b: 1, c: 2}"), "")

    def test_a_template_without_placeholders_becomes_content(self):
        (edit,) = said("BC416", context(user("a")))[0].edits
        assert edit.text == "content"
        (violation,) = said("BC416", context('{type: user, "template": a}'))
        assert violation.edits == ()

    def test_values_of_variables_are_data(self):
        text = context(user("{a}{b}", vars='{a: "{input.x}", b: [1], c: "{{ context.y }}"}'))
        assert [violation.found for violation in said("BC422", text)] == [
            "{input.x}",
            "{{ context.y }",
        ]
        assert outcome(text).startswith("{input.x}")

    def test_a_variable_may_hide_the_packs_as_well(self):
        text = context(user("{context.a}", vars="{context: {a: 1}}"))
        assert [violation.found for violation in said("BC418", text)] == ["context"]

    @pytest.mark.parametrize(
        ("condition", "problem"),
        [
            ("true", "it is always true"),
            ("1 == 2", "it is always false"),
            ("''input.a'' == ''de''", "it is always false"),
            ("1 / 0", "it always fails"),
            ("input.a", None),
            ("input.a =", None),
        ],
    )
    def test_a_condition_uses_a_name(self, condition: str, problem: str | None):
        found = said("BC419", context(f"{{type: user, content: a, when: '{condition}'}}"))
        assert [violation.problem for violation in found] == (
            [f"the condition uses no name, so {problem}"] if problem else []
        )


class TestMarkup:
    @pytest.mark.parametrize(
        ("text", "around"),
        [
            ("<doc>{input.x}</doc>", "<doc>"),
            ("<a><b></b>{input.x}</a>", "<a>"),
            ("<br/><doc>{input.x}</doc>", "<doc>"),
            ('<doc title="{input.x}">', "a tag"),
            ("```\n{input.x}\n```", "```"),
            ('"""{input.x}"""', '"""'),
            ("<doc></doc>{input.x}", None),
            ("<doc>{input.x}", None),
            ("a < {input.x}", None),
            ("{input.x}", None),
            ("<doc>{input.count}</doc>", None),
        ],
    )
    def test_markup_that_an_input_can_close_is_reported(self, text: str, around: str | None):
        quoted = text.replace("\n", "\\n").replace('"', '\\"')
        plan = context(
            f'{{type: system, content: "{quoted}"}}', inputs="{x: string, count: integer}"
        )
        found = [violation.problem for violation in said("BC420", plan)]
        assert found == ([f"unescaped input inside {around}, which it can close"] if around else [])

    @pytest.mark.parametrize("filter_", ["e", "tojson", "trim | escape"])
    def test_an_escaped_value_cannot_close_anything(self, filter_: str):
        template = f"<doc>{{{{ input.x | {filter_} }}}}</doc>"
        text = context(f"{{type: system, template: '{template}'}}", QUESTION)
        assert lines("BC420", text) == []
        result = assembler_of(text).assemble("main", inputs={"x": "</doc>", "question": "?"})
        assert result.system_prompt.count("</doc>") == 1 or filter_ == "tojson"

    def test_only_system_texts_are_checked(self):
        assert lines("BC420", context(user("<doc>{input.x}</doc>"))) == []
