"""Names: what is declared, and what is used."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from inspect import signature
from math import fsum
from pathlib import Path
from typing import Any, Final

from biblicus_context.assembly.graph import DEEPEST, MOST_PACKS
from biblicus_context.base.gitignore import IgnorePatterns, parse_line
from biblicus_context.base.globs import Globs
from biblicus_context.embedders.registry import EMBEDDERS
from biblicus_context.errors import ContextError, LoadError, UnknownNameError, closest, nearest
from biblicus_context.lint.engine.finding import Severity, Violation, Violations
from biblicus_context.lint.engine.rule import rule, rules_of_reader
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.project.builtin_retrievers import (
    searches_own_corpus,
    setting_problems,
    violation_of,
)
from biblicus_context.lint.facts.project.combined_retrievers import (
    all_settings,
    source_name,
    sources_in,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import (
    corpus_files,
    corpus_searched_by,
    own_settings,
    root_folder,
    texts_under,
)
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import without_effect
from biblicus_context.lint.facts.templates.inputs import declared_inputs
from biblicus_context.lint.facts.templates.texts import Steps
from biblicus_context.reading.compactor_settings import compactors_of
from biblicus_context.reading.kinds import Kind
from biblicus_context.reading.listed_names import listed, sorted_names
from biblicus_context.reading.outline import Noun
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.corpus import CorpusDeclaration, has_index
from biblicus_context.spec.retriever import COMBINED, RetrieverDeclaration
from biblicus_context.text.compaction import COMPACTORS
from biblicus_context.text.messages.framing import FRAMINGS
from biblicus_context.text.templates.placeholders import PLACEHOLDER

FOUND_BY_READER: Final = rules_of_reader(
    __name__,
    {
        "BC201": "unknown-pack",
        "BC202": "unknown-policy",
        "BC203": "unknown-corpus",
        "BC204": "unknown-compactor",
        "BC205": "duplicate-name",
        "BC206": "conflicting-name",
        "BC207": "context-cycle",
        "BC208": "compactor-cycle",
        "BC209": "retriever-cycle",
        "BC210": "unknown-format",
        "BC220": "invalid-like",
    },
)

_MOST_LISTED: Final = 8
_PASSED: Final = "List {} that are passed from Python under 'known' in the settings."


def _nearest(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The known names that are most like a wrong one, where all of them would be too many."""
    return (*closest(name, known)[:_MOST_LISTED], "...")


# Names that policies and compactors use.


@rule("BC211", "unknown-model", Severity.ERROR, depends_on=())
def unknown_model(plan: Plan, declared: Declarations) -> Violations:
    """Finds the model as the engine does: with or without a provider prefix and a date suffix."""
    policy = policy_in(plan)
    if policy is None or policy.spec.model is None or policy.spec.fallback_counter:
        return
    try:
        declared.yardsticks.models.find(policy.spec.model)
    except UnknownNameError as error:
        yield plan.violation(
            policy.at("model"),
            "unknown model",
            found=error.name,
            valid=_nearest(error.name, error.known),
            advice="'biblicus-context models' lists all models; 'models-file' in the settings adds others; "
            "'fallback_counter' in the policy counts for unknown ones.",
        )


@rule("BC212", "unknown-counter", Severity.ERROR, depends_on=())
def unknown_counter(plan: Plan, declared: Declarations) -> Violations:
    """Finds the counter as the engine does, without loading its vocabulary."""
    policy = policy_in(plan)
    if policy is None:
        return
    named = {"counter": policy.spec.counter, "fallback_counter": policy.spec.fallback_counter}
    for key, name in named.items():
        if name is not None and name not in declared.counters:
            yield from _unknown_counter(plan, declared, policy.at(key), name)


def _unknown_counter(plan: Plan, declared: Declarations, path: Steps, name: str) -> Violations:
    try:
        declared.yardsticks.counters.get(name)
    except UnknownNameError as error:
        valid = _nearest(name, (*error.known, *declared.counters))
        advice = _PASSED.format("counters")
        yield plan.violation(path, "unknown counter", found=name, valid=valid, advice=advice)
    except LoadError as error:
        yield plan.violation(path, error.problem, found=name)


@rule("BC213", "unknown-framing", Severity.ERROR, depends_on=())
def unknown_framing(plan: Plan, _: Declarations) -> Violations:
    """Checks framings by name; framings by numbers are always known."""
    policy = policy_in(plan)
    framing = policy.spec.framing if policy else None
    if policy and isinstance(framing, str) and framing not in FRAMINGS:
        path = policy.at("framing")
        yield plan.violation(path, "unknown framing", found=framing, valid=tuple(FRAMINGS))


@rule("BC214", "unknown-summarizer", Severity.ERROR)
def unknown_summarizer(plan: Plan, declared: Declarations) -> Violations:
    """Checks names under `using` against declared compactors and functions passed from Python."""
    known = declared.from_python.get("compactor", frozenset())
    for path, settings in compactors_of(plan.declaration):
        name = settings.get("using")
        if not isinstance(name, str) or ("compactor", name) in declared.by_name or name in known:
            continue
        yield plan.violation(
            (*path, "using"),
            "unknown summarizing function",
            found=name,
            valid=listed(name, sorted_names(known)),
            advice=_PASSED.format("functions"),
        )


# Settings of retrievers and corpora.


@rule("BC215", "unknown-retriever-id", Severity.ERROR, depends_on=())
def unknown_retriever_id(plan: Plan, declared: Declarations) -> Violations:
    for problem in setting_problems(plan, declared):
        if problem.path[-1:] == ("retriever_id",):
            yield violation_of(plan, problem)


@rule("BC216", "invalid-retriever-setting", Severity.ERROR, depends_on=())
def invalid_retriever_setting(plan: Plan, declared: Declarations) -> Violations:
    for problem in setting_problems(plan, declared):
        if problem.path[-1:] != ("retriever_id",):
            yield violation_of(plan, problem)


_OPEN_AI: Final = "openai"


@rule("BC217", "invalid-embedder", Severity.ERROR, depends_on=())
def invalid_embedder(plan: Plan, declared: Declarations) -> Violations:
    settings = own_settings(plan.declaration, declared)
    embedder = settings.embedder if settings else None
    path: Steps = ("config", "embedder")
    if embedder is None or "embedder" not in plan.document.tree.at(["config"]).members:
        return
    if embedder == _OPEN_AI:
        advice = "Write {type: openai, model: MODEL, dimensions: NUMBER}."
        yield plan.violation(path, "the embedder has no settings", found=_OPEN_AI, advice=advice)
    elif isinstance(embedder, str):
        yield from _unknown_or_refused(plan, path, embedder, {})
    else:
        name, options = str(embedder.settings["type"]), {**embedder.settings}
        del options["type"]
        if name != _OPEN_AI:  # the schema knows its settings
            yield from _unknown_or_refused(plan, (*path, "type"), name, options)


def _unknown_or_refused(
    plan: Plan, path: Steps, name: str, options: Mapping[str, Any]
) -> Violations:
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


# Combined retrievers.


def _combined_settings(plan: Plan) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """The settings of a retriever, and of each that it declares in place, with their paths."""
    return all_settings(plan.retriever.config) if plan.retriever else iter(())


@rule("BC218", "context-as-source", Severity.ERROR)
def context_as_source(plan: Plan, declared: Declarations) -> Violations:
    for path, config in _combined_settings(plan):
        for index, source in sources_in(config):
            named = source_name(source)
            if named is not None and ("context", named[1]) in declared.by_name:
                yield plan.violation(
                    (*path, "of", index, *named[0]),
                    "a source is a retriever, and this is a context",
                    found=named[1],
                    advice="Insert the context next to the combined retriever.",
                )


_ROUNDING: Final = 0.011
"""Thirds are written as 0.33."""


@rule("BC219", "weights-sum", Severity.WARNING)
def weights_sum(plan: Plan, _: Declarations) -> Violations:
    for path, config in _combined_settings(plan):
        weights = [*_weights(config.get("rank"))]
        total = fsum(weights)
        if _are_fractions(weights) and abs(total - 1) > _ROUNDING:
            parts = " + ".join(f"{weight:g}" for weight in weights)
            yield plan.violation(
                (*path, "rank"),
                f"the weights are fractions, and their sum is {parts} = {total:g}",
                advice="Correct the weight that is wrong; they are divided by their sum.",
            )


def _weights(rank: object) -> Iterator[float]:
    for given in rank.values() if isinstance(rank, Mapping) else ():
        weight = given.get("weight", 1.0) if isinstance(given, Mapping) else given
        if isinstance(weight, int | float) and not isinstance(weight, bool):
            yield float(weight)


def _are_fractions(weights: list[float]) -> bool:
    """Whether their author divides 1 among them: all are below 1, and there are several."""
    return len(weights) > 1 and all(0 <= weight < 1 for weight in weights)


@rule("BC222", "ineffective-source-weight", Severity.WARNING)
def ineffective_source_weight(plan: Plan, _: Declarations) -> Violations:
    for path, config in _combined_settings(plan):
        for index, source in () if _uses_scores(config.get("rank")) else sources_in(config):
            if isinstance(source, Mapping) and "weight" in source:
                yield without_effect(
                    plan,
                    (*path, "of", index, "weight"),
                    "rank does not use the scores of the sources",
                    "Add similarity to rank, or remove the weight.",
                    is_removed=False,
                )


def _uses_scores(rank: object) -> bool:
    """Whether the scores of the sources count; a part of another package may use them."""
    if isinstance(rank, str):
        return rank == "similarity"
    if not isinstance(rank, Mapping):
        return True
    return "similarity" in {
        str(given.get("type", name)) if isinstance(given, Mapping) else name
        for name, given in rank.items()
    }


@rule("BC223", "corpus-of-combined-retriever", Severity.ERROR, depends_on=())
def corpus_of_combined_retriever(plan: Plan, _: Declarations) -> Violations:
    retriever = plan.retriever
    if retriever is None or retriever.corpus is None:
        return
    if retriever.config.get("retriever_id") == COMBINED:
        yield plan.violation(
            ("corpus",),
            "a combined retriever whose sources are declared elsewhere searches no corpus itself",
            found=retriever.corpus,
            advice="Write the corpus next to the retriever_id of each source, or declare all in place.",
        )


@rule("BC224", "too-many-packs", Severity.ERROR)
def too_many_packs(plan: Plan, declared: Declarations) -> Violations:
    """Reports the innermost context or combined retriever that the engine refuses."""
    extent = declared.too_large.get(plan.declaration.name)
    if extent is None or plan.kind not in ("context", "retriever"):
        return
    what = f"{extent.packs:,} packs and sources, {MOST_PACKS:,} are the most"
    if extent.depth > DEEPEST:
        what = f"{extent.depth:,} levels inside each other, {DEEPEST} are the most"
    yield plan.violation(
        ("name",),
        f"the {plan.kind} asks for {what}",
        found=plan.declaration.name,
        advice="Insert or combine fewer names on each level: every path to a name is asked.",
    )


# Names that are declared.

_USED_AS: Final[Mapping[Kind, Noun]] = {
    "policy": "policy",
    "format": "format",
    "retriever": "pack",
    "corpus": "corpus",
    "compactor": "compactor",
}
"""Contexts are not among them, because callers use those by name."""


@rule("BC221", "unused-declaration", Severity.WARNING)
def unused_declaration(plan: Plan, declared: Declarations) -> Violations:
    """Reports nothing while a file of the project is invalid, because it may use the name."""
    noun, name = _USED_AS.get(plan.kind), plan.declaration.name
    if noun is None or not declared.is_whole or (noun, name) in declared.used:
        return
    if noun == "compactor" and name in declared.functions:
        return
    problem = f"the {plan.kind} {name!r} is not used in this project"
    yield plan.violation(("name",), problem, advice="Remove it, or use it.")


@rule("BC231", "shadowed-builtin", Severity.WARNING, depends_on=())
def shadowed_builtin(plan: Plan, _: Declarations) -> Violations:
    """Declared compactors take precedence over built-in ones."""
    name = plan.declaration.name
    if plan.kind == "compactor" and name in COMPACTORS.entries:
        problem = f"the compactor {name!r} replaces the built-in compactor of this name"
        yield plan.violation(("name",), problem, advice="Rename it.")


@rule("BC232", "confusable-name", Severity.WARNING, depends_on=())
def confusable_name(plan: Plan, declared: Declarations) -> Violations:
    """Compares names of one kind without case and separators; the first declaration is not reported."""
    name = plan.declaration.name
    first = declared.similar(plan.kind, name)
    if first is not None and first.name != name:
        yield plan.violation(
            ("name",),
            f"the name differs from {first.name!r} only in case or separators",
            found=name,
            advice=f"Rename one of them; the other is declared at {first.file}:{first.place.line}.",
        )


@rule("BC233", "invalid-input-name", Severity.WARNING, depends_on=())
def invalid_input_name(plan: Plan, _: Declarations) -> Violations:
    """Skips inputs that a template finds by their quoted names."""
    for name, _spec, path in declared_inputs(plan):
        if not _can_be_named(name) and not _is_looked_up(name, plan):
            yield plan.violation(
                path,
                "the input name cannot be used in a placeholder",
                found=name,
                advice="Use letters, digits and underscores, and begin with a letter.",
            )


def _can_be_named(name: str) -> bool:
    return "." not in name and PLACEHOLDER.fullmatch(f"{{input.{name}}}") is not None


def _is_looked_up(name: str, plan: Plan) -> bool:
    texts = plan.context.texts if plan.context else ()
    return any(quoted in text for text in texts for quoted in (f"'{name}'", f'"{name}"'))


@rule("BC234", "extra-whitespace-in-name", Severity.WARNING, depends_on=())
def extra_whitespace_in_name(plan: Plan, _: Declarations) -> Violations:
    """Checks names with all whitespace that quotes and block texts keep."""
    name = plan.declaration.name
    if name != " ".join(name.split()):
        problem, advice = (
            "the name has extra whitespace",
            "Write it on one line, without spaces around it.",
        )
        yield plan.violation(("name",), problem, found=name, advice=advice)


# Files that corpora and retrievers name.


@rule("BC241", "missing-root", Severity.WARNING, depends_on=())
def missing_root(plan: Plan, declared: Declarations) -> Violations:
    corpus = plan.corpus
    if corpus is None or "root" not in corpus.config:
        return
    root, written = root_folder(corpus, declared), str(corpus.config["root"])
    if root is None or os.path.lexists(root) or _is_reported(written):
        return
    problem, advice = "the root of the corpus does not exist", _root_meant(root, written)
    yield plan.violation(("config", "root"), problem, found=written, advice=advice)


def _is_reported(written: str) -> bool:
    """Whether BC703 or BC705 reports it: a path of one machine, or a variable that is not filled."""
    return Path(written).is_absolute() or any(sign in written for sign in "$%~")


def _root_meant(root: Path, written: str) -> str:
    try:
        others = [entry.name for entry in os.scandir(root.parent) if not entry.name.startswith(".")]
    except OSError:
        others = []
    guess = nearest(root.name, others)
    if guess is None:
        return "Create the folder, or correct the path, which is relative to this file."
    return f"Did you mean {written.removesuffix(root.name) + guess!r}?"


@rule("BC242", "unmatched-pattern", Severity.WARNING, depends_on=())
def unmatched_pattern(plan: Plan, declared: Declarations) -> Violations:
    if plan.corpus:
        yield from _unmatched_in_corpus(plan, plan.corpus, declared)
    elif plan.retriever and searches_own_corpus(plan.retriever, declared):
        yield from _unmatched_in_filter(plan, plan.retriever, declared)


def _unmatched_in_corpus(
    plan: Plan, corpus: CorpusDeclaration, declared: Declarations
) -> Violations:
    has_patterns = corpus.config.keys() & {"include", "exclude"}
    found = corpus_files(corpus, declared) if has_patterns else None
    if found is None:
        return
    for setting in ("include", "exclude"):
        for path, pattern in texts_under(plan.document, ("config", setting)):
            if parse_line(pattern) is None:
                yield plan.violation(path, "this is not a .gitignore pattern", found=pattern)
            elif not _matches(pattern, found.entries):
                yield _unmatched(plan, path, pattern)


def _unmatched_in_filter(
    plan: Plan, retriever: RetrieverDeclaration, declared: Declarations
) -> Violations:
    corpus = corpus_searched_by(retriever, declared)
    globs = list(texts_under(plan.document, ("config", "filters", "path")))
    found = corpus_files(corpus, declared) if corpus and globs else None
    if found is None:
        return
    for path, glob in globs:
        # A number sign separates a file from a record in it.
        if has_placeholders(glob) or "#" in glob:
            continue
        if not any(map(Globs([glob]).match, found.files)):
            yield _unmatched(plan, path, glob)


def _matches(pattern: str, entries: Collection[str]) -> bool:
    patterns = IgnorePatterns([pattern])
    return any(patterns.verdict(entry) is not None for entry in entries)


def _unmatched(plan: Plan, path: Steps, pattern: str) -> Violation:
    problem = "the pattern matches no file of the corpus"
    advice = "Patterns are relative to the root of the corpus."
    return plan.violation(path, problem, found=pattern, advice=advice)


_PATH: Final = re.compile(r"[^:#]*(?:/[^:#]*|\.[A-Za-z]\w{0,7})")
"""What looks like a path; anything else may be an id, which only the index knows."""


@rule("BC243", "missing-document", Severity.WARNING, depends_on=())
def missing_document(plan: Plan, declared: Declarations) -> Violations:
    retriever = plan.retriever
    named = [
        (path, document)
        for setting in ("documents", "from")
        for path, document in texts_under(plan.document, ("config", setting))
        if _PATH.fullmatch(document) and not has_placeholders(document)
    ]
    if retriever is None or not named or not searches_own_corpus(retriever, declared):
        return
    corpus = corpus_searched_by(retriever, declared)
    found = corpus_files(corpus, declared) if corpus else None
    if found is None:
        return
    for path, document in named:
        if document not in found.files:
            yield plan.violation(
                path,
                "the corpus has no such document",
                found=document,
                valid=_nearest(document, found.files),
                advice="Paths are relative to the root of the corpus.",
            )


_PLACES: Final = ("root", "store")


@rule("BC244", "misspelt-root", Severity.WARNING, depends_on=())
def misspelt_root(plan: Plan, declared: Declarations) -> Violations:
    corpus = plan.corpus
    if corpus is None or has_index(corpus.config):
        return
    if corpus.name in declared.from_python.get("corpus", ()):
        return
    for key in corpus.config:
        if any(_is_one_typing_error(key, place) for place in _PLACES):
            problem = "the corpus has neither root nor store"
            yield plan.violation(("config", key), problem, found=key, valid=_PLACES)


def _is_one_typing_error(key: str, place: str) -> bool:
    from rapidfuzz.distance import OSA  # loaded only where a corpus has no place

    return OSA.distance(key, place, score_cutoff=1) == 1
