"""Decorators that run a function once for each document, or once for each declaration."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary, ref

from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.load import PlanDocument

T = TypeVar("T")
D = TypeVar("D", bound=Declaration)


class _Answer(NamedTuple):
    document: ref[PlanDocument]
    declared: ref[Declarations]
    value: object


def once_per_document(
    work: Callable[[Plan, Declarations], T],
) -> Callable[[Plan, Declarations], T]:
    """Cache `work` while the document lives; its value must not refer to the document."""
    # Keyed by id, as documents are not hashable; the weak reference tells a new object at the same id.
    known: dict[int, _Answer] = {}

    @wraps(work)
    def recalled(plan: Plan, declared: Declarations) -> T:
        document, key = plan.document, id(plan.document)
        answer = known.get(key)
        if answer and answer.document() is document and answer.declared() is declared:
            return answer.value  # type: ignore[return-value]  # what `work` returned for these two
        value = work(plan, declared)
        forget = ref(document, lambda _: known.pop(key, None))
        known[key] = _Answer(forget, ref(declared), value)
        return value

    return recalled


def once_per_project(
    work: Callable[[D, Declarations], T],
) -> Callable[[D, Declarations], T]:
    """Cache `work` for a declaration while the project's declarations live."""
    known: WeakKeyDictionary[Declarations, dict[int, tuple[D, T]]]
    known = WeakKeyDictionary()

    @wraps(work)
    def recalled(declaration: D, declared: Declarations) -> T:
        answers = known.setdefault(declared, {})
        if id(declaration) not in answers:  # it is kept, so that its id stays its own
            answers[id(declaration)] = declaration, work(declaration, declared)
        return answers[id(declaration)][1]

    return recalled


def once_per_declaration(work: Callable[[D], T]) -> Callable[[D], T]:
    """Cache `work` while the declaration lives."""
    known: dict[int, tuple[ref[D], T]] = {}

    @wraps(work)
    def recalled(declaration: D) -> T:
        key = id(declaration)
        answer = known.get(key)
        if answer and answer[0]() is declaration:
            return answer[1]
        value = work(declaration)
        known[key] = ref(declaration, lambda _: known.pop(key, None)), value
        return value

    return recalled
