"""The linter: paths and settings in, a report out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from time import perf_counter

from biblicus_context.base.collection import without_collection
from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.lint.engine.finding import Finding, Violation
from biblicus_context.lint.engine.linted_file import LintedFile, ReadFile, read_file
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.rule import Check, Rule
from biblicus_context.lint.engine.rule_book import RuleBook, RuleSelection, rule_book, select_rules
from biblicus_context.lint.engine.scope import LintScope, ProjectFiles, lint_scope
from biblicus_context.lint.engine.settings import LintSettings, PythonNames
from biblicus_context.lint.engine.suppressions import apply_suppressions
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.nesting import cyclic_contexts
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.project.python_names import (
    declarations_of,
    model_table,
    names_from_python,
)
from biblicus_context.lint.rules.linter import FAILED_RULE
from biblicus_context.reading.cycles import name_cycles
from biblicus_context.reading.names import declared_names, repeated_names, unknown_names
from biblicus_context.reading.outline import Noun, Outline
from biblicus_context.reading.yaml.tree import Place


def lint(
    paths: Iterable[Path],
    settings: LintSettings | None = None,
    *,
    book: RuleBook | None = None,
    read: ReadFile = read_file,
) -> LintReport:
    """Check files and folders of plans; an editor passes a `read` that knows what is not saved yet.

    Raises ContextError where the settings are wrong, or where no file can be read.
    """
    with without_collection():  # everything read is needed until the report is made
        return _lint(tuple(paths), settings or LintSettings(), book or rule_book(), read)


def _lint(
    paths: Sequence[Path], settings: LintSettings, book: RuleBook, read: ReadFile
) -> LintReport:
    started = perf_counter()
    selection = select_rules(book.rules, settings)
    model_table(settings.known)  # fails before anything is read where that file is wrong
    scope = lint_scope(paths, settings)
    roots = [path for path in paths if path.is_dir()]
    files = {path: read(path, roots) for project in scope.projects for path in project.all}
    checked = _checked(scope, files)
    _require_a_readable_file(checked)
    findings, incomplete = _findings(scope, files, selection, book)
    reported = [
        finding
        for each in checked
        for finding in apply_suppressions(
            each, findings[each.file], selection, book, is_complete=each.file not in incomplete
        )
    ]
    with_findings = {finding.file for finding in reported}
    return LintReport(
        # Plans may share a file with a text, and then find the same in it.
        findings=tuple(
            sorted(dict.fromkeys(reported), key=lambda each: (each.file, each.place, each.code))
        ),
        rules=selection.rules,
        files=tuple(each.file for each in checked if each.is_read),
        documents=sum(len(each.understood_entries) for each in checked),
        seconds=perf_counter() - started,
        texts={
            file: text
            for each in checked
            for file, text in each.texts.items()
            if file in with_findings
        },
        notices=book.notices,
        roots=tuple(paths),
    )


def _checked(scope: LintScope, files: Mapping[Path, LintedFile]) -> list[LintedFile]:
    """Every path with findings of its own: those that name no files, and the checked files."""
    unusable = [LintedFile(each.file, is_read=False, errors=[each]) for each in scope.errors]
    return [*unusable, *(files[path] for project in scope.projects for path in project.checked)]


def _require_a_readable_file(checked: Sequence[LintedFile]) -> None:
    if any(each.is_read for each in checked):
        return
    errors = [error for each in checked for error in each.errors]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ProjectError(errors)


def _findings(
    scope: LintScope, files: Mapping[Path, LintedFile], selection: RuleSelection, book: RuleBook
) -> tuple[Mapping[str, Sequence[Finding]], frozenset[str]]:
    """All findings by file, and the files in which not every document could be checked."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    incomplete: set[str] = set()

    for each in _checked(scope, files):
        incomplete |= {each.file} if each.errors else set()
        findings[each.file] += (_of_reader(error, book) for error in each.errors)
    for project in scope.projects:
        errors = name_errors(project, files, selection.settings.known)
        # A file may be in several namespaces, so the same repeated name may be found twice.
        for finding in dict.fromkeys(_of_reader(error, book) for error in errors):
            findings[finding.file].append(finding)
        left_out = cyclic_contexts(
            entry.outline for path in project.all for entry in files[path].entries
        )
        for file, finding in _of_rules(project, files, selection, left_out):
            findings[file].append(finding)
        incomplete |= set(map(str, project.checked)) if left_out else set()
    return findings, frozenset(incomplete)


def _of_reader(error: LoadError, book: RuleBook) -> Finding:
    return book.by_selector[str(error.mistake)].finding_of(error)


def _of_rules(
    project: ProjectFiles,
    files: Mapping[Path, LintedFile],
    selection: RuleSelection,
    left_out: frozenset[str],
) -> Iterator[tuple[str, Finding]]:
    """The findings of the rules, by plan; contexts whose inserts lead into a cycle are left out."""

    def is_left_out(kind: str, name: str) -> bool:
        return kind == "context" and name in left_out

    # Files that are not checked declare names for those that are.
    paths = [*project.checked, *project.others]
    entries = [entry for path in paths for entry in files[path].understood_entries]
    declared = declarations_of(
        [entry for entry in entries if not is_left_out(entry.kind, entry.name)],
        selection.settings,
        partly_read=[entry for path in paths for entry in files[path].partly_read_entries],
        is_whole=not left_out and not any(files[path].errors for path in paths),
    )
    checks = [(rule, rule.check) for rule in selection.rules if rule.check]
    for path in project.checked:
        plans = [
            plan for plan in files[path].plans if not is_left_out(plan.kind, plan.declaration.name)
        ]
        for finding in _of_plans(plans, checks, declared):
            yield str(path), finding


def _of_plans(
    plans: Sequence[Plan], checks: Sequence[tuple[Rule, Check]], declared: Declarations
) -> Iterator[Finding]:
    """The findings of the documents of a file; of a setting that others take over only once."""
    reported: set[tuple[str, Place]] = set()
    taken_over: list[Finding] = []
    for plan in plans:
        for rule, check in checks:
            if rule.applies_to(plan):
                for finding in _found(rule, check, plan, declared):
                    if plan.takes_over(finding.place):
                        taken_over.append(_as_taken_over(finding, plan))
                    else:
                        reported.add((finding.code, finding.place))
                        yield finding
    for finding in taken_over:
        if (finding.code, finding.place) not in reported:
            reported.add((finding.code, finding.place))
            yield finding


def _as_taken_over(finding: Finding, plan: Plan) -> Finding:
    """A finding of a setting that is right where it is, and wrong where it is taken over."""
    whose = f"The retriever {plan.declaration.name!r} takes this over."
    advice = f"{finding.advice} {whose}" if finding.advice else whose
    return replace(finding, advice=advice, edits=())


def _found(rule: Rule, check: Check, plan: Plan, declared: Declarations) -> Iterator[Finding]:
    file = plan.document.file
    try:
        for violation in check(plan, declared):
            yield rule.finding(file, violation)
    except Exception as error:  # a failing rule of another package must not end the run
        violation = Violation(
            plan.document.tree.root.place,
            f"the rule {rule.code} failed at this document: {type(error).__name__}: {error}",
            advice=f"Report it to the author of the rule, and go on with: ignore = [{rule.code!r}]",
        )
        yield FAILED_RULE.finding(file, violation)


def name_errors(
    project: ProjectFiles, files: Mapping[Path, LintedFile], python: PythonNames
) -> Iterator[LoadError]:
    """Repeated names, unknown names and cycles in the checked files of a project."""
    outlines = _outlines(project.all, files)
    namespaces = (_outlines(namespace, files) for namespace in project.namespaces)
    errors = chain(
        *map(repeated_names, namespaces),
        unknown_names(outlines, _usable_names(project, files, python), _claimed(project, files)),
        name_cycles(outlines),
    )
    checked = frozenset(map(str, project.checked))
    return (error for error in errors if error.file in checked)


def _usable_names(
    project: ProjectFiles, files: Mapping[Path, LintedFile], python: PythonNames
) -> Mapping[Noun, Collection[str]]:
    """Every name that may be used: declared, or from Python."""
    from_python = names_from_python(python)
    declared = declared_names(_outlines(project.all, files))
    return {noun: names | from_python[noun] for noun, names in declared.items()}


def _claimed(project: ProjectFiles, files: Mapping[Path, LintedFile]) -> Collection[str]:
    """The names in files with errors."""
    return {name for file in project.all for name in files[file].claimed_names}


def _outlines(paths: Sequence[Path], files: Mapping[Path, LintedFile]) -> list[Outline]:
    return [entry.outline for path in paths for entry in files[path].entries]
