"""Rules about safety report secrets, paths and unfenced text, and never show a whole secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.rules.harness import rule_named, violations
from tests.lint.rules.snippets import EVIDENCE, KB, QUESTION, STYLE, context

# Put together here, so that nobody who looks for secrets finds this file.
SECRETS = {
    "AKIA" + "Q3RTYUIOPASDFGH7": "an AWS access key",
    "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8": "a GitHub token",
    "github_pat_" + "11ABCDEFG0" * 6 + "x": "a GitHub token",
    "glpat-" + "a1B2c3D4e5F6g7H8i9J0": "a GitLab token",
    "sk-" + "a1B2c3D4e5F6g7H8i9J0": "an API key of a model provider",
    "sk-ant-api03-" + "a1B2c3D4e5F6g7H8i9J0": "an API key of a model provider",
    "AIza" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H": "a Google API key",
    "xoxb-" + "123456789012-a1B2c3D4e5F6": "a Slack token",
    "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeF12": "a Hugging Face token",
    "sk_live_" + "a1B2c3D4e5F6g7H8i9J0": "a Stripe key",
    "-----BEGIN RSA " + "PRIVATE KEY-----": "a private key",
    "eyJhbGciOiJI" + ".eyJzdWIiOiIx.SflKxwRJSMeK": "a signed token (JWT)",
    "Bearer " + "a1B2c3D4e5F6g7H8i9J0": "a bearer token",
    "password: " + "k7Qm2vX9pL4t": "a password or key",
    "DB_PASSWORD=" + "k7Qm2vX9pL4t": "a password or key",
    '"api_key": "' + "k7Qm2vX9pL4t" + '"': "a password or key",
}


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
@pytest.mark.parametrize("line", ["# {}", "note: |\n    {}"])
def test_a_secret_is_reported_in_texts_and_comments(secret: str, kind: str, line: str):
    text = f"kind: corpus\nname: c\nconfig:\n  split: test\n  {line.replace('{}', secret)}\n"
    (violation,) = violations(rule_named("BC702"), text)
    assert violation.problem == f"possible secret: {kind}"
    found = text.splitlines()[violation.place.line - 1][violation.place.column - 1 :]
    assert secret.endswith(found)
    assert str(violation.found)[:4] == found[:4]
    assert secret not in str(violation)
    assert found[5:] not in str(violation)


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "sk-" + "x" * 30,
        "sk-...",
        "ask-me-about-the-long-way-home-2",
        "password: your-password-2024",
        "password: {input.password1}",
        "password: changeme12345",
        "password: nothing-but-letters",
        "The token: is-what-a-model-reads, and 8000 of them fit.",
        "max_tokens: 4000",
        "Bearer of bad news",
        "api_key: ${API_KEY_2024}",
    ],
)
def test_placeholders_and_plain_words_are_not_secrets(text: str):
    plan = f"kind: corpus\nname: c\nconfig:\n  note: |\n    {text}\n"
    assert violations(rule_named("BC702"), plan) == []


def test_each_document_of_a_file_is_searched_once():
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = f"kind: corpus\nname: a\n---\nkind: corpus\nname: b\n# {secret}\n---\nkind: corpus\nname: c\n"
    assert [violation.place.line for violation in violations(rule_named("BC702"), text)] == [6]


@pytest.mark.parametrize(
    ("directive", "is_found"),
    [
        ("{type: context, name: kb}", True),
        ("{type: context, name: kb, format: {metadata: true}}", True),
        (EVIDENCE, False),
        ("{type: context, name: unknown}", False),
        ("{type: context, name: style}", False),
    ],
)
def test_evidence_needs_a_fence(directive: str, is_found: bool):
    text = context(directive, QUESTION) + KB + STYLE
    assert bool(violations(rule_named("BC701"), text)) == is_found


def test_packs_of_the_default_plan_need_a_fence_too():
    text = "kind: context\nname: main\npacks: [kb, {name: news, format: {fence: true}}]\n" + KB
    assert [tuple(each.place) for each in violations(rule_named("BC701"), text)] == [(3, 9)]


@pytest.mark.parametrize(
    ("key", "path", "is_found"),
    [
        ("root", "/srv/handbook", True),
        ("root", "~/handbook", True),
        ("root", "C:\\handbook", True),
        ("root", "c:/handbook", True),
        ("root", "\\\\server\\handbook", True),
        ("root", "file:///srv/handbook", True),
        ("root", "handbook", False),
        ("root", "../handbook", False),
        ("root", "s3://bucket/handbook", False),
        ("root", "//cdn.net/handbook", False),
        ("index_path", "/srv/index", True),
        ("query", "/srv/index", False),
    ],
)
def test_a_path_must_work_on_every_machine(key: str, path: str, is_found: bool):
    text = f"kind: corpus\nname: c\nconfig:\n  {key}: '{path}'\n"
    found = violations(rule_named("BC703"), text)
    assert [tuple(violation.place) for violation in found] == ([(4, 3)] if is_found else [])


def test_a_tokenizer_is_a_path_as_well():
    text = "kind: policy\nname: p\ncounter: /models/tokenizer.json\n"
    assert [violation.found for violation in violations(rule_named("BC703"), text)] == [
        "/models/tokenizer.json"
    ]


@pytest.mark.parametrize(
    ("file", "root", "is_found"),
    [
        ("contexts/plan.yaml", "../handbook", False),
        ("contexts/plan.yaml", "../../handbook", True),
        ("contexts/team/plan.yaml", "../../handbook", False),
        ("plan.yaml", "../handbook", False),
        ("../contexts/plan.yaml", "../../handbook", False),
        (str(Path.cwd() / "contexts" / "plan.yaml"), "../../handbook", True),
        ("/elsewhere/plan.yaml", "../../handbook", False),
    ],
)
def test_a_root_is_inside_the_folder_that_is_linted(file: str, root: str, is_found: bool):
    text = f"kind: corpus\nname: c\nconfig: {{root: {root}}}\n"
    assert bool(violations(rule_named("BC703"), text, file)) == is_found


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://reader:k7Qm2vX9@docs.net/a", "https://…@docs.net"),
        ("postgres://:k7Qm2vX9@db/a", "postgres://…@db"),
        ("https://reader@docs.net", None),
        ("https://reader:${PASSWORD}@docs.net", None),
        ("https://user:password@docs.net", None),
        ("https://docs.net:8080/a@b", None),
        ("mail ada@docs.net, see https://docs.net", None),
    ],
)
def test_a_url_contains_no_password(address: str, shown: str | None):
    text = f"kind: corpus\nname: c\nconfig:\n  # {address}\n  root: handbook\n"
    found = violations(rule_named("BC704"), text)
    assert [(each.place.line, each.found) for each in found] == ([(4, shown)] if shown else [])
    assert "k7Qm2vX9" not in str(found)


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("root: ${HOME}/docs", "${HOME}"),
        ("root: $HOME/docs", "$HOME"),
        ("root: '%USERPROFILE%/docs'", "%USERPROFILE%"),
        ("nested: {key: ['{{ env.KEY }}']}", "{{ env.KEY }}"),
        ("root: ${HOME:-/tmp}", "${HOME:-/tmp}"),
        ("price: $5", None),
        ("query: '${HOME} {input.x}'", None),
        ("note: costs ${input.price}", None),
        ("root: docs", None),
    ],
)
def test_environment_variables_are_reported(setting: str, found: str | None):
    text = f"kind: corpus\nname: c\nconfig:\n  {setting}\n"
    assert [violation.found for violation in violations(rule_named("BC705"), text)] == (
        [found] if found else []
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("a <|im_start|> b <|im_end|>", ["<|im_start|>"]),
        ("[INST] a [/INST]", ["[INST]"]),
        ("<start_of_turn>user", ["<start_of_turn>"]),
        ("a <|b|> c", []),
        ("[instant]", []),
    ],
)
def test_control_tokens_are_reported_once_per_text(content: str, found: list[str]):
    text = context(f"{{type: system, content: '{content}'}}", QUESTION)
    assert [violation.found for violation in violations(rule_named("BC706"), text)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Answer. {input.question}", ["input.question"]),
        ("Answer. {input.topic}", ["input.topic"]),  # what the evidence is searched with
        ("Answer in {input.language}.", []),
    ],
)
def test_the_question_of_the_user_belongs_in_no_system_prompt(text: str, found: list[str]):
    kb = KB.replace(
        "corpus: handbook\n---", 'corpus: handbook\nconfig: {query: "{input.topic}"}\n---'
    )
    plan = context(f"{{type: system, content: '{text}'}}", EVIDENCE, QUESTION) + kb
    assert [each.found for each in violations(rule_named("BC708"), plan)] == found


def test_a_question_in_a_template_is_found_where_it_is_written_and_not_where_it_is_asked_for():
    asked = "{% if input.question %}Be brief.{% endif %} {{ input.question | e }}"
    plan = context(f'{{type: system, template: "{asked}"}}')
    (violation,) = violations(rule_named("BC708"), plan)
    only_asked = context("{type: system, template: '{% if input.question %}Be brief.{% endif %}'}")
    assert violations(rule_named("BC708"), only_asked) == []
    assert plan.splitlines()[violation.place.line - 1][violation.place.column - 1 :].startswith(
        "input.question | e"
    )


@pytest.mark.parametrize(
    ("payload", "more", "is_found"),
    [
        ("{text: body}", "", True),
        ("{text: body}", "  everybody: false\n", True),
        ("{text: body}", "  everybody: true\n", False),
        ("{text: body, tenant: account}", "", False),
    ],
)
def test_a_collection_says_whose_its_points_are(payload: str, more: str, is_found: bool):
    text = (
        "kind: retriever\nname: articles\nconfig:\n  retriever_id: qdrant\n"
        f"  connection: connection:vectors\n  collection: articles\n  payload: {payload}\n"
        f"  sparse: bm25\n{more}"
    )
    found = violations(rule_named("BC709"), text)
    assert [each.problem for each in found] == ["nothing says whose the points are"] * is_found
