"""What an export wrote becomes the same corpus again, in a folder or on a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biblicus_context import Corpus, InputError
from biblicus_context.corpora.exporting import exported
from biblicus_context.corpora.importing import imported
from tests.corpora.test_copying import WHO, all_of, filled, server

__all__ = ["server"]


def lines_of(corpus: Corpus, *, vectors: bool = True) -> list[str]:
    return [json.dumps(each) for each in exported(corpus, vectors=vectors)]


def test_an_export_is_imported_in_a_folder_and_on_a_server(server: str, tmp_path: Path):
    """With readers, embeddings and relations; it is found with the same scores, and exported the same."""
    with (
        filled(tmp_path / "one") as first,
        Corpus.open_records(f"{server}#imported", name="notes", principal=WHO) as second,
        Corpus.open_records(tmp_path / "two", name="notes", principal=WHO) as third,
    ):
        lines = lines_of(first)
        for each in (second, third):
            done = imported(each, lines)
            assert (done.name, done.documents, done.blocks, done.relations) == (
                "notes",
                250,
                250,
                1,
            )
            assert all_of(each) == all_of(first)
            assert lines_of(each)[1:] == lines[1:]
        again = imported(third, lines_of(second))
        assert again.documents == 250
        with third.index.view() as view:
            assert view.info().documents == 250


def test_an_export_without_embeddings_is_found_by_words(tmp_path: Path):
    with (
        filled(tmp_path / "one") as first,
        Corpus.open_records(tmp_path / "two", name="notes", principal=WHO, embedder=None) as other,
    ):
        imported(other, lines_of(first, vectors=False))
        assert (
            other.search("note 7 about rye", limit=1, retriever_id="keyword")[0].document.id == "n7"
        )


HEAD = '{"type": "corpus", "format": 1, "name": "notes"}'
DOCUMENT = '{"type": "document", "id": "a"}'


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "this is not an export of a corpus"),
        ([DOCUMENT], "line 1: this is not an export"),
        (['{"type": "corpus", "format": 2, "name": "x"}'], "newer release: found 2"),
        ([HEAD, "{"], "line 2: Invalid JSON"),
        ([HEAD, '{"type": "document"}'], "line 2.*id"),
        ([HEAD, '{"type": "document", "id": "a", "titel": "x"}'], "line 2.*titel"),
        ([HEAD, '{"type": "thing"}'], "line 2"),
        ([HEAD, '{"type": "block", "id": "b", "document": "a"}'], "does not follow the document"),
        ([HEAD, DOCUMENT, '{"type": "block", "id": "b", "document": "x"}'], "does not follow"),
        (
            [
                HEAD,
                DOCUMENT,
                '{"type": "block", "id": "b", "document": "a", "vectors": {"m": "?"}}',
            ],
            "block 'b': an embedding is base64 of float32",
        ),
    ],
)
def test_what_is_not_an_export_is_refused(tmp_path: Path, lines: list[str], said: str):
    with (
        Corpus.open_records(tmp_path, principal=WHO) as corpus,
        pytest.raises(InputError, match=said),
    ):
        imported(corpus, lines)
