"""Every public function that takes a list, measured at a length and at four times the length.

The functions are found by walking the package, so a new one has to have a sample, or a reason to need
none, before its test passes.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from time import process_time
from types import ModuleType
from typing import Any, Final

from pydantic import BaseModel

import biblicus_context
from benchmarks.attacks import Extent
from benchmarks.attacks.growth_samples import MANY, SAMPLES, Sample
from benchmarks.targets import Target
from biblicus_context.stores import View
from biblicus_context.stores.sqlite import SqliteStore

_LISTS: Final = re.compile(r"\b(Sequence|Iterable|Collection|list|tuple|set|frozenset|Iterator)\[")
_NOT_WALKED: Final = (".cli", ".integrations", ".testing", ".lint.")
WITHOUT: Final = {
    # What an author or a program writes by hand, a few at most.
    "AllowedKeys.parsed.options": "options of a command",
    "ContextAssembler.assemble_context.context_types": "names of types",
    "ContextAssembler.from_path.more": "paths of a project",
    "PrimeContext.of.words": "the words of a query",
    "Project.expecting.retrievers": "names that a test expects",
    "evaluate.budgets": "a few budgets",
    "ingest.roots": "folders",
    "load_project.also": "names of templates",
    "load_project.paths": "paths of a project",
    "add_case.contexts": "paths of a project",
    "known_calls.paths": "paths of a project",
    "Revision.checked_out.paths": "paths of a project",
    "what_if.budgets": "a few budgets",
    "what_if.models": "a few models",
    "RecordReaders.include.groups": "groups of one user",
    "RecordTree.audit.groups": "groups of one user",
    "query_terms.stop_words": "the words of a language",
    "read_documents.roots": "folders",
    "read_project.also": "names of templates",
    "read_project.paths": "paths of a project",
    "require_one_of.valid": "names that an error lists",
    "retrieve_context_pack.metadata_fields": "names of fields",
    "run_tests.paths": "paths of a project",
    "watch.roots": "folders",
    "Registry.build.also": "names of options",
    "state_of.paths": "paths of a project",
    "Plan.in_text_file.path": "the steps of a path",
    "Plan.in_text_file.valid": "names that an error lists",
    "Plan.violation.valid": "names that an error lists",
    "Plan.violation.edits": "the edits of one fix",
    "lint.paths": "paths of a project: tests/lint/test_growth.py measures what is in them",
    "read_file.roots": "folders",
    "declarations_of.entries": "measured with the linter",
    "declarations_of.partly_read": "measured with the linter",
    "KeyFile.create.groups": "groups of one user",
    "KeyFile.create.scopes": "four scopes",
    "app.paths": "paths of a project",
    "app.observers": "a few functions",
    "app.routes": "routes that a program adds",
    "refusal.valid": "names that an error lists",
    "LearningStore.__init__.also": "other folders of a memory",
    "LearningStore.open.also": "other folders of a memory",
    "MemoryStore.remember.replaces": "memories that one replaces",
    "SynchronousStore.remember.replaces": "measured at the async method",
    "SynchronousStore.remember_conversation.messages": "measured at the async method",
    "BlockStore.import_markdown.users": "the readers of an import, as those of a grant",
    "BlockStore.import_markdown.groups": "the readers of an import, as those of a grant",
    "BlockStore.import_notion.users": "the readers of an import, as those of a grant",
    "BlockStore.import_notion.groups": "the readers of an import, as those of a grant",
    "file_records.include": "patterns that an author writes",
    "file_records.exclude": "patterns that an author writes",
    "StoredFiles.sync.include": "patterns that an author writes",
    "StoredFiles.sync.exclude": "patterns that an author writes",
    "ContextAssemblyService.build_prime_context.groups": "groups of one user",
    "StoredFiles.judged_shares.groups": "groups of one user",
    "UserCorpus.shared.groups": "groups of one user",
    "IndexedModels.remove.ids": "measured at LearningStore.forget_code",
    # Functions, whose annotations name lists.
    "ContextEngine.__init__.query_rewriter": "a function",
    "GuardedCalls.run.call": "a function",
    "NamedRankers.add.ranker": "a function",
    "ordered_by.ranker": "a function",
    "FunctionEmbedder.__init__.languages": "names of languages",
    "FunctionEmbedder.__init__.function": "a function",
    "FunctionEmbedder.__init__.query": "a function",
    "SingleFlight.get.make": "a function",
    "SingleFlight.aget.make": "a function",
    # The arguments of the async method of the same name.
    "SynchronousEngine.build_context_by_vector.query": "one query",
    "SynchronousEngine.search_by_vector.query": "one query",
    "SynchronousStore.forget.ids": "measured at the async method",
    "SynchronousStore.get.ids": "measured at the async method",
    "SynchronousStore.remember_many.memories": "measured at the async method",
    # Numbers of one vector.
    "Corpus.search.vector": "the numbers of one vector",
    "Corpus.judged_search.vector": "the numbers of one vector",
    "CorpusRetriever.evidence.vector": "the numbers of one vector",
    "CorpusRetriever.judged.vector": "the numbers of one vector",
}  # fmt: skip
"""Parameters that need no sample, each with its reason."""
_ELSEWHERE: Final = {
    # Collections of questions: minutes, and a loop over searches.
    "evaluate_corpus", "evaluate_pool",
    # The same as `of`, and no more than what `of` of a list of results does.
    "QueryVectors.prepare", "FoundMemories.of",
    # A command with all its keys, which a server answers.
    "RedisServer.forget", "RedisServer.key", "RedisServer.require", "RedisServer.run",
    "RedisServer.sums", "RedisVectors.remembered",
    # The same as those of a store, without `await`.
    "SynchronousStore.forget", "SynchronousStore.get", "SynchronousStore.remember_many",
    # One call of `View`, which is measured, with a page of a search or the words of a query.
    "SearchQuery.count_terms", "Found.around",
    # A model that reads each text by itself, slowly: `benchmarks --only embed` measures it.
    "GraniteEmbedder.embed", "MiniLmEmbedder.embed", "OpenAICompatibleEmbedder.embed",
}  # fmt: skip
ENOUGH: Final = 0.004
"""Seconds that a measurement has to take, so that what is measured is the list."""
_GROWS: Final = 8.0
"""Four times the list may take this many times the time: n log n takes 4 to 5, n squared 16."""


def growth(extent: Extent) -> Iterator[Target]:
    """All samples in full, each at the length at which it takes a few milliseconds."""
    names = [*SAMPLES][: extent.of(len(SAMPLES))]
    broken = 0
    for name in names:
        problem = grown(SAMPLES[name])
        if problem is not None:
            broken += 1
            print(f"  broken: {name}: {problem}", flush=True)
    yield Target("attack: public lists at four times the length", len(names), "lists")
    yield Target("attack: lists that take more than a line allows", broken, "lists", at_most=0)


def functions() -> dict[str, Any]:
    """Every public function of a room, and the constructor and methods of every public class, by name."""
    found: dict[str, Any] = {}
    for room in _rooms():
        names = getattr(room, "__all__", None) or dir(room)
        for value in (getattr(room, name, None) for name in names if not name.startswith("_")):
            if not str(getattr(value, "__module__", "")).startswith("biblicus_context"):
                continue
            if inspect.isfunction(value):
                found[value.__qualname__] = value
            elif inspect.isclass(value):
                found |= dict(_methods(value))
    return found | dict(_methods(SqliteStore)) | dict(_methods(View))


def lists() -> Iterator[str]:
    """Each parameter that takes a list, by the name of its function and its own."""
    for name, function in functions().items():
        if name in _ELSEWHERE:
            continue
        for parameter in inspect.signature(function).parameters.values():
            takes = _LISTS.search(str(parameter.annotation))
            is_many = parameter.kind is parameter.VAR_POSITIONAL
            if (takes or is_many) and f"{name}.{parameter.name}" not in WITHOUT:
                yield f"{name}.{parameter.name}"


def grown(sample: Sample) -> str | None:
    """What is wrong with the growth of a function, if anything."""
    number = 8
    while number < MANY // 4 and _seconds(sample, number) < ENOUGH:
        number *= 2
    for attempt in range(4):  # others use the same machine
        small, large = (_seconds(sample, each, 2 + attempt) for each in (number, 4 * number))
        if large < _GROWS * max(small, ENOUGH / 4):
            return None
    return f"{number} take {small:.4f} s of the processor, and {4 * number} take {large:.4f} s"


def _rooms() -> Iterator[ModuleType]:
    yield biblicus_context
    for each in pkgutil.walk_packages(biblicus_context.__path__, "biblicus_context."):
        if each.ispkg and not any(name in each.name for name in _NOT_WALKED):
            yield importlib.import_module(each.name)


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    if getattr(kind, "_is_protocol", False):  # what implements it is measured
        return
    for name in dir(kind):
        if name.startswith("_") and (name != "__init__" or _is_made(kind)):
            continue
        static = inspect.getattr_static(kind, name)
        method = getattr(static, "__func__", static)
        own = str(getattr(method, "__module__", "")).startswith("biblicus_context")
        if inspect.isfunction(method) and own:
            yield method.__qualname__, method


def _is_made(kind: type) -> bool:
    """Whether its constructor only keeps what it gets: nobody wrote it."""
    return dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel | BaseException | tuple)


def _seconds(sample: Sample, number: int, times: int = 1) -> float:
    call, found = sample(number), float("inf")
    for _ in range(times):
        began = process_time()
        call()
        found = min(found, process_time() - began)
    return found
