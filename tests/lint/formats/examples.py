"""Reports that formats are tried on."""

from __future__ import annotations

from hypothesis import strategies as st

from biblicus_context.lint.engine.finding import Edit, Finding, Severity
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.reading.yaml.tree import Place

TEXT = "kind: context\nname: support\npolcy: small\nmessages: []\n"

MISSPELT = Finding(
    Place(3, 1),
    "unknown key",
    "polcy",
    ("name", "policy"),
    code="BC101",
    name="unknown-key",
    severity=Severity.ERROR,
    file="contexts/a.yaml",
)
EMPTY = Finding(
    Place(4, 1),
    "nothing is placed, 100%",
    advice="Remove it,\nor fill it.",
    edits=(Edit(Place(4, 1), Place(5, 1), ""),),
    code="BC506",
    name="empty-plan",
    severity=Severity.WARNING,
    file="contexts/a.yaml",
)
HINT = Finding(
    Place(1, 1),
    "a hint",
    code="BC900",
    name="hint",
    severity=Severity.NOTE,
    file="contexts/b.yaml",
)

RULE = Rule("BC101", "unknown-key", Severity.ERROR, "biblicus_context.lint.rules.files")


def report(*findings: Finding, notices: tuple[str, ...] = ()) -> LintReport:
    files = ("contexts/a.yaml", "contexts/b.yaml", "contexts/c.yaml")
    texts = {"contexts/a.yaml": TEXT, "contexts/b.yaml": "kind: context\n"}
    return LintReport(findings, (RULE,), files, 4, 0.25, texts, notices)


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
    place=_PLACES,
    problem=_WORDS,
    found=st.none() | _WORDS,
    valid=st.tuples() | st.tuples(_WORDS, _WORDS),
    advice=st.none() | _WORDS,
    edits=st.just(()) | st.tuples(st.builds(Edit, _PLACES, _PLACES, _WORDS)),
)

REPORTS = st.builds(
    LintReport,
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
