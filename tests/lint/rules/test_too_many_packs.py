"""The linter finds what the engine refuses because it multiplies, in contexts and in combined retrievers."""

from __future__ import annotations

from collections.abc import Sequence

from tests.lint.rules.harness import codes, rules_of

RULES = rules_of("224")


def combined(levels: int, width: int) -> str:
    """Retrievers each of which names all of the next level."""
    names = [[f"l{level}-{at}" for at in range(width)] for level in range(levels + 1)]
    documents = [
        document(name, names[level + 1]) for level in range(levels) for name in names[level]
    ]
    return "---\n".join([*documents, *(leaf(name) for name in names[levels])])


def document(name: str, of: Sequence[str]) -> str:
    config = f"{{retriever_id: combined, of: [{', '.join(of)}]}}"
    return f"kind: retriever\nname: {name}\nconfig: {config}\n"


def leaf(name: str) -> str:
    return f"kind: retriever\nname: {name}\nconfig: {{limit: 3}}\n"


def found(text: str) -> list[str]:
    return [code for code in codes(text, *RULES) if code.startswith("BC224")]


def lines_of(text: str, *names: str) -> list[str]:
    lines = text.splitlines()
    return [f"BC224:{lines.index(f'name: {name}') + 1}" for name in names]


def test_sources_that_multiply_are_found_where_they_become_too_many():
    text = combined(levels=15, width=2)
    # 2 ** 14 paths and more begin at the second level, which is within the limit of 20,000 no longer.
    assert found(text) == lines_of(text, "l1-0", "l1-1")


def test_what_the_engine_asks_for_has_no_finding():
    assert found(combined(levels=12, width=2)) == []
    assert found(combined(levels=64, width=1)) == []


def test_levels_inside_each_other_are_found_without_a_recursion():
    text = combined(levels=200, width=1)
    assert found(text) == lines_of(text, "l134-0")


def test_a_cycle_has_no_extent():
    text = document("a", ["b", "b2"]) + "---\n" + document("b", ["a"]) + "---\n" + leaf("b2")
    assert found(text) == []
