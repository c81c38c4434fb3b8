"""Formats inside formats: sections of a nested context, at any depth, never left without content."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextAssemblyResult
from biblicus_context.errors import BudgetError, PlanError

FOOTER = "\n\n---\n*{total} items from {{ sources | length }} sources*"
LEARNING = {
    "messages": [
        {
            "type": "context",
            "name": "memories",
            "title": "## Memories",
            "format": {
                "item": "**Memory**: {content}\n"
                "*Category: {metadata.category}, Importance: {importance}*"
            },
        },
        {"type": "context", "name": "code", "title": "## Code"},
        {
            "type": "context",
            "name": "experiences",
            "title": "## Experiences",
            "format": {
                "item": "**Experience**: {metadata.domain} | {metadata.strategy}\n"
                "- **Goal**: {metadata.goal}"
                "{% if metadata.surprise %}\n- **Surprise**: {metadata.surprise}{% endif %}"
                "{% if metadata.lesson %}\n- **Lesson**: {metadata.lesson.what_worked}{% endif %}"
            },
        },
    ]
}
ANSWERS: dict[str, Any] = {
    "memories": [
        {
            "evidence_item_id": "m1",
            "text": "We ship on Friday.",
            "metadata": {"kind": "memory", "category": "decision", "importance": 0.8},
        }
    ],
    "code": [],
    "experiences": [
        {
            "evidence_item_id": f"g{number}",
            "text": "all of it",
            "metadata": {
                "kind": "experience",
                "domain": "debugging",
                "strategy": "bisect",
                "goal": f"Find bug {number}",
                **more,
            },
        }
        for number, more in enumerate(
            [{"surprise": "It was the clock", "lesson": {"what_worked": "Sleep"}}, {}]
        )
    ],
}
MARKDOWN = """\
# Context

## Memories
**Memory**: We ship on Friday.
*Category: decision, Importance: 0.8*

## Experiences
**Experience**: debugging | bisect
- **Goal**: Find bug 0
- **Surprise**: It was the clock
- **Lesson**: Sleep

**Experience**: debugging | bisect
- **Goal**: Find bug 1

---
*3 items from 2 sources*"""


def assembled(
    main: dict[str, Any], answers: dict[str, Any] | None = None, **contexts: Any
) -> ContextAssemblyResult:
    known = ANSWERS if answers is None else answers
    functions = {name: (lambda _, found=found: found) for name, found in known.items()}
    return ContextAssembler({"main": main, **contexts}, functions).assemble("main")


def learning(**pack: Any) -> dict[str, Any]:
    form = {"header": "# Context\n\n", "footer": FOOTER}
    return {"messages": [{"type": "context", "name": "sections", "format": form, **pack}]}


def test_sections_of_a_learning_memory_are_written_byte_for_byte() -> None:
    """A source that finds nothing is left out with its title."""
    result = assembled(learning(), sections=LEARNING)
    assert result.system_prompt == MARKDOWN
    deeper = {"messages": [{"type": "context", "name": "sections"}]}
    main = {
        "messages": [
            {"type": "context", "name": "deeper", "format": learning()["messages"][0]["format"]}
        ]
    }
    assert assembled(main, deeper=deeper, sections=LEARNING).system_prompt == MARKDOWN


def test_a_nested_context_that_finds_nothing_is_left_out_or_says_so() -> None:
    """Its title goes with its contents."""
    nothing: dict[str, Any] = {name: [] for name in ANSWERS}
    assert assembled(learning(title="# T"), nothing, sections=LEARNING).system_prompt == ""
    main = {
        "messages": [
            {"type": "context", "name": "sections", "title": "# T", "format": {"empty": "None."}}
        ]
    }
    assert assembled(main, nothing, sections=LEARNING).system_prompt == "# T\nNone."


@pytest.mark.parametrize("key", ["item", "items", "separator", "fence", "metadata", "cut_note"])
def test_the_format_of_a_nested_context_has_no_keys_for_blocks(key: str) -> None:
    """They would have no effect there, and a missing fence would not be seen."""
    value: Any = {"items": {"note": "x"}, "fence": True, "metadata": True}.get(key, "x")
    main = {"messages": [{"type": "context", "name": "sections", "format": {key: value}}]}
    with pytest.raises(PlanError, match=rf"this pack is a context: found '{key}'.*title"):
        assembled(main, sections=LEARNING)


def blocks(name: str, number: int) -> list[dict[str, Any]]:
    return [
        {
            "evidence_item_id": f"{name}{at}",
            "text": f"{name} says sentence {at}. It has some more words in it.",
            "metadata": {"kind": name},
        }
        for at in range(number)
    ]


formats = {
    "title": "## {count} of {total}",
    "header": "begin {{ sources | length }}\n",
    "footer": "\nend",
    "item": "{index}. {content}",
    "separator": "\n",
}


def sections(text: str) -> list[list[str]]:
    """The lines of each section of the innermost packs, without the blank lines between them."""
    found: list[list[str]] = []
    for line in text.split("\n"):
        if line.startswith("## "):
            found.append([])
        if found and line:
            found[-1].append(line)
    return found


@given(
    budget=st.integers(20, 400),
    fences=st.booleans(),
    numbers=st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)),
    ordering=st.sampled_from(["rank", "edges", "source", "reading"]),
)
def test_whatever_outer_contexts_drop_every_section_is_whole(
    budget: int, fences: bool, numbers: tuple[int, int, int], ordering: str
) -> None:
    """At any depth: a header has an item below it, numbers run on, counts are of what is placed."""
    pack = {"type": "context", "format": {**formats, "fence": fences}, "ordering": ordering}
    inner = {"messages": [{**pack, "name": "a"}, {**pack, "name": "b"}]}
    outer = {
        "messages": [
            {"type": "context", "name": "inner", "format": {"header": "# Inner {count}\n"}},
            {**pack, "name": "c"},
        ]
    }
    main = {
        "policy": {"input_budget": {"max_tokens": budget}},
        "messages": [
            {
                "type": "context",
                "name": "outer",
                "format": {"title": "# Outer {count} of {total}", "footer": "\nlast"},
            },
            {"type": "user", "content": "Why?"},
        ],
    }
    answers = {name: blocks(name, number) for name, number in zip("abc", numbers, strict=True)}
    result = assembled(main, answers, outer=outer, inner=inner)
    text = result.system_prompt
    assert result.token_count <= budget
    found = sections(text.removesuffix("\nlast"))
    for title, begin, *lines, end in found:
        items = [line for line in lines if not line.startswith(("<", "# "))]
        placed, total = int(title.split()[1]), int(title.split()[3])
        assert (begin.split()[0], end) == ("begin", "end")
        assert 1 <= placed == len(items) <= total <= 4
        assert [int(item.split(".")[0]) for item in items] == [*range(1, placed + 1)]
    placed = len(result.citations)
    assert text.startswith(f"# Outer {placed} of " if placed else "")
    assert text.endswith("\nlast" if placed else "")
    within = sum(citation.evidence[0] in "ab" for citation in result.citations)
    assert (f"# Inner {within}\n" in text) == (within > 0)
    for citation in result.citations:
        assert citation.excerpt in text
    for span in result.spans[:1] if placed else ():
        for piece in span.pieces:
            assert piece.is_block == (piece.number is not None)


def test_a_footer_inside_counts_what_came_before_it_in_its_context() -> None:
    """`sources` of a pack covers those before it, and itself."""
    item = {"item": "{content}", "footer": "\n{{ sources | length }}: {sources.a} {sources.b}"}
    inner = {
        "messages": [
            {"type": "context", "name": "a", "format": item},
            {"type": "context", "name": "b", "format": item},
        ]
    }
    main = {"messages": [{"type": "context", "name": "inner", "title": "T"}]}
    text = assembled(main, {"a": blocks("a", 2), "b": blocks("b", 1)}, inner=inner).system_prompt
    assert "\n1: 2 0" in text
    assert text.endswith("\n2: 2 1")


@given(budget=st.integers(25, 120), packs=st.booleans())
def test_the_title_of_a_context_with_texts_of_its_own_is_as_pinned_as_they_are(
    budget: int, packs: bool
) -> None:
    """It is written with them, so it is among what evidence leaves room for."""
    text = {"type": "system", "content": "Answer in short sentences, in the language of the user."}
    style = {"messages": [text, *([{"type": "context", "name": "a"}] if packs else [])]}
    main = {
        "policy": {
            "input_budget": {"max_tokens": budget},
            "pack_budget": {"default_ratio": 1.0},
        },
        "messages": [
            {
                "type": "context",
                "name": "style",
                "format": {"title": "# The style of every answer", "footer": "\nThat is all."},
            },
            {"type": "context", "name": "b", "title": "## Evidence"},
        ],
    }
    result = assembled(main, {"a": blocks("a", 3), "b": blocks("b", 3)}, style=style)
    assert result.system_prompt.startswith("# The style of every answer\nAnswer in short")
    assert "\nThat is all." in result.system_prompt
    assert result.token_count <= budget


def test_what_a_format_writes_around_a_context_counts_for_its_own_budget():
    contexts = {
        "main": {
            "messages": [{"type": "context", "name": "inner", "title": "One two three"}],
            "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 100}},
        },
        "inner": {
            "messages": [{"type": "system", "content": "a b c d"}],
            "policy": {"input_budget": {"max_tokens": 6}},
        },
    }
    with pytest.raises(BudgetError, match=r"needs 7 tokens that cannot shrink.*is 6"):
        ContextAssembler(contexts).assemble("main")
    contexts["inner"]["policy"]["input_budget"]["max_tokens"] = 7
    part = ContextAssembler(contexts).assemble("main").receipt.parts[0]
    assert part.given == 7


def test_a_nested_context_fills_what_its_title_leaves():
    """Its blocks are chosen for what is left, and none is cut or lost for the title."""
    contexts = {
        "main": {
            "messages": [{"type": "context", "name": "inner", "title": "One two three"}],
            "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 100}},
        },
        "inner": {
            "messages": [{"type": "context", "name": "kb"}],
            "policy": {
                "input_budget": {"max_tokens": 12},
                "compactor": {"type": "drop_blocks"},
            },
        },
    }
    blocks = [
        {"evidence_item_id": f"b{n}", "text": "word " * size} for n, size in enumerate((8, 4, 1))
    ]
    result = ContextAssembler(contexts, {"kb": lambda request: blocks}).assemble("main")
    (inner,) = result.receipt.parts[0].parts
    assert [block.id for block in inner.blocks if block.given] == ["b0", "b2"]
    assert result.receipt.parts[0].given == 12
