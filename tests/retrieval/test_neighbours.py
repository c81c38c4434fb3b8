"""What stands around a hit is read with it."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from biblicus_context.corpora.search.passages import passages
from biblicus_context.retrieval.candidate import Candidate
from tests.retrieval import sparingly


def block(sequence: str | None, position: int, score: float = 0.0) -> Candidate:
    name = f"{sequence or 'alone'}{position}"
    return Candidate(
        id=name, text=name, tokens=2, score=score, sequence=sequence, position=position
    )


blocks = st.lists(
    st.builds(block, st.sampled_from(["x", "y", None]), st.integers(0, 12), st.floats(0, 9)),
    unique_by=lambda each: each.id,
    max_size=20,
)


@sparingly
@given(blocks, blocks)
def test_every_hit_is_in_one_passage_and_no_passage_is_without_a_hit(
    hits: list[Candidate], around: list[Candidate]
) -> None:
    found = passages(hits, around)
    members = Counter(each.id for passage in found for each in passage.members)
    assert {each.id for each in hits} <= members.keys()
    assert set(members.values()) <= {1}
    assert all(passage.best in hits and passage.best in passage.members for passage in found)


@sparingly
@given(blocks, blocks)
def test_a_passage_has_no_gap_and_could_not_be_longer(
    hits: list[Candidate], around: list[Candidate]
) -> None:
    known = {(each.sequence, each.position) for each in (*hits, *around)}
    for passage in passages(hits, around):
        positions = [each.position for each in passage.members]
        sequence = passage.best.sequence
        assert positions == list(range(positions[0], positions[-1] + 1))
        if sequence is None:
            assert len(positions) == 1
        else:
            assert (sequence, positions[0] - 1) not in known
            assert (sequence, positions[-1] + 1) not in known


@sparingly
@given(blocks, blocks)
def test_passages_come_best_first_and_count_what_their_blocks_count(
    hits: list[Candidate], around: list[Candidate]
) -> None:
    found = passages(hits, around)
    assert [passage.score for passage in found] == sorted(
        (passage.score for passage in found), reverse=True
    )
    for passage in found:
        assert passage.tokens == 2 * len(passage.members)
        assert passage.score == max(each.score for each in passage.members if each in hits)


def test_neighbours_of_two_hits_that_overlap_are_merged_into_one_passage() -> None:
    [passage] = passages(
        hits=[block("x", 2, 1.0), block("x", 5, 3.0)], around=[block("x", n) for n in (1, 3, 4, 6)]
    )
    assert passage.best.id == "x5"
    assert passage.text("\n") == "x1\nx2\nx3\nx4\nx5\nx6"


def test_a_hit_stays_a_hit_where_it_is_also_named_as_a_neighbour() -> None:
    [passage] = passages(hits=[block("x", 2, 1.0)], around=[block("x", 2), block("x", 3)])
    assert passage.score == 1.0
