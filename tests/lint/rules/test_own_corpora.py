"""Corpora that are folders of the project are checked against the folder; all others are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context.lint.engine.settings import LintSettings, PythonNames
from tests.lint.linting import found, only, report_of

RULES = LintSettings(select=("BC1", "BC217", "BC241", "BC242", "BC243", "BC244", "BC707"))
PLAN = """\
kind: retriever
name: kb
corpus: handbook
config: {{{retriever}}}
---
kind: corpus
name: handbook
config: {{{corpus}}}
"""
ROOT = "root: handbook"
SERVER = "type: openai, model: m, dimensions: 8"


def _report(folder: Path, corpus: str, retriever: str = "", settings: LintSettings = RULES) -> Any:
    return report_of(folder, PLAN.format(retriever=retriever, corpus=corpus), settings)


def _codes(folder: Path, corpus: str, retriever: str = "") -> list[str]:
    return [code for code, _ in found(_report(folder, corpus, retriever))]


@pytest.mark.parametrize(
    ("corpus", "codes"),
    [
        ("root: ../nowhere, ignore: tmp, embeder: minilm", ["BC101", "BC101"]),
        ("root: nowhere", ["BC241"]),
        ("rot: handbook", ["BC244"]),
        ("stroe: handbook", ["BC244"]),
        ("corpus_root: handbook, path: a, store_path: b, roof_terrace: c", []),
        ("root: handbook, embedder: minilmm", ["BC217"]),
        ("root: handbook, embedder: openai", ["BC217"]),
        ("root: handbook, embedder: {type: minilm, dimensions: 8}", ["BC217"]),
        ("root: handbook, embedder: {type: openai, model: m}", ["BC102"]),
        ("root: handbook, embedder: {type: openai, model: m, dimensions: 0}", ["BC106"]),
        ("root: handbook, include: ['*.txt']", ["BC242"]),
        ("root: handbook, include: ['*.md', 'old/']", ["BC242"]),
        ("root: handbook, exclude: ['/drafts/']", ["BC242"]),
        ("root: handbook, exclude: ['a//b']", ["BC242"]),
        ("root: handbook, hidden: 1", ["BC105"]),
        ("root: handbook, embedder: minilm, include: ['returns.*'], hidden: true", []),
        ("root: handbook/returns.md", []),
        ("root: s3://bucket/handbook", []),
        ("split: test, root: nowhere, anything: 5", []),
        ("anything: 5", []),
    ],
)
def test_a_corpus_is_checked_against_its_folder(corpus: str, codes: list[str], tmp_path: Path):
    assert _codes(tmp_path, corpus) == codes


@pytest.mark.parametrize(
    ("retriever", "codes"),
    [
        ("retriever_id: explicit, documents: [returns.md]", []),
        ("retriever_id: explicit, documents: [return.md]", ["BC243"]),
        ("retriever_id: explicit, documents: handbook/returns.md", ["BC243"]),
        ("retriever_id: explicit, documents: [8f41c2, '{input.file}', 'talks.jsonl#3']", []),
        ("retriever_id: related, from: guides/return.md", ["BC243"]),
        ("retriever_id: hybrid, filters: {path: '*.md'}", []),
        ("retriever_id: hybrid, filters: {path: ['guides/**', '*.md']}", ["BC242"]),
        ("retriever_id: hybrid, filters: {path: '{input.folder}/**'}", []),
        ("retriever_id: hybrid, configuration: {}, filters: {path: 'guides/**'}", []),
        ("filters: {path: 'guides/**'}", []),
    ],
)
def test_what_a_retriever_names_exists_in_its_corpus(
    retriever: str, codes: list[str], tmp_path: Path
):
    assert _codes(tmp_path, ROOT, retriever) == codes


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ("api_key_env: null, base_url: 'https://models.internal/v1'", []),
        ("base_url: 'https://models.internal/v1'", []),
        ("api_key_env: OPENAI_STAGING_KEY", []),
        ("api_key_env: MY_KEY", ["BC707"]),
        ("api_key_env: MY_KEY, base_url: 'https://models.internal/v1'", ["BC707"]),
        ("api_key_env: MY_KEY, base_url: 'http://localhost:8080/v1'", ["BC707"]),
        ("api_key_env: null, base_url: 'http://localhost:8080/v1'", []),
        ("api_key_env: null, base_url: 'http://127.0.0.2/v1'", []),
        ("api_key_env: null, base_url: 'http://10.0.0.2/v1'", ["BC707"]),
        ("api_key_env: null, base_url: 'https://someone@models.internal/v1'", ["BC707"]),
        ("api_key_env: MY_KEY, base_url: 'https://api.openai.com.evil.example/v1'", ["BC707"]),
        ("base_url: models.internal", ["BC707"]),
        ("base_url: 'https://[::1/v1'", ["BC707"]),
    ],
)
def test_a_key_for_another_server_and_http_are_reported(
    settings: str, codes: list[str], tmp_path: Path
):
    assert _codes(tmp_path, f"{ROOT}, embedder: {{{SERVER}, {settings}}}") == codes


def test_a_missing_root_names_the_folder_that_was_meant(tmp_path: Path):
    assert "Did you mean 'handbook'?" in str(only(_report(tmp_path, "root: hanbook")).advice)


def test_a_misspelt_document_names_the_nearest_one(tmp_path: Path):
    retriever = "retriever_id: explicit, documents: [retuns.md]"
    assert only(_report(tmp_path, ROOT, retriever)).valid[0] == "returns.md"


def test_a_corpus_passed_from_python_is_not_checked(tmp_path: Path):
    known = LintSettings(select=("BC241",), known=PythonNames(corpora=frozenset({"handbook"})))
    assert _report(tmp_path, "root: nowhere", settings=known).findings == ()
