"""A query in a language that the embedder does not know is reported, and found by its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, Corpus
from biblicus_context.embedders import FunctionEmbedder, WordLlamaEmbedder, languages_of
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest

PAGES = {
    "urlaub.md": "# Urlaub\n\nJeder hat dreißig Tage Ferien im Jahr. Anträge gehen an die Leitung.\n",
    "reise.md": "# Reisen\n\nFlüge und Hotels bucht das Büro. Belege sind innerhalb von vier Wochen da.\n",
    "travel.md": "# Travel\n\nFlights and hotels are booked by the office. Keep every receipt.\n",
    "holiday.md": "# Parties\n\nThe summer party is in July. Everybody may bring a friend.\n",
    "ja.md": "# 休暇\n\n夏の休みは七月です。\n",
    "ru.md": "# Поездки\n\nБилеты заказывает офис. Отчёт нужен через месяц.\n",
}
GERMAN = "Wie viele Tage Ferien habe ich im Jahr?"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("languages") / "pages"
    root.mkdir()
    for name, text in PAGES.items():
        (root / name).write_text(text, "utf-8")
    with Corpus.open(root, embedder=WordLlamaEmbedder()) as corpus:
        corpus.ingest()
    return root


def request(query: str) -> ContextRetrieverRequest:
    return ContextRetrieverRequest(query=query, limit=3)


def test_a_query_in_another_language_is_found_by_its_words_and_reported(root: Path):
    with Corpus.open(root, embedder=WordLlamaEmbedder()) as corpus:
        pack = corpus.retriever()(request(GERMAN))
        assert pack.blocks[0].source == "urlaub.md"
        (warning,) = pack.warnings
        assert warning.startswith("the query seems to be in German, which the embedder 'wordllama")
        for query in ("How many days off do I have?", "Ferien", "no internet", "休 receipt.md"):
            said = corpus.retriever()(request(query)).warnings
            assert bool(said) == ("休" in query)
        assert not corpus.retriever({"retriever_id": "keyword"})(request(GERMAN)).warnings


def test_the_receipt_says_it(root: Path):
    context = {
        "policy": {"input_budget": {"max_tokens": 200}},
        "messages": [{"type": "context", "name": "kb"}],
    }
    settings = {"retriever_id": "hybrid", "query": "{input.question}"}
    with Corpus.open(root, embedder=WordLlamaEmbedder()) as corpus:
        assembler = ContextAssembler(
            {"ask": context},
            {"kb": {"corpus": "pages", "config": settings}},
            corpora={"pages": corpus},
        )
        result = assembler.assemble("ask", inputs={"question": GERMAN})
    assert any("seems to be in German" in each for each in result.receipt.warnings)


def test_an_embedder_that_names_no_languages_knows_all():
    def two(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    options: dict[str, Any] = {"model": "two", "dimensions": 2}
    assert languages_of(FunctionEmbedder(two, **options)) is None
    assert languages_of(FunctionEmbedder(two, **options, languages=["de", "en"])) == {"de", "en"}
