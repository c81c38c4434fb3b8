"""BC244: a corpus without `root` and `store`, and with a key that is nearly one of them."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import ASKING
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.corpus_settings import has_index

_PLACES = ("root", "store")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    corpus = plan.declaration
    if not isinstance(corpus, CorpusDeclaration) or has_index(corpus.config):
        return
    if corpus.name in declared.from_python.get("corpus", ()):
        return
    for key in corpus.config:
        if any(_is_one_typing_error(key, place) for place in _PLACES):
            yield plan.violation(
                ("config", key),
                "the corpus has neither root nor store",
                found=key,
                valid=_PLACES,
            )


def _is_one_typing_error(key: str, place: str) -> bool:
    from rapidfuzz.distance import OSA  # loaded only where a corpus has no place

    return OSA.distance(key, place, score_cutoff=1) == 1


RULE = Rule(
    code="BC244",
    name="misspelt-root",
    severity=Severity.WARNING,
    finds=(
        "A corpus has neither `root` nor `store`, and a setting whose name differs from one of them "
        "by one typing error."
    ),
    why=(
        "A corpus without both belongs to another library, which Python passes. Its settings are not "
        "checked, and its retrievers find nothing on the command line."
    ),
    instead="Correct the name of the setting.",
    bad="""\
kind: corpus
name: handbook
config: {rot: handbook}  # <- BC244
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config: {root: handbook}
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
