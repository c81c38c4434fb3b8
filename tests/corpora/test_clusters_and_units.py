"""What programs can learn of the hits and documents of a corpus, besides their texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import Corpus, CorpusDeclaration, Record
from biblicus_context.ingest import RecordPart
from biblicus_context.systems.learning import CodeUnit, code_unit

TEXTS = {
    "a1": "The clock has another time zone.",
    "a2": "Another time zone of the clock.",
    "a3": "The time zone of that clock.",
    "b1": "The disk of the server is full.",
    "b2": "The server has a full disk.",
    "c1": "",
}


@pytest.fixture
def records(tmp_path: Path) -> Corpus:
    corpus = Corpus.open_records(tmp_path / "records")
    corpus.put([Record(id=name, text=text, kind=name[0]) for name, text in TEXTS.items()])
    return corpus


def test_likeness_is_the_cosine_whatever_ranked_the_hits(records: Corpus):
    hits = records.search("time zone", limit=5)
    known = dict(
        zip([each.document.id for each in hits], records.likeness("time zone", hits), strict=True)
    )
    assert known["a3"] > 0.4 > known["b2"] >= 0
    assert records.likeness("time zone", []) == []
    same = records.search(TEXTS["a1"], limit=1)
    assert records.likeness(TEXTS["a1"], same)[0] == pytest.approx(1, abs=0.01)


def test_likeness_without_an_embedder_is_the_share_of_the_words_of_the_query(tmp_path: Path):
    settings = {"store": str(tmp_path / "words"), "embedder": None}
    with Corpus.open(CorpusDeclaration(name="words", config=settings)) as corpus:
        corpus.put([Record(id=name, text=text) for name, text in TEXTS.items()])
        hits = corpus.search("disk", limit=5)
        assert corpus.likeness("disk", hits) == [1, 1]
        assert all(0 < each < 1 for each in corpus.likeness("disk elephant", hits))
        assert corpus.clusters() == []


def test_clusters_are_of_documents_that_say_something_similar(records: Corpus):
    first, second = records.clusters(most=2)
    assert {each.id for each in first.members} == {"a1", "a2", "a3"}
    assert {each.id for each in second.members} == {"b1", "b2"}
    assert first.text in TEXTS.values()
    assert 0.5 < first.likeness <= 1.001
    assert records.clusters(most=2) == [first, second]


def test_clusters_compare_the_text_that_a_caller_names(tmp_path: Path):
    """Such as one part of each record; without a text a record is in no cluster."""
    parts = {"a1": ("Tea", TEXTS["a1"]), "b1": ("Tea", TEXTS["b1"]), "a2": ("Tea", TEXTS["a2"])}
    with Corpus.open_records(tmp_path / "parts") as corpus:
        corpus.put(
            Record(
                id=name,
                parts=tuple(
                    RecordPart(text=text, metadata={"n": n}) for n, text in enumerate(both)
                ),
            )
            for name, both in parts.items()
        )
        found = corpus.clusters(most=2, text_of=lambda record: record.parts[1].text)
        assert [{each.id for each in one.members} for one in found] == [{"a1", "a2"}]
        assert found[0].text in (TEXTS["a1"], TEXTS["a2"])
        assert corpus.clusters(text_of=lambda _: "") == []


def test_clusters_are_bounded_and_filtered(records: Corpus):
    assert records.clusters({"kind": "c"}) == []
    assert records.clusters(most=0) == []
    (one,) = records.clusters({"kind": "b"}, most=9, of=2)[:1] or [None]
    assert one is None or len(one.members) == 2
    assert records.clusters(of=1) == []


JAVA = "@Override\npublic int area(int x) {\n  return x;\n}\n"
SIGNATURE = 'def f(\n    one: dict[str, int],\n    two="(",\n) -> int:'
LONG = f"'{'long ' * 450}'"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", "import os\n\n@cache\ndef f(x):\n    'Says.'\n", ("function", "f", 4)),
        ("a.py", "class A(B):\n    pass\n", ("class", "A", 1)),
        ("a.py", "    async def run(self):\n        pass\n", ("method", "run", 1)),
        ("a.py", "class A:\n    x = 1\n    def run(self):\n        pass\n", ("class", "A", 1)),
        ("a.py", '"""A\nclass of words.\n"""\nx = 1\n', ("code", "a.py", 1)),
        ("a.ts", "export interface Shape { x: number }\n", ("interface", "Shape", 1)),
        ("a.rs", "pub fn area(x: u8) -> u8 { x }\n", ("function", "area", 1)),
        ("a.java", JAVA, ("function", "area", 2)),
        ("a.py", "x = 1\n", ("code", "a.py", 1)),
    ],
)
def test_the_unit_of_a_hit_is_what_it_defines(
    tmp_path: Path, name: str, text: str, expected: tuple
):
    unit = unit_in(tmp_path, name, text)
    assert (unit.unit_type, unit.qualified_name, unit.start_line) == expected
    assert unit.file_path == name
    assert unit.signature.splitlines()[0] in text
    assert unit.docstring == ("'Says.'" if "Says" in text else "")


@pytest.mark.parametrize(
    ("name", "text", "signature", "docstring"),
    [
        ("a.py", f'{SIGNATURE}\n    """A.\n\n    B.\n    """\n', SIGNATURE, '"""A.\n\nB.\n"""'),
        ("a.py", "def f():  # why\n    r'Says.'\n", "def f():", "r'Says.'"),
        ("a.py", "def f():\n    ', '.join(x)\n", "def f():", ""),
        ("a.py", f"def f():\n    {LONG}\n", "def f():", LONG),
        (
            "a.ts",
            "/** Now. */\nfunction now({a}: A): int {\n}\n",
            "function now({a}: A): int",
            "/** Now. */",
        ),
        ("a.go", "// Now says.\nfunc Now() int {\n}\n", "func Now() int", "// Now says."),
        ("a.rb", "# Says.\ndef now(zone)\n  1\nend\n", "def now(zone)", "# Says."),
        ("a.c", "#define A 1\nint now(void) {\n  return A;\n}\n", "int now(void)", ""),
    ],
)
def test_a_unit_has_its_whole_signature_and_what_documents_it(
    tmp_path: Path, name: str, text: str, signature: str, docstring: str
):
    """A docstring in Python; in other languages the comment above."""
    unit = unit_in(tmp_path, name, text)
    assert (unit.signature, unit.docstring) == (signature, docstring)


def unit_in(folder: Path, name: str, text: str) -> CodeUnit:
    (folder / "src").mkdir()
    (folder / "src" / name).write_text(text)
    with Corpus.open(folder / "src") as corpus:
        corpus.ingest()
        return code_unit(corpus.search(text, limit=1)[0])
