"""Problems in the settings of the retrievers that this package implements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.base.deferred import Deferred
from biblicus_context.lint.engine.finding import Violation
from biblicus_context.lint.facts.project.combined_retrievers import all_settings
from biblicus_context.lint.facts.project.own_corpora import names_own_corpus
from biblicus_context.spec.retriever import COMBINED, WITHOUT_CORPUS, RetrieverDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declarations
    from biblicus_context.lint.facts.project.plan import Plan
    from biblicus_context.retrieval.requests.setting_problems import SettingsProblem

_OF_BIBLICUS: Final = frozenset(
    {"configuration", "configuration_name", "pipeline", "index", "snapshot_id"}
)
"""Settings that only retrievers of Biblicus have."""
_problems_of: Final = Deferred("biblicus_context.lint.facts.project.settings_problems:problems_of")
"""Loads the searches, which plans without retrievers do not need."""


def setting_problems(plan: Plan, declared: Declarations) -> Iterator[SettingsProblem]:
    """Problems of a retriever over a corpus with files, or of a combined one, unless Python provides it."""
    retriever = plan.declaration
    if not isinstance(retriever, RetrieverDeclaration):
        return
    if retriever.name not in declared.from_python.get("pack", ()):
        yield from _problems(retriever, declared)


def _problems(retriever: RetrieverDeclaration, declared: Declarations) -> Iterator[SettingsProblem]:
    for path, config in all_settings(retriever.config, ()):
        one = retriever.model_copy(update={"config": config})
        is_ours = _is_combined(config) or config.get("retriever_id") in WITHOUT_CORPUS
        if is_ours or searches_own_corpus(one, declared):
            yield from (each.below(*path) for each in _problems_of(config))


def _is_combined(config: Mapping[str, Any]) -> bool:
    """Also where its id is misspelt: nothing else has sources."""
    return config.get("retriever_id") == COMBINED or (
        "retriever_id" in config and isinstance(config.get("of"), Sequence)
    )


def violation_of(plan: Plan, problem: SettingsProblem) -> Violation:
    """A violation at the setting, or at the nearest key that exists."""
    found, text = problem.found, problem.problem
    if isinstance(found, int | float):
        text = f"{text}: found {found}"
    return plan.violation(
        ("config", *problem.path),
        text,
        found=found if isinstance(found, str) else None,
        valid=problem.valid,
        advice=problem.fix,
    )


def fills_share(retriever: RetrieverDeclaration, declared: Declarations) -> bool:
    """Whether it returns what its share holds: retrievers over corpora of ours, and combined ones."""
    return _is_combined(retriever.config) or searches_own_corpus(retriever, declared)


def searches_own_corpus(retriever: RetrieverDeclaration, declared: Declarations) -> bool:
    """As the engine decides: it has an id, and a declared corpus with a root or a store."""
    if retriever.name in declared.from_python.get("pack", ()):
        return False
    if "retriever_id" not in retriever.config or not _OF_BIBLICUS.isdisjoint(retriever.config):
        return False
    return names_own_corpus(retriever, declared)
