"""Ranking by a weighted sum of named scores."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import exp, sqrt
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import InputError, PlanError, UnknownNameError
from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.rank import COMPONENTS, RankingQuery, Ranks
from tests.retrieval import NEEDED, sparingly

NOW = datetime(2026, 5, 8, tzinfo=UTC)
ASKED = RankingQuery(now=NOW, terms=("retry", "policy"))

times = st.none() | st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)).map(  # noqa: DTZ001 - made aware below
    lambda moment: moment.replace(tzinfo=UTC)
)
shares = st.none() | st.floats(0, 1)
candidates = st.lists(
    st.builds(
        lambda **known: Candidate(**known),  # noqa: PLW0108 - else the fields with defaults are drawn too
        id=st.text(min_size=1),
        text=st.text() | st.sampled_from(["retry twice", "a policy"]),
        tokens=st.integers(0, 1000),
        score=st.floats(-10, 10),
        source=st.none() | st.text(),
        kind=st.sampled_from(["", "note", "code"]),
        path=st.none() | st.sampled_from(["src/net/retry.py", "src/net/x.py", "docs/a.md", ""]),
        updated=times,
        confidence=shares,
        importance=shares,
        used=st.integers(0, 100),
        helpful=st.integers(0, 9),
        unhelpful=st.integers(0, 9),
    ),
    unique_by=lambda each: each.id,
    max_size=8,
)


def candidate(**known: Any) -> Candidate:
    return Candidate(id="a", text="Retry, by policy.", tokens=5)._replace(**known)


def component(config: str | dict[str, Any], of: Candidate, asked: RankingQuery = ASKED) -> float:
    return COMPONENTS.build(config)(of, asked)


@sparingly
@given(candidates, st.lists(st.sampled_from(COMPONENTS.names), min_size=1, unique=True), st.data())
def test_scores_and_their_components_stay_between_nothing_and_one(
    row: list[Candidate], names: list[str], data: st.DataObject
) -> None:
    weights = {name: data.draw(st.floats(0.01, 100)) for name in names}
    settings = {name: {"weight": weights[name], **NEEDED.get(name, {})} for name in names}
    for ranked in Ranks().build(settings)(row, ASKED):
        assert set(names) <= ranked.parts.keys()
        assert all(0 <= ranked.parts[name] <= 1 for name in names)
        mean = sum(weights[name] * ranked.parts[name] for name in names) / sum(weights.values())
        assert ranked.score == pytest.approx(mean)
        assert 0 <= ranked.score <= 1 + 1e-9


@sparingly
@given(candidates, st.sampled_from(COMPONENTS.names), st.randoms())
def test_every_candidate_is_ranked_once_best_first_whatever_order_they_came_in(
    row: list[Candidate], name: str, random: Any
) -> None:
    rank = Ranks().build({name: NEEDED[name]} if name in NEEDED else name)
    ranked = rank(row, ASKED)
    assert sorted(each.id for each in ranked) == sorted(each.id for each in row)
    assert ranked == best_first(ranked)
    shuffled = list(row)
    random.shuffle(shuffled)
    assert rank(shuffled, ASKED) == ranked


def test_parts_that_a_search_gave_are_kept_beside_the_components() -> None:
    [ranked] = Ranks().build("recency")([candidate(parts={"text": 3.0}, score=3.0)], ASKED)
    assert ranked.parts == {"text": 3.0, "recency": 0.0}


def test_similarity_is_the_share_of_the_best_score() -> None:
    row = [candidate(id="a", score=4.0), candidate(id="b", score=1.0), candidate(id="c", score=-2)]
    assert [each.score for each in Ranks().build()(row, ASKED)] == [1.0, 0.25, 0.0]
    assert [each.score for each in Ranks().build()(row[2:], ASKED)] == [0.0]


def test_absolute_similarity_is_as_high_as_the_best_hit_is_similar() -> None:
    row = [candidate(id="a", score=4.0), candidate(id="b", score=1.0)]
    rank = Ranks().build({"similarity": {"scale": "absolute"}})
    little = replace(ASKED, similarity_of_best=lambda: 0.5)
    assert [each.score for each in rank(row, little)] == [0.5, 0.125]
    assert [each.score for each in rank(row, ASKED)] == [1.0, 0.25]


def test_recency_puts_the_newest_of_equal_matches_first_and_confidence_the_surest() -> None:
    new = candidate(id="new", score=1.0, updated=NOW - timedelta(hours=1), confidence=0.1)
    sure = candidate(id="sure", score=1.0, updated=NOW - timedelta(days=99), confidence=0.9)
    assert [each.id for each in Ranks().build("recency")([sure, new], ASKED)] == ["new", "sure"]
    assert [each.id for each in Ranks().build("confidence")([new, sure], ASKED)] == ["sure", "new"]


@pytest.mark.parametrize(
    ("settings", "score"),
    [
        ({"type": "recency"}, 1 / 8),
        ({"type": "recency", "curve": "exponential", "half_life": 3.5}, 0.25),
        ({"type": "recency", "curve": "linear", "window": 14}, 0.5),
        ({"type": "recency", "curve": "linear", "window": 336, "per": "hour"}, 0.5),
        ({"type": "recency", "per": "hour"}, 1 / 169),
        ({"type": "recency", "curve": "exponential", "half_life": 84, "per": "hour"}, 0.25),
        ({"type": "recency", "curve": "exponential", "decay": 0.01, "per": "hour"}, exp(-1.68)),
    ],
)
def test_recency_follows_the_curve_that_is_named(settings: dict[str, Any], score: float) -> None:
    assert component(settings, candidate(updated=NOW - timedelta(days=7))) == pytest.approx(score)
    assert component(settings, candidate(updated=None)) == 0
    assert component({**settings, "usual": 0.5}, candidate(updated=None)) == 0.5


@pytest.mark.parametrize(
    ("changed", "accessed", "score"),
    [(8, 1, 0.5), (1, 8, 0.5), (None, 3, 0.25), (3, None, 0.25), (None, None, 0.0)],
)
def test_recency_may_count_from_the_last_use(
    changed: int | None, accessed: int | None, score: float
) -> None:
    times = [None if days is None else NOW - timedelta(days) for days in (changed, accessed)]
    known = candidate(updated=times[0], accessed=times[1])
    assert component({"type": "recency", "since": "used"}, known) == pytest.approx(score)
    assert component("recency", known._replace(updated=None)) == 0.0


def test_keyword_is_the_share_of_query_words_in_the_text() -> None:
    assert component("keyword", candidate(text="No POLICY here")) == 0.5
    assert component("keyword", candidate(), replace(ASKED, terms=())) == 0


def test_confidence_and_importance_have_a_usual_value() -> None:
    assert component("confidence", candidate(confidence=0.9)) == 0.9
    assert component("confidence", candidate()) == 0.5
    assert component({"type": "importance", "usual": 0.2}, candidate()) == 0.2
    assert component("importance", candidate(importance=0.0)) == 0


def test_of_several_patterns_for_a_source_the_longest_counts() -> None:
    settings = {"type": "source", "priorities": {"docs/*": 0.3, "docs/rules/*": 1.0, "wiki": 0.8}}
    assert component(settings, candidate(path="docs/rules/a.md")) == 1.0
    assert component(settings, candidate(path="docs/a.md")) == 0.3
    assert component(settings, candidate(source="wiki")) == 0.8
    assert component(settings, candidate(path="src/a.py")) == 0.5


@pytest.mark.parametrize(
    ("path", "share"),
    [("src/net/retry.py", 1.0), ("src/net/x.py", 2 / 3), ("src/x.py", 0.4), ("docs/x.md", 0.0)],
)
def test_proximity_grows_with_the_folders_shared(path: str, share: float) -> None:
    near = {"type": "proximity", "path": "src/net/retry.py"}
    assert component(near, candidate(path=path)) == pytest.approx(share)


def test_without_a_path_there_is_no_proximity() -> None:
    assert component({"type": "proximity", "path": "a"}, candidate()) == 0
    for nowhere in (None, ""):
        assert component({"type": "proximity", "path": nowhere}, candidate(path="a")) == 0


def test_usage_grows_with_use_and_falls_with_complaints() -> None:
    unused, used, much = (component("usage", candidate(used=n)) for n in (0, 5, 500))
    assert (unused, used) == (0, 0.5)
    assert used < much < 1
    assert component("usage", candidate(used=5, unhelpful=4)) < used
    assert component("usage", candidate(used=5, helpful=4)) > used


def test_kind_matches_the_kinds_that_are_wanted() -> None:
    assert component({"type": "kind", "kinds": ["code", "note"]}, candidate(kind="note")) == 1
    assert component({"type": "kind", "kinds": ["code"]}, candidate(kind="note")) == 0
    assert component({"type": "kind", "kinds": []}, candidate(kind="")) == 0


def test_a_kind_counts_more_where_the_query_has_one_of_its_words() -> None:
    settings = {
        "type": "kinds",
        "priorities": {
            "code": {"score": 0.9, "words": ["Retry"]},
            "page": 0.8,
            "row": {"score": 0.7, "words": ["table"]},
        },
        "preferred": ["note"],
    }
    scores = {
        kind: component(settings, candidate(kind=kind))
        for kind in ("code", "page", "row", "note", "x")
    }
    assert scores == {"code": 0.9, "page": 0.8, "row": 0.5, "note": 1.0, "x": 0.5}


@pytest.mark.parametrize(
    ("metadata", "score"),
    [
        ({"tier": "gold"}, 1.0),
        ({"tier": "lead"}, 0.1),
        ({}, 0.1),
        ({"tier": ["lead", "silver"]}, 0.8),
        ({"tier": True}, 0.6),
        ({"tier": 2}, 0.4),
        ({"tier": {"gold": 1}}, 0.1),
    ],
)
def test_a_field_counts_as_the_plan_weighs_its_value(
    metadata: dict[str, Any], score: float
) -> None:
    values = {"gold": 1.0, "silver": 0.8, "true": 0.6, "2": 0.4}
    settings = {"type": "field", "field": "tier", "values": values, "usual": 0.1}
    assert component(settings, candidate(metadata=metadata)) == score
    deep = {**settings, "field": "lesson.tier"}
    assert component(deep, candidate(metadata={"lesson": metadata})) == score


def test_the_first_block_of_a_document_counts_most_by_position() -> None:
    scores = [
        component({"type": "position", "half_at": 2}, candidate(position=n)) for n in (0, 2, 6)
    ]
    assert scores == [1.0, 0.5, 0.25]


def test_tfidf_is_the_cosine_of_words_that_count_by_their_rarity() -> None:
    rare = replace(ASKED, rarity={"retry": 3.0, "policy": 1.0, "by": 1.0}.__getitem__)
    assert component("tfidf", candidate(text="policy, retry"), rare) == pytest.approx(1.0)
    asked = sqrt(9 + 1)
    assert component("tfidf", candidate(text="policy"), rare) == pytest.approx(1 / asked)
    assert component("tfidf", candidate(text="retry"), rare) == pytest.approx(3 / asked)
    assert component("tfidf", candidate(text="!"), rare) == 0


def test_usage_may_grow_evenly_until_it_is_full() -> None:
    full = {"type": "usage", "full_at": 10}
    assert [component(full, candidate(used=n)) for n in (0, 5, 10, 500)] == [0, 0.5, 1, 1]


def test_one_component_may_be_weighed_twice_under_names_of_its_own() -> None:
    rank = Ranks().build(
        {
            "this week": {"type": "recency", "curve": "linear", "window": 7},
            "this year": {"type": "recency", "curve": "linear", "window": 365, "weight": 3},
        }
    )
    [ranked] = rank([candidate(updated=NOW - timedelta(days=73))], ASKED)
    assert ranked.parts == {"this week": 0.0, "this year": 0.8}
    assert ranked.score == pytest.approx(0.6)
    assert rank.names == ("this week", "this year")


def test_a_callers_function_is_a_component_and_is_kept_within_bounds() -> None:
    def shouting(each: Candidate, asked: RankingQuery) -> float:
        return 7.0 if each.text.isupper() else -7.0

    ranks = Ranks(COMPONENTS.adding({"shouting": shouting}))
    row = [candidate(id="a", text="quiet"), candidate(id="b", text="LOUD")]
    assert [each.score for each in ranks.build("shouting")(row, ASKED)] == [1.0, 0.0]


@pytest.mark.parametrize("name", ["similarity", "recency", "confidence"])
def test_a_name_alone_is_that_component_alone(name: str) -> None:
    """As rankers of the memory system mean it; a mixture is written with its weights."""
    [ranked] = Ranks().build(name)([candidate(score=2.0, confidence=0.7)], ASKED)
    assert ranked.parts == {name: ranked.score}


@pytest.mark.parametrize(
    ("answer", "said"), [(float("nan"), "found nan"), (None, "found None"), ("5", "found '5'")]
)
def test_a_component_has_to_answer_with_a_number(answer: Any, said: str) -> None:
    ranks = Ranks(COMPONENTS.adding({"odd": lambda each, asked: answer}))
    with pytest.raises(InputError, match=rf"component 'odd', block 'a': .* {said}"):
        ranks.build("odd")([candidate()], ASKED)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "a ranking is a name, or components with their weights"),
        ([], "a ranking is a name"),
        ({"recency": 0}, "no component has a weight above 0: found {'recency': 0}"),
        ({"recency": -1}, "rank: recency: a weight is a number from 0 on: found -1"),
        ({"recency": 0, "halflife": 0}, "Ranking component 'halflife' not defined"),
        ({"recency": "much"}, "a weight is a number from 0 on: found 'much'"),
        ({"recency": True}, "a weight is a number from 0 on: found True"),
        ({"recency": float("nan")}, "a weight is a number from 0 on: found nan"),
        ({"recency": {"halflife": 3}}, "unknown option: found 'halflife'"),
        ({"kind": 1}, "component 'kind': the option 'kinds' is missing. Valid: kinds"),
        ("proximity", "component 'proximity': the option 'path' is missing"),
        ({"source": {"usual": 1}}, "'priorities' is missing. Valid: priorities, usual"),
    ],
)
def test_a_ranking_that_cannot_be_meant_is_refused(config: Any, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        Ranks().build(config)


def test_a_component_of_weight_0_is_left_out() -> None:
    """A copy of a plan, or a setting of a system, switches it off and keeps the others as they are."""
    asked: list[str] = []
    ranks = Ranks(COMPONENTS.adding({"slow": lambda each, _: asked.append(each.id) or 1.0}))
    ranking = ranks.build({"similarity": 2, "slow": 0, "confidence": {"weight": 0}})
    (best,) = ranking([candidate(score=0.5)], ASKED)
    assert (ranking.names, asked, best.parts) == (("similarity",), [], {"similarity": 1.0})


def test_an_unknown_component_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'recency'"):
        Ranks().build("recencey")


@sparingly
@given(candidates)
def test_of_equal_scores_the_newest_comes_first_and_then_the_id(row: list[Candidate]) -> None:
    ranked = best_first([each._replace(score=1.0) for each in row])
    for one, other in pairwise(ranked):
        if one.changed == other.changed:
            assert one.id < other.id
        else:
            assert other.changed is None or (one.changed and one.changed > other.changed)
    assert best_first([*reversed(ranked)]) == ranked


def test_tfidf_counts_words_in_the_corpus_that_it_names():
    found = candidate(text="retry lamp")
    asked = replace(ASKED, rarity_in={"files": lambda word: 5.0 if word == "retry" else 1.0})
    assert component({"type": "tfidf", "corpus": "files"}, found, asked) > component("tfidf", found)
    nothing_found = component({"type": "tfidf", "corpus": "notes"}, found, asked)
    assert nothing_found == component("tfidf", found)


def test_found_by_counts_the_best_source_that_found_a_block():
    config = {"type": "found_by", "priorities": {"references": 1.0, "files": 0.7}, "usual": 0.3}
    assert component(config, candidate(found_by=("files", "references"))) == 1.0
    assert component(config, candidate(found_by=("files",))) == 0.7
    assert component(config, candidate(found_by=("text",))) == 0.3


def test_blocks_of_a_document_that_score_the_same_stay_in_their_order():
    blocks = [
        Candidate(id=name, text="", tokens=1, sequence=document, position=position)
        for document, position, name in [("a", 0, "z"), ("a", 1, "b"), ("a", 2, "c"), ("b", 0, "a")]
    ]
    assert best_first([*reversed(blocks)]) == blocks
