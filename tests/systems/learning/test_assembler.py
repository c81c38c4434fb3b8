"""A context of what was learned is written as designed, within its limit, whatever its sources do."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter as Tally
from pathlib import Path
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
*Based on 1 past experience*"""


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


RICH: dict[str, list[RelevantItem[Any]]] = {
    "memories": [
        RelevantItem(Memory(id=f"m{n}", content=f"Memory {n} of {n * 7919} says {n**5}."), 0.9)
        for n in range(200)
    ],
    "code": [
        RelevantItem(UNIT.model_copy(update={"start_line": n, "signature": f"def f{n**3}():"}), 0.9)
        for n in range(1, 200)
    ],
    "values": [
        RelevantItem(Value(id=f"v{n}", text=f"Value {n} of {n * 7907}, not {n**4}."), 0.9)
        for n in range(200)
    ],
}


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("memories", "code", 2.0), ("memories", "values", 1.0), ("values", "code", 2.0)],
)
def test_unspent_tokens_flow_by_weight_to_all_that_want_more(one: str, other: str, ratio: float):
    """All of them went to one: 175 tokens of memories and 1,613 of code."""
    found = context(
        FakeSearcher(**{name: RICH[name] for name in (one, other)}), limit=200, max_tokens=1800
    )
    spent = Tally[str]()
    for each in found.items:
        spent[each.source] += default_counter().count(each.content)
    kinds = {"memories": "memory", "code": "code", "values": "value"}
    assert found.token_count > 1700
    assert spent[kinds[other]] / spent[kinds[one]] == pytest.approx(ratio, rel=0.15)


def test_an_importance_is_written_in_two_figures():
    memory = Memory(id="m", content="Tea.", importance=19 / 30)
    assert "Importance: 0.63*" in context(searcher_of(memories=memory)).markdown


def test_failures_of_a_strategy_come_first_however_many_succeeded():
    """Ten of sixty were chosen by likeness, before failures were looked for."""

    class Indexed(FakeSearcher):
        async def search_experiences(self, query: str, limit: int, **where: Any) -> Any:
            self.asked.append(("experiences", where))
            wanted = where.get("outcome")
            made = (
                experience(n, outcome_status="falsified" if n % 10 == 9 else "confirmed")
                for n in range(60)
            )
            hits = [
                RelevantItem(each, 0.9 - at / 100)
                for at, each in enumerate(made)
                if wanted in (None, each.outcome_status)
            ]
            return hits[:limit] if where["axis"] == "strategy" else []

    found = premortem(Indexed(), "debugging", "systematic-elimination", max_tokens=9000)
    said = [each.metadata["outcome_status"] for each in found.items]
    assert said == ["falsified"] * 6 + ["confirmed"] * 4
    assert found.markdown.endswith("*Based on 10 past experiences*")


def test_the_footer_counts_experiences_and_not_their_axes():
    made = [
        RelevantItem(experience(n, surprise=f"{n**5}", root_cause=f"{n**7}"), 0.9) for n in (2, 3)
    ]
    found = premortem(FakeSearcher(experiences=made), "debugging", "x", max_tokens=9000)
    assert found.sources_used["experience"] == 8
    assert found.markdown.endswith("*Based on 2 past experiences*")


class Areas(FakeSearcher):
    async def domains(self) -> list[str]:
        return ["debugging", "feature"]

    async def strategies(self) -> list[str]:
        return ["spike"]


def test_domains_and_strategies_have_one_spelling():
    """`Debugging` found nothing, silently."""
    searcher = FakeSearcher(experiences=[RelevantItem(EXPERIENCE, 0.9)])
    found = premortem(searcher, " Debugging", "Systematic Elimination")
    assert found.markdown.startswith("# Premortem: debugging with systematic-elimination\n")
    assert {asked["domain"] for _, asked in searcher.asked if asked.get("domain")} == {"debugging"}
    made = {**EXPERIENCE.model_dump(), "domain": "Debugging", "strategy": "read the_error"}
    written = Experience(**made)
    assert (written.domain, written.strategy) == ("debugging", "read-the-error")


def test_an_unknown_domain_names_the_known_ones():
    """It had principles of other domains, and `Based on 0 past experiences`."""
    nothing = premortem(Areas(values=[RelevantItem(VALUE, 0.9)]), "nope")
    assert nothing.markdown == ""
    assert nothing.notes == (
        "domain: no experience has this: found 'nope'. Valid: feature, debugging",
    )
    known = Areas(experiences=[RelevantItem(EXPERIENCE, 0.9)])
    assert premortem(known, "debugging").notes == ()
    assert premortem(Areas(), "feature", "spyke").notes == (
        "strategy: no experience has this: found 'spyke'. Valid: spike. Did you mean 'spike'?",
    )


def test_a_result_names_the_sources_that_were_skipped_and_no_secret_of_theirs(
    caplog: pytest.LogCaptureFixture,
):
    """A searcher whose parameter has another name had empty contexts for ever."""
    searcher = searcher_of(**EVERYTHING)
    searcher.hits["code"] = RuntimeError("postgres://ann:hunter2@db")
    searcher.hits["values"] = 60.0
    found = context(searcher, seconds=0.2)
    assert found.skipped == {"code": "failed with RuntimeError", "values": "took longer than 0.2 s"}
    assert "hunter2" not in f"{found!r} {found.skipped} {caplog.text}"
    assert context(searcher_of(**EVERYTHING)).skipped == {}


def test_what_a_context_looks_like_fits_on_a_line():
    found = context(searcher_of(**EVERYTHING))
    assert repr(found) == (
        "<FormattedContext: 1 memory, 1 code, 1 experience, 1 value, 1 commit, "
        f"{found.token_count} tokens>"
    )


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


TOLD = "Tests that compare times have to run in UTC, or they fail after midnight."


@pytest.mark.parametrize(
    "again", [f"{TOLD} Really.", TOLD.upper(), TOLD.replace("have to run", "have to be run")]
)
def test_the_more_relevant_of_duplicates_stays(again: str):
    """In two sources, and in one of them; also in other letters."""
    first, second = Memory(id="m2", content=TOLD), Value(id="v2", text=again)
    for better, worse in ((0.9, 0.5), (0.5, 0.9)):
        hits = {"memories": [RelevantItem(first, better)], "values": [RelevantItem(second, worse)]}
        found = context(FakeSearcher(**hits))
        assert [each.relevance for each in found.items] == [0.9]
    both = [RelevantItem(first, 0.9), RelevantItem(Memory(id="m3", content=again), 0.5)]
    assert [each.relevance for each in context(FakeSearcher(memories=both)).items] == [0.9]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs.", "Use tabs."),
        ("Retry three times before a call fails.", "Retry three times before any call fails."),
    ],
)
def test_short_texts_are_duplicates_too(one: str, other: str):
    hits = {
        "memories": [RelevantItem(Memory(id="m", content=one), 0.9)],
        "values": [RelevantItem(Value(id="v", text=other), 0.5)],
    }
    assert context(FakeSearcher(**hits)).sources_used == {"memory": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The build needs Python 3.11 on all machines.", "The build needs Python 3.12 on all machines."),
        ("E-4410 means that the printer is out of paper.", "E-4411 means that the printer is out of paper."),
        ("Do squash the commits of a branch before it lands.", "Do not squash the commits of a branch before it lands."),
    ],
)  # fmt: skip
def test_texts_that_differ_in_a_number_or_a_negation_both_stay(one: str, other: str):
    hits = [
        RelevantItem(Memory(id=f"m{n}", content=each), 0.9) for n, each in enumerate((one, other))
    ]
    assert len(context(FakeSearcher(memories=hits)).items) == 2
    values = [RelevantItem(Value(id="v", text=other), 0.5)]
    assert len(context(FakeSearcher(memories=hits[:1], values=values)).items) == 2


def test_what_is_about_the_same_file_or_experience_is_no_duplicate():
    """A commit that touches ten files removed all ten functions, and a value all its experiences."""
    units = [
        UNIT.model_copy(update={"file_path": f"{n}.py", "signature": f"def f{n * 7919}():"})
        for n in range(10)
    ]
    touching = COMMIT.model_copy(update={"files_changed": tuple(each.file_path for each in units)})
    made_of = [experience(n) for n in range(8)]
    derived = VALUE.model_copy(update={"experience_ids": tuple(each.id for each in made_of)})
    found = context(
        FakeSearcher(
            code=[RelevantItem(each, 0.5) for each in units],
            commits=[RelevantItem(touching, 0.9)],
            experiences=[RelevantItem(each, 0.5) for each in made_of],
            values=[RelevantItem(derived, 0.9)],
        ),
        max_tokens=9000,
    )
    assert found.sources_used == {"code": 10, "commit": 1, "experience": 8, "value": 1}


def test_a_plan_may_still_drop_what_is_about_the_same(tmp_path: Path):
    """As the design has it."""
    plan = tmp_path / "learning.yaml"
    shipped = Path("contexts/systems/learning.yaml").read_text(encoding="utf-8")
    plan.write_text(
        shipped.replace("    by: relevance", "    fields: [about]\n    by: relevance", 1),
        encoding="utf-8",
    )
    derived = VALUE.model_copy(update={"experience_ids": ("ghap_1",)})
    hits = {
        "experiences": [RelevantItem(EXPERIENCE, 0.5)],
        "values": [RelevantItem(derived, 0.9)],
    }
    assembler = ContextAssembler(FakeSearcher(**hits), plan=plan)
    found = asyncio.run(assembler.assemble_context("clock", ["experiences", "values"]))
    assert found.sources_used == {"value": 1}


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
