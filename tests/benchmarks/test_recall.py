"""`python -m benchmarks --only recall`: what of the gold evidence is in the contexts of systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.memories.learned import LIGHTER
from benchmarks.recall import (
    BESIDE,
    CHANGED,
    PLAIN,
    SYSTEMS,
    WRITTEN,
    Recalled,
    beside_plain,
    recall_text,
    recalled,
)
from benchmarks.report import targets_text
from biblicus_context.evaluation import BUDGETS
from tests.evaluation.conftest import write

FRUITS = ("apples", "pears", "plums", "cherries", "quinces", "medlars", "figs", "grapes")
LONG = 130
"""Words of a record: more than a quarter of 256 tokens, and less than all of them."""


def _text(fruit: str) -> str:
    """One sentence that answers, and many about the year."""
    years = " ".join(f"In {1900 + year} they grew well." for year in range(LONG // 6))
    return f"Our {fruit} ripen by the south wall. {years}"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recalled]:
    place = tmp_path_factory.mktemp("gold")
    records = [{"id": fruit, "text": _text(fruit)} for fruit in FRUITS]
    queries = [
        {"id": fruit, "text": f"Where do {fruit} ripen?", "gold": [fruit]} for fruit in FRUITS
    ]
    write(place / "orchard", records, queries)
    return {row.system: row for row in recalled(place, queries=4)}


def test_every_system_answers_the_questions_in_every_budget(rows: dict[str, Recalled]):
    assert [*rows] == [*SYSTEMS]
    assert {row.questions for row in rows.values()} == {4}
    for row in rows.values():
        assert [*row.recall] == [*row.named] == [*BUDGETS]
        assert 0 < row.filled <= 1
        assert all(0 <= row.recall[each] <= row.named[each] <= 1 for each in BUDGETS)


def test_a_record_above_the_cap_is_named_and_not_whole(rows: dict[str, Recalled]):
    for name in ("plain, cap of a quarter", WRITTEN, "learning"):
        assert rows[name].recall[256] == 0
        assert rows[name].named[256] == 1
    for name in (PLAIN, "memory", "plain, format", "plain, limit of 20", CHANGED):
        assert rows[name].recall[256] == 1


def test_all_records_are_whole_where_the_budget_is_large(rows: dict[str, Recalled]):
    assert {row.recall[4096] for row in rows.values()} == {1}


def test_the_distance_of_learning_to_the_plain_hybrid_is_printed_as_missed(
    rows: dict[str, Recalled],
):
    targets = {target.name: target for target in beside_plain([*rows.values()])}
    assert [*targets] == [f"orchard: mean recall, {one} behind {other}" for one, other in BESIDE]
    missed = targets[f"orchard: mean recall, learning behind {PLAIN}"]
    assert missed.measured == pytest.approx(100 * (rows[PLAIN].mean - rows["learning"].mean))
    assert not missed.holds
    assert [name for name, each in targets.items() if not each.holds] == [missed.name]
    assert targets_text(targets.values()).count("MISSED") == 1


def test_the_table_has_a_line_for_each_system_with_both_means(rows: dict[str, Recalled]):
    title, columns, *lines = recall_text([*rows.values()]).splitlines()
    assert title == "orchard, recall"
    assert columns.split()[:2] == ["questions", "256"]
    assert [line for line in lines if line.startswith("learning  ")]
    learning = next(line for line in lines if line.startswith("learning  ")).split()
    of = columns.split()
    assert float(learning[1 + of.index("mean")]) == round(100 * rows["learning"].mean, 1)
    assert float(learning[1 + of.index("named")]) == 100.0


def test_the_changed_plan_is_the_one_of_the_documentation():
    page = Path("docs/systems/learning.md").read_text(encoding="utf-8")
    assert f"```yaml\n{LIGHTER.read_text(encoding='utf-8')}```" in page
