"""The static model of the wordllama wheel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from biblicus_context.embedders import WordLlamaEmbedder

TEXTS = [
    "The parcel has not arrived.",
    "x",
    "Where is my order?\n\nPlease help.",
    "<s>",
    " 漢字 🙂 e\u0301 ",
]


def test_its_vectors_are_those_of_the_library() -> None:
    script = (
        "import sys, json, pathlib, wordllama\n"
        "model = wordllama.WordLlama.load(\n"
        "    cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True)\n"
        "print(json.dumps(model.embed(json.loads(sys.argv[1]), norm=True).tolist()))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, json.dumps(TEXTS)],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = np.array(json.loads(answer.stdout))
    assert np.allclose(WordLlamaEmbedder().embed(TEXTS), expected, atol=1e-5)


def test_what_means_the_same_is_closer_than_what_does_not() -> None:
    embedder = WordLlamaEmbedder()
    parcel, order, cooking = embedder.embed(
        ["The parcel was lost in the post.", "My delivery is missing.", "Boil the rice in milk."]
    )
    assert parcel @ order > parcel @ cooking


def test_the_library_itself_is_not_imported() -> None:
    """Importing it would set up the caller's logging."""
    script = (
        "import sys; from biblicus_context.embedders import WordLlamaEmbedder\n"
        "WordLlamaEmbedder().embed_query('hello'); print('wordllama' in sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert answer.stdout.strip() == "False"
