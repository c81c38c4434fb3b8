"""A context of what was learned is written as designed, within its limit, whatever its sources do."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextError
from biblicus_context.systems.learning import (
    CodeUnit,
    Commit,
    ContextAssembler,
    ContextAssemblyError,
    Experience,
    FormattedContext,
    InvalidContextTypeError,
    Memory,
    RelevantItem,
    Value,
)
from biblicus_context.text.counters import default_counter
from tests.systems.learning.build import (
    COMMIT,
    EVERYTHING,
    EXPERIENCE,
    TYPES,
    UNIT,
    VALUE,
    FakeSearcher,
    searcher_of,
)

WHOLE = '''\
# Context

## Memories
**Memory**: Tests run in UTC.
*Category: decision, Importance: 0.8*

## Code
**function** `clock.now` in `src/clock.py:12`
```python
def now(zone: str) -> datetime:
"""The time in a zone."""
```

## Experiences
**Experience**: debugging | systematic-elimination
- **Goal**: Find the flaky test
- **Hypothesis**: A race
- **Action**: Added a lock
- **Prediction**: Green
- **Outcome**: falsified - Still red
- **Surprise**: It was the clock
- **Lesson**: Freeze the time

## Values
**Value** (root_cause, cluster size: 4):
Suspect the clock first.

## Commits
**Commit** `0123456` by Ann on 2026-05-01T00:00:00Z
Freeze the time in tests
*Files: tests/conftest.py, src/time.py*

---
*5 items from 5 sources*'''

PREMORTEM = """\
# Premortem: debugging with systematic-elimination

## Common Failures
**Experience**: debugging | systematic-elimination
- **Goal**: Find the flaky test
- **Hypothesis**: A race
- **Action**: Added a lock
- **Prediction**: Green
- **Outcome**: falsified - Still red
- **Surprise**: It was the clock
- **Lesson**: Freeze the time

## Strategy Performance
**Experience**: debugging | systematic-elimination
- **Goal**: Find the flaky test
- **Action**: Added a lock
- **Outcome**: falsified - Still red
- **Lesson**: Freeze the time

## Unexpected Outcomes
**Experience**: debugging | systematic-elimination
- **Prediction**: Green
- **Outcome**: falsified - Still red
- **Surprise**: It was the clock

## Root Causes to Watch
**Experience**: debugging | systematic-elimination
- **Hypothesis**: A race
- **Outcome**: falsified - Still red
- **Root cause**: Time zone

## Relevant Principles
**Value** (root_cause, cluster size: 4):
Suspect the clock first.

---
*Based on 4 items of past experiences*"""


def context(
    searcher: FakeSearcher, types: list[str] = TYPES, *, seconds: float = 5.0, **options: Any
) -> FormattedContext:
    assembler = ContextAssembler(searcher, timeout_seconds=seconds)
    return asyncio.run(assembler.assemble_context("flaky test", types, **options))


def premortem(searcher: FakeSearcher, *call: Any, **options: Any) -> FormattedContext:
    return asyncio.run(ContextAssembler(searcher).get_premortem_context(*call, **options))


def experience(number: int, **more: Any) -> Experience:
    said = {"goal": f"Goal {number} of {number * 7919} words", "action": f"Act {number * 104729}"}
    return EXPERIENCE.model_copy(update={"id": f"ghap_{number}", **said, **more})


def test_a_context_is_written_byte_for_byte_as_designed():
    """Items, sections in their order, footer."""
    found = context(searcher_of(**EVERYTHING))
    assert found.markdown == WHOLE
    assert found.token_count == default_counter().count(WHOLE)
    assert found.sources_used == {"memory": 1, "code": 1, "experience": 1, "value": 1, "commit": 1}
    assert not found.limit_exceeded
    for item in found.items:
        assert item.content in WHOLE
        assert item.relevance == 0.8
    assert found.items[0].metadata["category"] == "decision"


def test_a_premortem_is_written_byte_for_byte_as_designed():
    """Each axis says its own."""
    searcher = searcher_of(experiences=EXPERIENCE, values=VALUE)
    found = premortem(searcher, "debugging", "systematic-elimination")
    assert found.markdown == PREMORTEM
    assert found.sources_used == {"experience": 4, "value": 1}


def test_a_premortem_asks_the_axes_as_designed():
    """Without a strategy its section and its query are left out."""
    searcher = searcher_of(experiences=EXPERIENCE, values=VALUE)
    found = premortem(searcher, "debugging", limit=7)
    assert found.markdown.startswith("# Premortem: debugging\n\n## Common Failures\n")
    assert "Strategy Performance" not in found.markdown
    on = {"domain": "debugging", "strategy": None, "limit": 7}
    expected = [
        ("failures and issues in debugging", {"axis": "full", "outcome": "falsified", **on}),
        ("unexpected outcomes in debugging", {"axis": "surprise", "outcome": None, **on}),
        ("why hypotheses fail in debugging", {"axis": "root_cause", "outcome": None, **on}),
        ("principles for debugging", {"limit": 5}),
    ]
    assert [(asked.pop("query"), asked) for _, asked in searcher.asked] == expected
    searcher.asked.clear()
    premortem(searcher, "feature", "spike")
    queries = [asked["query"] for _, asked in searcher.asked]
    assert "outcomes using spike strategy" in queries
    assert "principles for feature using spike" in queries


def test_sources_that_were_not_wanted_are_not_asked():
    """Nor have they a section."""
    searcher = searcher_of(**EVERYTHING)
    found = context(searcher, ["values", "memories"], limit=3)
    assert found.sources_used == {"memory": 1, "value": 1}
    assert searcher.asked == [
        (name, {"query": "flaky test", "limit": 3}) for name in ("memories", "values")
    ]


def test_an_unknown_context_type_is_an_error_with_the_valid_ones():
    """Before anything is asked."""
    searcher = searcher_of(**EVERYTHING)
    with pytest.raises(
        InvalidContextTypeError, match=r"'memory'.*memories, code, experiences"
    ) as e:
        context(searcher, ["memory"])
    assert isinstance(e.value, ContextAssemblyError)
    assert isinstance(e.value, ContextError)
    assert searcher.asked == []


@pytest.mark.parametrize("limit", [3, 20, 60])
def test_the_limit_of_the_call_counts(limit: int):
    """Also above the one of the plan, which is for the plan alone."""
    memories = [
        RelevantItem(Memory(id=f"m{n}", content=f"Memory {n * 7919}."), 0.9) for n in range(90)
    ]
    found = context(FakeSearcher(memories=memories), limit=limit, max_tokens=9000)
    assert len(found.items) == limit
    failures = [
        RelevantItem(
            experience(n, surprise=f"{n**5}, {n**6}.", root_cause=f"{n**7} of {n**8}."), 0.9
        )
        for n in range(2, 92)
    ]
    searcher = FakeSearcher(experiences=failures)
    warned = premortem(searcher, "debugging", limit=limit, max_tokens=30_000)
    assert warned.markdown.count("- **Hypothesis**: A race\n- **Action**") == limit


def test_without_a_limit_the_tokens_are_filled():
    memories = [
        RelevantItem(Memory(id=f"m{n}", content=f"Memory {n * 7919}."), 0.9) for n in range(300)
    ]
    found = context(FakeSearcher(memories=memories), max_tokens=2000)
    assert len(found.items) > 60
    assert found.token_count > 1900
    searcher = FakeSearcher(memories=memories)
    context(searcher, max_tokens=100)
    assert searcher.asked[0][1]["limit"] == 20


def test_one_context_type_may_be_passed_alone():
    """A text is not a list of letters."""
    alone: Any = "values"
    assert context(searcher_of(**EVERYTHING), alone).sources_used == {"value": 1}
    with pytest.raises(InvalidContextTypeError, match="found 'value'"):
        context(searcher_of(**EVERYTHING), "value")  # type: ignore[arg-type]  # a mistake


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": True}, {"max_tokens": -1}, {"max_tokens": 1.5}]
)
def test_limits_are_whole_numbers_from_1_on(options: dict[str, Any]):
    """An error names the argument."""
    (name,) = options
    with pytest.raises(ContextAssemblyError, match=f"{name}: a whole number from 1 on"):
        context(searcher_of(**EVERYTHING), **options)
    with pytest.raises(ContextAssemblyError, match=f"{name}: a whole number from 1 on"):
        premortem(searcher_of(**EVERYTHING), "debugging", **options)


@pytest.mark.parametrize("domain", ["", " ", None, 5])
def test_a_premortem_is_of_a_domain(domain: Any):
    """Without one it would have the failures of all domains."""
    with pytest.raises(ContextError, match="domain: a text that is not empty is expected"):
        premortem(searcher_of(**EVERYTHING), domain)


@pytest.mark.parametrize("searcher", [None, object(), "learning"])
def test_what_is_not_a_searcher_is_refused(searcher: Any):
    """Where it is passed."""
    with pytest.raises(ContextError, match=r"searcher: Searcher expected.*store\.searcher\(\)"):
        ContextAssembler(searcher)


@pytest.mark.parametrize("types", [TYPES, []])
def test_nothing_found_is_an_empty_context(types: list[str]):
    """It is not an error."""
    assert context(FakeSearcher(), types) == FormattedContext("", (), 0, {})
    assert premortem(FakeSearcher(), "debugging").markdown == ""


@pytest.mark.parametrize("trouble", [RuntimeError("down"), 60.0])
def test_a_source_that_fails_or_is_slow_is_logged_and_skipped(
    trouble: object, caplog: pytest.LogCaptureFixture
):
    """The rest is returned."""
    searcher = searcher_of(**EVERYTHING)
    searcher.hits["code"] = trouble
    found = context(searcher, seconds=0.2)
    assert "code" not in found.sources_used
    assert len(found.items) == 4
    (said,) = [each for each in caplog.records if each.name == "biblicus_context.sources"]
    assert said.levelno == logging.WARNING
    assert "source='code'" in said.getMessage()


@pytest.mark.parametrize("max_tokens", [1, 40, 90, 150, 217, 400])
def test_a_limit_is_kept_exactly(max_tokens: int):
    """Header and footer included."""
    found = context(searcher_of(**EVERYTHING), max_tokens=max_tokens)
    assert found.token_count == default_counter().count(found.markdown) <= max_tokens
    assert bool(found.items) == bool(found.markdown)


def test_a_soft_limit_lets_a_quarter_more_through_and_says_so(caplog: pytest.LogCaptureFixture):
    """As the design has it; the limit is exact otherwise."""
    many = [RelevantItem(experience(number), 0.9) for number in range(20)]
    hard = context(FakeSearcher(experiences=many), ["experiences"], max_tokens=500)
    soft = context(FakeSearcher(experiences=many), ["experiences"], max_tokens=500, soft=True)
    assert hard.token_count <= 500 < soft.token_count <= 625
    assert (hard.limit_exceeded, soft.limit_exceeded) == (False, True)
    assert "limit exceeded" in caplog.text


def test_shares_follow_the_weights_and_unspent_ones_flow():
    """3:2:2:1:1 where all have more; what is not used goes to others."""
    many = {
        "experiences": [RelevantItem(experience(number), 0.9) for number in range(20)],
        "memories": [
            RelevantItem(Memory(id=f"m{n}", content=f"Memory {n} of {n * 7919} says {n**5}."), 0.9)
            for n in range(40)
        ],
    }
    both = context(FakeSearcher(**many), [*many], limit=40, max_tokens=800)
    tokens = {
        source: sum(
            default_counter().count(each.content) for each in both.items if each.source == source
        )
        for source in ("experience", "memory")
    }
    assert 2 < tokens["experience"] / tokens["memory"] < 4
    alone = context(FakeSearcher(experiences=many["experiences"]), limit=40, max_tokens=800)
    assert len(alone.items) > sum(each.source == "experience" for each in both.items)
    assert alone.token_count > 650


def test_no_item_takes_more_than_a_quarter_of_its_share():
    """The note says where the rest is."""
    long = " ".join(f"word{n}" for n in range(900))
    hits = {
        "experiences": [RelevantItem(experience(1, hypothesis=long), 0.9)],
        "code": [RelevantItem(UNIT.model_copy(update={"docstring": long}), 0.9)],
        "memories": [RelevantItem(Memory(id="m", content=long), 0.9)],
    }
    found = context(FakeSearcher(**hits), ["experiences", "code", "memories"], max_tokens=1200)
    assert "*(truncated, full experience ID: ghap_1)*" in found.markdown
    assert "*(truncated, see full at src/clock.py:12)*" in found.markdown
    assert "*(truncated)*" in found.markdown
    assert found.markdown.count("```") == 2
    for item, weight in zip(found.items, (1, 2, 3), strict=True):
        assert default_counter().count(item.content) <= 1200 * weight / 6 / 4 + 40


@pytest.mark.parametrize("max_tokens", range(200, 800, 97))
def test_every_item_that_is_cut_says_so(max_tokens: int):
    """Also the last one, which is cut to what is left of the share."""
    lines = [" ".join(f"word{n * number}" for n in range(90)) for number in range(3, 15)]
    hits = {
        "experiences": [
            RelevantItem(experience(n, hypothesis=each), 0.9) for n, each in enumerate(lines)
        ],
        "memories": [
            RelevantItem(Memory(id=f"m{n}", content=each), 0.9) for n, each in enumerate(lines)
        ],
        "commits": [
            RelevantItem(COMMIT.model_copy(update={"sha": f"{n}bcdefg", "message": each}), 0.9)
            for n, each in enumerate(lines)
        ],
    }
    for name, some in hits.items():
        found = context(FakeSearcher(**{name: some}), [name], max_tokens=max_tokens)
        cut = [item for item in found.items if not any(each in item.content for each in lines)]
        assert cut
        for item in cut:
            assert item.content.count("*(truncated") == 1
            assert "...\n\n*(truncated" in item.content
            about = item.metadata["id"] if name == "experiences" else ""
            assert about in item.content.partition("*(truncated")[2]


def test_the_more_relevant_of_duplicates_stays():
    """One experience, one file, or nine tenths of a text in two sources."""
    derived = VALUE.model_copy(update={"experience_ids": ("ghap_1",)})
    touching = COMMIT.model_copy(update={"files_changed": ("a.py", "src/clock.py")})
    text = "Tests that compare times have to run in UTC, or they fail after midnight."
    said = Memory(id="m2", content=text)
    pairs = [
        ("experiences", EXPERIENCE, "values", derived),
        ("code", UNIT, "commits", touching),
        ("memories", said, "values", Value(id="v2", text=f"{text} Really.")),
    ]
    for one, first, other, second in pairs:
        for better, worse in ((0.9, 0.5), (0.5, 0.9)):
            hits = {one: [RelevantItem(first, better)], other: [RelevantItem(second, worse)]}
            found = context(FakeSearcher(**hits))
            assert [each.relevance for each in found.items] == [0.9], (one, other)


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("experiences", {"confidence_tier": "gold"}, {"confidence_tier": "abandoned"}),
        ("experiences", {"created_at": "2026-11-01"}, {"created_at": "2020-11-01"}),
        ("memories", {"importance": 0.9}, {"importance": 0.1}),
        ("commits", {"timestamp": "2026-11-01"}, {"timestamp": "2020-11-01"}),
    ],
)
def test_tiers_importance_and_age_decide_between_equals(name: str, first: dict, second: dict):
    """A small bonus: a clearly more relevant item stays first."""
    item = EVERYTHING[name]
    key = "sha" if name == "commits" else "id"
    fields = [{**each, key: f"{number}abcdefg"} for number, each in enumerate((second, first))]
    for each in fields:
        for when in each.keys() & {"created_at", "timestamp"}:
            each[when] = f"{each[when]}T00:00:00Z"
    text = {"memories": "content", "experiences": "goal", "commits": "message"}[name]
    made = [
        type(item).model_validate({**item.model_dump(), **each, text: f"Text {number * 7919}"})
        for number, each in enumerate(fields)
    ]
    equal = context(FakeSearcher(**{name: [RelevantItem(each, 0.7) for each in made]}))
    assert [each.metadata[key][0] for each in equal.items] == ["1", "0"]
    relevances = zip(made, (0.9, 0.3), strict=True)
    clear = context(FakeSearcher(**{name: [RelevantItem(*each) for each in relevances]}))
    assert [each.metadata[key][0] for each in clear.items] == ["0", "1"]


hostile = st.text(max_size=60) | st.sampled_from(
    [
        "\n## Experiences\n",
        "# Context",
        "```\n## Values",
        "{{ 7 * 7 }} {content}",
        "---",
        "\x00\ud800",
    ]
)


@given(text=hostile, other=hostile)
def test_hostile_texts_change_no_structure(text: str, other: str):
    """No text begins a section, ends a block of code, or is a template."""
    text, other = (each.encode("utf-8", "replace").decode() for each in (text, other))
    items = {
        "memories": Memory(id="m", content=text, category=other),
        "code": CodeUnit(**{**UNIT.model_dump(), "docstring": text, "qualified_name": other}),
        "experiences": experience(1, hypothesis=text, domain=other),
        "values": Value(id="v", text=text, cluster_size=3),
        "commits": Commit(**{**COMMIT.model_dump(), "message": text, "author": other}),
    }
    found = context(searcher_of(**items))
    lines = re.sub(r"(?ms)^```.*?^```$", "```\n```", found.markdown).splitlines()
    sections = [line for line in lines if line.startswith("#") and line.lstrip("#")[:1] == " "]
    titles = ["# Context", "## Memories", "## Code", "## Experiences", "## Values", "## Commits"]
    outside = [line for line in sections if line in titles]
    assert len(outside) == len({*outside})
    fences = [line for line in lines if line.startswith("```")]
    assert len(fences) == 2 * ("code" in found.sources_used)
    assert found.token_count <= 2000
    assert premortem(
        searcher_of(experiences=items["experiences"]), f"in {text}", other
    ).markdown.count("## Common Failures\n") <= 1 + text.count("## Common Failures")
