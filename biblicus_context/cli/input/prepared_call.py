"""One call of the engine, as the command line describes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from biblicus_context.assembly.arguments import AssembleOptions
from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.combinations import Combinations, with_inline_sources
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.cli.input.call_files import CallFiles, read_call_files
from biblicus_context.cli.input.corpora import allowed_keys, principal_of, ready_corpora
from biblicus_context.cli.input.projects import context_in, project_at
from biblicus_context.cli.input.recorded_answers import FallbackRetriever
from biblicus_context.cli.options.shared import CallOptions, ProjectOptions
from biblicus_context.cli.output.terminal import detail
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.errors import ContextError, InputError, RetrieverError
from biblicus_context.reading import Project
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.retriever import WITHOUT_CORPUS


@dataclass(frozen=True)
class PreparedCall:
    """A context with everything it needs, ready to be assembled under one budget or another."""

    assembler: ContextAssembler
    context: ContextDeclaration
    options: AssembleOptions
    user: str | None
    system: str | None
    file: str
    """Where the context is declared."""

    def assembled(self, budget: int | None, model: str | None) -> ContextAssemblyResult:
        """One assembly; None leaves budget or model to the policy."""
        options = self.options.copy()
        if budget is not None:
            options["budget"] = budget
        if model is not None:
            options["model"] = model
        try:
            result = self.assembler.assemble(
                self.context.name, self.system or "", user_message=self.user, **options
            )
        except RetrieverError as error:
            if isinstance(error.__cause__, ContextError):
                raise error.__cause__ from None
            raise
        _tell_steps(result)
        return result


def _tell_steps(result: ContextAssemblyResult) -> None:
    for step in result.receipt.steps:
        detail(f"{step.name}: {1000 * step.seconds:.1f} ms")


def prepare(name: str, place: ProjectOptions, call: CallOptions) -> PreparedCall:
    """What a command line asks for, read and typed."""
    given = read_call_files(call)
    project = project_at(place, also=given.answers, needs=name)
    refuse_unknown(given.answers, retrievers_of(project))
    context = context_in(project, name)
    return prepare_in(project, context, given, given.inputs_of(context))


def prepare_in(
    project: Project, context: ContextDeclaration, given: CallFiles, inputs: Mapping[str, Any]
) -> PreparedCall:
    """A context of a project and what a command passes to it, as far as the project knows it."""
    known = retrievers_of(project)
    answers = {name: answer for name, answer in given.answers.items() if name in known}
    assembler = ContextAssembler(
        project.contexts,
        {**answers, **project.retrievers},
        project.corpora,
        project.compactors,
        FallbackRetriever(given.call.packs, _over_corpora(project, context, given)),
        policy_registry=project.policies,
        format_registry=project.formats,
        retriever_functions=answers,
    )
    options: AssembleOptions = {
        "inputs": inputs,
        "history": given.history,
        "tools": given.tools,
        "previous": given.previous,
    }
    file = project.sources["context", context.name].file
    return PreparedCall(assembler, context, options, given.call.user, given.call.system, file)


def _over_corpora(
    project: Project, context: ContextDeclaration, given: CallFiles
) -> DeclaredRetrievers | None:
    """What answers from the project's corpora; those that the context needs are indexed."""
    if not project.corpora and not any(
        each.config.get("retriever_id") in WITHOUT_CORPUS
        for each in with_inline_sources(project.retrievers).values()
    ):
        return None

    needed = (name for name in _inserted(project, context) if name not in given.answers)
    call = given.call
    return ready_corpora(project, needed, allowed_keys(call.allow_key), principal_of(call.who))


def _inserted(project: Project, context: ContextDeclaration) -> list[str]:
    """The names that a context inserts, the contexts among them in their turn, and what is combined."""
    names = list(dict.fromkeys(insert.name for insert in context.inserts))
    for name in names:
        if name in project.contexts:
            more = (insert.name for insert in project.contexts[name].inserts)
            names.extend(dict.fromkeys(each for each in more if each not in names))
    combined = Combinations(with_inline_sources(project.retrievers))
    return [*dict.fromkeys(each for name in names for each in combined.leaves_of(name))]


def retrievers_of(*projects: Project) -> set[str]:
    """The names that a recorded answer may have: retrievers that are declared or inserted."""
    return {
        name
        for project in projects
        for name in (
            *with_inline_sources(project.retrievers),
            *(insert.name for each in project.contexts.values() for insert in each.inserts),
        )
        if name not in project.contexts
    }


def refuse_unknown(answers: Collection[str], known: Collection[str]) -> None:
    """An answer that nobody will ask for is a misspelt name."""
    for name in answers:
        if name not in known:
            problem = "an answer is recorded for a retriever that no context uses"
            raise InputError(problem, found=name, valid=sorted(known))
