"""BC217: an embedder that cannot be made."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature

from biblicus_context.embedders.registry import EMBEDDERS
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import own_settings
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import ASKING

_OPEN_AI = "openai"


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    settings = own_settings(plan.declaration, declared)
    embedder = settings.embedder if settings else None
    if embedder is None or "embedder" not in plan.document.tree.at(["config"]).members:
        return
    path: tuple[str, ...] = ("config", "embedder")
    if embedder == _OPEN_AI:
        yield plan.violation(
            path,
            "the embedder has no settings",
            found=_OPEN_AI,
            advice="Write {type: openai, model: MODEL, dimensions: NUMBER}.",
        )
        return
    if isinstance(embedder, str):
        name, options = embedder, {}
    else:
        options = dict(embedder.settings)
        name, path = options.pop("type"), (*path, "type")
    if name == _OPEN_AI:  # the schema knows its settings
        return
    yield from _unknown_or_refused(plan, path, name, options)


def _unknown_or_refused(
    plan: Plan, path: tuple[str, ...], name: str, options: dict[str, object]
) -> Iterator[Violation]:
    try:
        maker = EMBEDDERS.find(name)
    except ContextError as error:  # the package that adds it does not load
        yield plan.violation(path, error.problem, found=name, advice=error.fix)
        return
    if maker is None:
        yield plan.violation(
            path,
            "unknown embedder",
            found=name,
            valid=EMBEDDERS.names,
            advice="Install the package that adds it, or pass an embedder from Python.",
        )
        return
    try:
        signature(maker).bind(**options)
    except TypeError as error:
        yield plan.violation(path, f"embedder {name!r}: {error}")


RULE = Rule(
    code="BC217",
    name="invalid-embedder",
    severity=Severity.ERROR,
    finds="The embedder of a corpus is not installed, or does not accept its settings.",
    why="The corpus can be neither indexed nor searched by meaning.",
    instead=(
        "Write one of the names that the finding lists, with the settings of this embedder, or "
        "`null` to search by words only."
    ),
    bad="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder: minilmm  # <- BC217
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
  embedder: minilm
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
