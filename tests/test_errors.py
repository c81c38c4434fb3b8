"""An error is told in another process as it was raised in its own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, errors as tree
from biblicus_context.corpora import NotIndexedError, OtherEmbedderError, OtherRootError
from biblicus_context.shared_state import NotSharedError
from biblicus_context.stores import VersionGoneError

HERE = Path("notes")
ERRORS = [
    tree.ContextError("odd", place="here", found="a", valid=["b"], fix="Mend it."),
    tree.PlanError("odd").within("there"),
    tree.LoadError("odd", file="a.yaml", line=3, column=4),
    tree.ProjectError([tree.LoadError("odd", file="a.yaml", line=3, column=4)]),
    tree.UnknownNameError("Corpus", "nots", ["notes"], place="here"),
    tree.UnknownPackError("kb", ["notes"], place="here"),
    tree.CycleError(["a", "b", "a"]),
    tree.BudgetError("too much", budget=3, needed=4, parts={"kb": 4}),
    tree.RetrieverError("kb", "failed", fix="Ask again."),
    tree.MissingExtraError("numpy", "corpus"),
    NotIndexedError("notes", HERE),
    OtherEmbedderError("notes", HERE, wanted="a", kept=["b"]),
    OtherRootError("notes", HERE, kept=HERE),
    VersionGoneError("gone", place="at", found=3),
    NotSharedError("TimeoutError"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "kept", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_an_error_can_be_kept(error: tree.ContextError, kept: Callable[..., tree.ContextError]):
    twin = kept(error)
    assert type(twin) is type(error)
    assert (str(twin), twin.args) == (str(error), error.args)
    assert {**vars(twin), "problems": ()} == {**vars(error), "problems": ()}


def unknown() -> None:
    ContextAssembler({}).assemble("page")


def test_a_pool_of_processes_raises_it():
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(tree.UnknownNameError, match="Context 'page' not defined"),
    ):
        pool.submit(unknown).result()


@pytest.mark.parametrize(
    ("theirs", "ours", "valid"),
    [
        ("bm25", "keyword", ["hybrid", "keyword", "vector"]),
        ("semantic", "vector", ["hybrid", "keyword", "vector"]),
        ("ai", "assistant", ["system", "user", "assistant", "history"]),
        ("human", "user", ["system", "user", "assistant", "history"]),
        ("placeholder", "history", ["system", "user", "assistant", "history"]),
    ],
)
def test_a_name_of_another_library_leads_to_ours(theirs: str, ours: str, valid: list[str]) -> None:
    assert str(tree.ContextError("unknown", found=theirs, valid=valid)).endswith(f"mean '{ours}'?")
    assert "Did you mean" not in str(
        tree.ContextError("unknown", found=theirs, valid=["tea", "coffee"])
    )
