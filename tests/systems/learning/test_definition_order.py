"""Of the definitions that a search finds, those come first whose names and docstrings say what is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from biblicus_context.systems.learning import CodeUnit, LearningStore
from tests.ingest.build import written

CACHE = '''
class Cache:
    """A cache with least recently used entries."""

    def __init__(self, capacity):
        self.entries = {}

    def __len__(self):
        return len(self.entries)

    def get(self, key):
        return self.entries[key]

    def keys(self):
        return [*self.entries]

    least_recently_used_entries = property(keys)


def wrap_text(text, width):
    return text


class Command:
    def format_help_text(self):
        """Writes the help text of a command."""
        return wrap_text(self.help, 80)

    def help_text(self):
        return self.help

    def short_help_text(self):
        """The text of a command in a line of help."""
        return self.help[:40]


def resolve_all(commands):
    """Calls resolve for each command, and resolves what resolve returns."""
    return [each.resolve() for each in commands]


def resolve(command):
    return command
'''

ZIP = """
/** Pairs one by one. */
export function zipPairs(one: string[]): string[][];
export function zipPairs(one: string[], other: string[]): string[][];
export function zipPairs(...all: string[][]): string[][] {
  return all;
}
"""
BELL = """
/** What rings. */
public interface Bell {
    /** Rings as often as the hour says. */
    void ringHours(int times);
}
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LearningStore]:
    folder = tmp_path_factory.mktemp("code")
    opened = LearningStore.open(folder / "learning", floor=None)
    root = written(folder / "project", {"tools.py": CACHE, "zip.ts": ZIP, "Bell.java": BELL})
    asyncio.run(opened.index_code(root))
    yield opened
    opened.close()


def found(store: LearningStore, query: str) -> list[CodeUnit]:
    return [hit.item for hit in asyncio.run(store.search_code(query, 20))]


def test_what_follows_the_methods_of_a_class_is_found_as_the_class(store: LearningStore):
    units = found(store, "cache with least recently used entries")
    assert (units[0].qualified_name, units[0].unit_type) == ("Cache", "class")
    assert [each.qualified_name for each in units].count("Cache") == 1
    assert units[0].start_line == 2


def test_a_name_that_is_said_exactly_is_first(store: LearningStore):
    assert found(store, "resolve")[0].qualified_name == "resolve"
    assert found(store, "where is Command.help_text called?")[0].qualified_name == (
        "Command.help_text"
    )
    assert found(store, "what does wrap_text do")[0].qualified_name == "wrap_text"


def test_a_query_that_says_the_whole_name_finds_it_first(store: LearningStore):
    assert found(store, "wrap a text of a width")[0].qualified_name == "wrap_text"


def test_special_methods_stand_after_what_calls_them(store: LearningStore):
    names = [each.qualified_name for each in found(store, "the entries of the cache")]
    assert names.index("Cache") < names.index("Cache.get") < names.index("Cache.__len__")


def test_overloads_of_a_function_are_one_definition(store: LearningStore):
    (unit,) = [e for e in found(store, "zipPairs") if e.qualified_name == "zipPairs"]
    assert "return all" in unit.text


def test_a_method_of_an_interface_is_found_with_its_signature(store: LearningStore):
    unit = found(store, "Bell.ringHours")[0]
    assert (unit.qualified_name, unit.unit_type) == ("Bell.ringHours", "method")
    assert unit.signature == "void ringHours(int times)"
    assert "Rings as often" in unit.docstring
