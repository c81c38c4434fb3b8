"""Reports that formats are tried on."""

from __future__ import annotations

from hypothesis import strategies as st

from biblicus_context.lint.engine.finding import Edit, Finding, Remark, Severity
from biblicus_context.lint.engine.report import Report
from biblicus_context.lint.engine.rule import Rule, by_the_reader
from biblicus_context.reading.yaml.tree import Place

TEXT = "kind: context\nname: support\npolcy: small\nmessages: []\n"

MISSPELT = Finding(
    "BC101",
    "unknown-key",
    Severity.ERROR,
    "contexts/a.yaml",
    Remark(Place(3, 1), "unknown key", "polcy", ("name", "policy")),
)
EMPTY = Finding(
    "BC506",
    "empty-plan",
    Severity.WARNING,
    "contexts/a.yaml",
    Remark(
        Place(4, 1),
        "nothing is placed, 100%",
        advice="Remove it,\nor fill it.",
        edits=(Edit(Place(4, 1), Place(5, 1), ""),),
    ),
)
HINT = Finding("BC900", "hint", Severity.NOTE, "contexts/b.yaml", Remark(Place(1, 1), "a hint"))

RULE = Rule(
    code="BC101",
    name="unknown-key",
    severity=Severity.ERROR,
    finds="A key nobody reads.",
    why="It does nothing.",
    instead="Spell it right.",
    bad="",
    good="",
    check=by_the_reader,
)


def report(*findings: Finding, notices: tuple[str, ...] = ()) -> Report:
    files = ("contexts/a.yaml", "contexts/b.yaml", "contexts/c.yaml")
    texts = {"contexts/a.yaml": TEXT, "contexts/b.yaml": "kind: context\n"}
    return Report(findings, (RULE,), files, 4, 0.25, texts, notices)


_WORDS = st.text(
    st.one_of(st.characters(), st.sampled_from("\t\n %:,<&\ud800\x00漢🙂")), max_size=30
)
_PLACES = st.builds(Place, st.integers(1, 6), st.integers(1, 40))

FINDINGS = st.builds(
    Finding,
    code=st.sampled_from(["BC101", "BC506"]),
    name=st.just("some-name"),
    severity=st.sampled_from(Severity),
    file=st.sampled_from(["contexts/a.yaml", "elsewhere/ü %,:.yaml", "/abs/x.yaml"]),
    remark=st.builds(
        Remark,
        place=_PLACES,
        problem=_WORDS,
        found=st.none() | _WORDS,
        valid=st.tuples() | st.tuples(_WORDS, _WORDS),
        advice=st.none() | _WORDS,
        edits=st.just(()) | st.tuples(st.builds(Edit, _PLACES, _PLACES, _WORDS)),
    ),
)

REPORTS = st.builds(
    Report,
    findings=st.lists(FINDINGS, max_size=4).map(tuple),
    rules=st.just((RULE,)),
    files=st.just(("contexts/a.yaml", "elsewhere/ü %,:.yaml", "/abs/x.yaml")),
    documents=st.integers(0, 9),
    seconds=st.floats(0, 9),
    texts=st.dictionaries(
        st.sampled_from(["contexts/a.yaml", "/abs/x.yaml"]), st.lists(_WORDS).map("\n".join)
    ),
    notices=st.tuples() | st.tuples(_WORDS),
)
