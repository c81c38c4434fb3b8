"""A file's documents as typed declarations, and each mistake as an error in its place."""

from __future__ import annotations

import pytest

from biblicus_context.errors import LoadError
from biblicus_context.reading import PlanDocument, read_documents
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.policy import PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration


def _only(data: str | bytes) -> PlanDocument | LoadError:
    (found,) = read_documents(data, "plan.yaml")
    return found


def _error(data: str | bytes) -> LoadError:
    found = _only(data)
    assert isinstance(found, LoadError)
    return found


@pytest.mark.parametrize(
    ("text", "declaration"),
    [
        ("kind: context\nname: a\nmessages: []\n", ContextDeclaration(name="a", messages=[])),
        (
            "kind: policy\nname: a\nwindow: 10\n",
            PolicyDeclaration(name="a", policy={"window": 10}),
        ),
        ("kind: retriever\nname: a\ncorpus: b\n", RetrieverDeclaration(name="a", corpus="b")),
        (
            "kind: corpus\nname: a\nconfig: {root: b}\n",
            CorpusDeclaration(name="a", config={"root": "b"}),
        ),
        (
            "kind: compactor\nname: a\nconfig: {type: tail}\n",
            CompactorDeclaration(name="a", config={"type": "tail"}),
        ),
    ],
)
def test_a_document_declares_what_python_would(text, declaration):
    found = _only(text)
    assert found.declaration == declaration
    assert (found.kind, found.file) == (text.split()[1], "plan.yaml")


def test_the_order_of_keys_does_not_matter():
    assert _only("name: a\nkind: policy\n").declaration == PolicyDeclaration(name="a", policy={})


def test_a_document_knows_its_line():
    found = read_documents(
        "# one\n---\n# two\nkind: policy\nname: a\n---\nkind: policy\nname: b\n", "x"
    )
    assert [(each.declaration.name, each.line) for each in found] == [("a", 4), ("b", 7)]


def test_a_document_that_is_wrong_leaves_the_others_readable():
    found = read_documents(
        'kind: policy\nname: a\n---\nname: "open\n---\nkind: what\n---\nkind: policy\nname: b\n',
        "x",
    )
    assert [isinstance(each, PlanDocument) for each in found] == [True, False, False, True]
    assert [each.line for each in found] == [1, 4, 6, 8]


def test_an_error_says_place_found_valid_and_what_to_do():
    error = _error("kind: context\nname: a\npolcy: small\n")
    assert (error.file, error.line, error.column, error.found) == ("plan.yaml", 3, 1, "polcy")
    assert "policy" in error.valid
    assert str(error).startswith("plan.yaml:3:1: unknown key: found 'polcy'. Valid: kind, name,")
    assert str(error).endswith("Did you mean 'policy'?")


def test_errors_are_told_in_the_order_of_lines():
    found = read_documents(
        "zzz: 1\nkind: context\nname: a\nmessages:\n- 5\n- {type: x}\npolicy: 7\naaa: 2\n", "x"
    )
    assert [error.line for error in found] == [1, 5, 6, 7, 8]


def test_a_byte_order_mark_is_no_text_and_moves_no_column():
    assert _error("\ufeffkindx: context\n".encode()).column == 1
    assert _error("\ufeffkind: contxt\n").column == 7


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("kind: a".encode("utf-16"), "UTF-16"),
        (b"kind: \xff", "UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "UTF-8"),
        (b"%PDF-1.7\n\x00", "control character"),
        (b"", "the file is empty"),
        (b"# nothing\n\n", "the file is empty"),
        (b"---\n# nothing\n", "empty"),
    ],
)
def test_a_file_that_is_not_a_plan_says_what_it_is(data, problem):
    error = _error(data)
    assert problem in str(error)
    assert error.fix


def test_no_more_errors_are_told_than_anyone_reads():
    text = "kind: context\nname: a\nmessages:\n" + "- 5\n" * 1_000
    assert len(read_documents(text, "x")) == 100
    assert (
        len(
            read_documents(
                "kind: context\nname: a\n" + "".join(f"k{n}: 1\n" for n in range(1_000)), "x"
            )
        )
        == 100
    )
    assert len(read_documents("{" + "a, " * 1_000 + "}", "x")) == 101
