"""A declared corpus may be the history of a repository: indexed, searched, and known to be stale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, InputError, LoadError, PlanError
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.local_indexes import open_local_index
from biblicus_context.corpora.staleness import Staleness, measure_staleness
from biblicus_context.reading.load import read_documents
from biblicus_context.spec.corpus import CorpusDeclaration
from tests.ingest.git.build import SPRING, Made, git, repository, shas

COMMITS = [
    Made(b"Boil the tea", {b"tea.md": b"# Tea\n\nHot water.\n"}),
    Made(b"Bake the bread", {b"bread.md": b"# Bread\n\nRye.\n"}, time=SPRING + 86_400),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "kitchen", COMMITS)


def history(root: Path, **settings: object) -> Corpus:
    config = {"root": str(root), "source": "git", **settings}
    return Corpus.open(CorpusDeclaration(name="history", config=config))


def test_commits_are_found_by_what_they_say(root: Path):
    with history(root) as corpus:
        assert len(corpus.ingest().added) == 2
        best = corpus.search("who made tea?")[0]
        assert (best.source, best.document.kind) == (shas(root)[1], "commit")
        assert corpus.search("tea", filters={"kind": "commit", "created": {"before": "2024-05-02"}})


def test_an_index_is_stale_while_head_has_commits_that_it_does_not(root: Path):
    with history(root) as corpus:
        corpus.ingest()
        assert measure_staleness(corpus) == Staleness(0, 0, 0)
        git(root, "reset", "--quiet", "--hard", "HEAD~1")
        repository(root, [Made(b"Salt", {b"salt.md": b"x"}), Made(b"Soup", {b"soup.md": b"x"})])
        assert measure_staleness(corpus) == Staleness(2, 0, 1)
        place = corpus.place
    with open_local_index(str(place)) as found:
        assert measure_staleness(found) is None


def test_a_receipt_warns_of_new_commits(root: Path):
    def assembler(index: str) -> ContextAssembler:
        return ContextAssembler(
            {"page": {"packs": ["why"]}},
            {"why": {"corpus": "history", "config": {"retriever_id": "keyword", "query": "tea"}}},
            {"history": {"config": {"root": str(root), "source": "git"}}},
            index=index,
        )

    assert assembler("missing").assemble("page").receipt.warnings == ()
    repository(root, [Made(b"More tea", {b"tea.md": b"x"})])
    (warning,) = assembler("never").assemble("page").receipt.warnings
    assert warning.startswith("the index of corpus 'history' is stale (1 new commit). Run:")
    assert "More tea" in assembler("stale").assemble("page").system_prompt


def test_files_and_their_commits_in_one_store_lead_to_each_other(root: Path, tmp_path: Path):
    git(root, "checkout", "--quiet", "--force", "main")
    store = str(tmp_path / "store")
    files = CorpusDeclaration(name="files", config={"root": str(root), "store": store})
    with Corpus.open(files) as corpus, history(root, store=store) as commits:
        corpus.ingest()
        commits.ingest()
        assert corpus.ingest().unchanged == 2
        found = commits.search(
            "", **{"retriever_id": "related", "from": ["tea.md"], "direction": "in"}
        )
        assert [each.document.title for each in found] == ["Boil the tea"]
        (shown,) = corpus.search("", **{"retriever_id": "related", "from": [shas(root)[0]]})
        assert shown.source == "bread.md"


def test_a_folder_without_a_repository_leaves_no_index(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    with history(tmp_path / "plain") as corpus:
        with pytest.raises(InputError, match="not the top folder of a git repository"):
            corpus.ingest()
        assert not corpus.place.exists()


WRONG = [
    ({"source": "gti"}, "found 'gti'. Valid: files, git. Did you mean 'git'?"),
    ({"source": "git", "include": ["*.md"]}, "include, exclude and hidden select files"),
    ({"source": "git", "hidden": True}, "include, exclude and hidden select files"),
    ({"since": "90d"}, "since and paths select commits: add source: git"),
    ({"source": "files", "paths": ["src"]}, "since and paths select commits: add source: git"),
    ({"source": "git", "root": None, "store": "s"}, "`source: git` needs a `root`"),
    ({"source": "git", "since": "last year"}, "since is a date such as 2025-01-31"),
    ({"source": "git", "since": "2025-13-01"}, "since is a date such as 2025-01-31"),
]


@pytest.mark.parametrize(("settings", "said"), WRONG)
def test_settings_that_do_not_fit_the_source_are_errors(settings: dict, said: str):
    config = {
        key: value for key, value in {"root": "kitchen", **settings}.items() if value is not None
    }
    document = json.dumps({"kind": "corpus", "name": "history", "config": config})
    (problem,) = [
        each for each in read_documents(document, "c.yaml") if isinstance(each, LoadError)
    ]
    assert said in str(problem)
    assert problem.mistake in {"invalid-value", "conflicting-keys"}
    with pytest.raises(PlanError):
        Corpus.open(CorpusDeclaration(name="history", config=config))


@pytest.mark.parametrize(
    "settings",
    [{"source": "git", "since": "2024-02-29", "paths": ["a"]}, {"source": "git", "since": None}],
)
def test_settings_that_fit_are_accepted(settings: dict):
    config = {"root": "kitchen", **settings}
    document = json.dumps({"kind": "corpus", "name": "history", "config": config})
    assert not [each for each in read_documents(document, "c.yaml") if isinstance(each, LoadError)]
    assert Corpus.open(CorpusDeclaration(name="history", config=config)).history is not None
