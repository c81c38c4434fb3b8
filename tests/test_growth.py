"""No public function takes much more than twice the time for twice the list.

The functions are found by walking the package, so a new one that takes a list fails here until it has
a sample, or a reason to need none.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from time import process_time
from types import ModuleType
from typing import Any, Final

import pytest

import biblicus_context
from biblicus_context.stores import View
from biblicus_context.stores.sqlite import SqliteStore
from tests.growing import MANY, SAMPLES, Call, Sample

_LISTS: Final = re.compile(r"\b(Sequence|Iterable|Collection|list|tuple|set|frozenset|Iterator)\[")
_NOT_WALKED: Final = (".base", ".cli", ".integrations", ".testing", ".lint")
_WITHOUT: Final = {
    # What an author or a program writes by hand, a few at most.
    "also": "names of templates", "budgets": "a few budgets", "types": "a few types of relations",
    "metadata_fields": "names of fields", "stop_words": "the words of a language",
    "valid": "names that an error lists", "retrievers": "names", "actions": "two words",
    "ranker": "a function", "call": "a function", "ask": "a function", "function": "a function",
    "record_of": "a function", "options": "options of a command", "cache": "marks of a plan",
    "more": "paths of a project", "paths": "paths of a project", "roots": "folders",
    "facts": "names of fields", "context_types": "names of types", "words": "the words of a query",
    "groups": "as `users`",
    # Numbers of one vector.
    "vector": "the numbers of one vector", "numbers": "numbers of a ranking",
    "among": "numbers of a ranking",
}  # fmt: skip
_ELSEWHERE: Final = {
    # Collections of questions: minutes, and a loop over searches.
    "evaluate_corpus", "evaluate_pool",
    # The same as `of`.
    "QueryVectors.prepare",
    # Models, in batches: a text takes milliseconds.
    "GraniteEmbedder.embed", "MiniLmEmbedder.embed", "OpenAICompatibleEmbedder.embed",
    "WordLlamaEmbedder.embed",
    # Asks a view, whose own method has a sample.
    "SearchQuery.count_terms",
}  # fmt: skip


def rooms() -> Iterator[ModuleType]:
    yield biblicus_context
    for each in pkgutil.walk_packages(biblicus_context.__path__, "biblicus_context."):
        if each.ispkg and not any(name in each.name for name in _NOT_WALKED):
            yield importlib.import_module(each.name)


def functions() -> dict[str, Any]:
    """Every public function of a room, and every method of a public class, by its name."""
    found: dict[str, Any] = {}
    for room in rooms():
        names = getattr(room, "__all__", None) or dir(room)
        for value in (getattr(room, name, None) for name in names if not name.startswith("_")):
            if not str(getattr(value, "__module__", "")).startswith("biblicus_context"):
                continue
            if inspect.isfunction(value):
                found[value.__qualname__] = value
            elif inspect.isclass(value) and _is_public(room):
                found |= dict(_methods(value))
    return found | dict(_methods(SqliteStore)) | dict(_methods(View))


def _is_public(room: ModuleType) -> bool:
    """Whether it is the package, a room of it or a system, and not a folder inside one."""
    return room.__name__.count(".") < 2 or ".systems" in room.__name__


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    if getattr(kind, "_is_protocol", False):  # what implements it is measured
        return
    for name in dir(kind):
        static = inspect.getattr_static(kind, name)
        method = getattr(static, "__func__", static)
        own = str(getattr(method, "__module__", "")).startswith("biblicus_context")
        if not name.startswith("_") and inspect.isfunction(method) and own:
            yield method.__qualname__, method


def lists() -> Iterator[str]:
    """Each parameter that takes a list, by the name of its function and its own."""
    for name, function in functions().items():
        if name in _ELSEWHERE:
            continue
        for parameter in inspect.signature(function).parameters.values():
            takes = _LISTS.search(str(parameter.annotation))
            is_many = parameter.kind is parameter.VAR_POSITIONAL
            if (takes or is_many) and parameter.name not in _WITHOUT:
                yield f"{name}.{parameter.name}"


def test_every_public_function_that_takes_a_list_has_a_sample():
    # A list that is a second one of its function, such as `remove` of `put`, may go with the first.
    functions_with_samples = {name.rpartition(".")[0] for name in SAMPLES}
    missing = [
        each
        for each in lists()
        if each not in SAMPLES and each.rpartition(".")[0] not in functions_with_samples
    ]
    assert missing == []


def test_no_sample_is_of_a_function_that_is_gone():
    known = functions()
    gone = [
        name for name in SAMPLES if name.rpartition(".")[0].removesuffix(".__init__") not in known
    ]
    classes = {name.partition(".")[0] for name in known}
    assert [name for name in gone if name.partition(".")[0] not in classes] == []


_ENOUGH: Final = 0.004
"""Seconds that a measurement has to take, so that what is measured is the list."""
_GROWS: Final = 8.0
"""Four times the list may take this many times the time: n log n takes 4 to 5, n squared 16."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_list_of_four_times_the_length_takes_no_more_than_a_line_allows(name: str):
    assert grown(SAMPLES[name]) is None


def test_a_function_that_compares_all_pairs_is_found():
    def pairs(number: int) -> Call:
        return lambda: sum(one == other for one in range(number) for other in range(number))

    assert "of the processor" in str(grown(pairs))


def grown(sample: Sample) -> str | None:
    """What is wrong with the growth of a function, if anything."""
    number = 8
    while number < MANY // 4 and _seconds(sample, number) < _ENOUGH:
        number *= 2
    for attempt in range(4):  # others use the same machine
        small, large = (_seconds(sample, each, 2 + attempt) for each in (number, 4 * number))
        if large < _GROWS * max(small, _ENOUGH / 4):
            return None
    return f"{number} take {small:.4f} s of the processor, and {4 * number} take {large:.4f} s"


def _seconds(sample: Sample, number: int, times: int = 1) -> float:
    call, found = sample(number), float("inf")
    for _ in range(times):
        began = process_time()
        call()
        found = min(found, process_time() - began)
    return found
