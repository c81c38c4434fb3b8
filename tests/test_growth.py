"""No public function takes much more than twice the time for twice the list.

The functions are found by walking the package, so a new one that takes a list fails here until it has
a sample, or a reason to need none.
"""

from __future__ import annotations

import pytest

from benchmarks.attacks import Extent
from benchmarks.attacks.growth import WITHOUT, functions, grown, growth, lists
from benchmarks.attacks.growth_samples import SAMPLES, Call
from tests.nightly import sample


def test_every_public_function_that_takes_a_list_has_a_sample():
    # A list that is a second one of its function, such as `remove` of `put`, may go with the first.
    functions_with_samples = {name.rpartition(".")[0] for name in SAMPLES}
    missing = [
        each
        for each in lists()
        if each not in SAMPLES and each.rpartition(".")[0] not in functions_with_samples
    ]
    assert missing == []


def test_no_sample_and_no_reason_is_of_a_function_that_is_gone():
    known = functions()
    gone = [name for name in SAMPLES if name.rpartition(".")[0] not in known]
    classes = {name.partition(".")[0] for name in known}
    assert [name for name in gone if name.partition(".")[0] not in classes] == []
    assert [name for name in WITHOUT if name.rpartition(".")[0] not in known] == []


def test_classes_of_all_rooms_and_their_constructors_are_walked():
    known = functions()
    assert {"CitationManager.__init__", "RecordWriter.put", "View.documents"} <= {*known}
    assert "Record.__init__" not in known


@pytest.mark.parametrize("name", sample([*SAMPLES], of=4))
def test_a_list_of_four_times_the_length_takes_no_more_than_a_line_allows(name: str):
    assert grown(SAMPLES[name]) is None


def test_a_function_that_compares_all_pairs_is_found():
    def pairs(number: int) -> Call:
        return lambda: sum(one == other for one in range(number) for other in range(number))

    assert "of the processor" in str(grown(pairs))


def test_the_campaign_measures_a_part_of_all_samples():
    measured, broken = growth(Extent(0.02))
    assert measured.measured >= 2
    assert broken.holds
