"""Every counter keeps the same promises."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from biblicus_context.text.counters import Counter, Counters, count_followed, count_joined
from biblicus_context.text.counters.splintr_library import SplintrCounter, bundled
from biblicus_context.text.counters.tiktoken_library import TiktokenCounter
from biblicus_context.text.counters.tokenizer_file import TokenizerFile
from biblicus_context.text.counters.vocabularies import VOCABULARIES
from tests.nightly import sample
from tests.pace import within
from tests.text.samples import CONTROL_TOKENS, SCRIPTS, texts

if TYPE_CHECKING:
    from pathlib import Path

BUNDLED = {each.name: each for each in VOCABULARIES}
FORGETFUL = {
    each.name: SplintrCounter(
        each.name, lambda n=each.name: bundled(n), in_batches=each.lists_control_tokens
    )
    for each in VOCABULARIES
}
ESTIMATES = ("claude-sonnet-4-5", "gemini-2.5-pro", "llama-4-scout")
OTHERS = ("characters", "whitespace", "tiktoken:o200k_base", "own function", "tokenizer.json")
MEGABYTE = 1_000_000

with_counter = pytest.mark.parametrize("name", [*BUNDLED, *ESTIMATES, *OTHERS])
some = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def tokenizer_json(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small byte-level tokenizer, as models ship it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        SCRIPTS * 4,
        trainers.BpeTrainer(
            vocab_size=600,
            initial_alphabet=alphabet,
            special_tokens=["<|endoftext|>"],
            show_progress=False,
        ),
    )
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@pytest.fixture
def counter(name: str, tokenizer_json: Path) -> Counter:
    """The counter that a test is about."""
    counters = Counters({"own function": lambda text: len(text.encode("utf-8", "replace"))})
    return counters.get(str(tokenizer_json) if name == "tokenizer.json" else name)


@with_counter
def test_nothing_counts_as_nothing(counter: Counter) -> None:
    """The empty text has no tokens, not even those that a tokenizer puts around others."""
    assert counter.count("") == 0
    assert counter.count_many(["", "a", ""])[::2] == [0, 0]
    assert counter.count_many([]) == []


@with_counter
@some
@given(text=texts)
def test_a_count_is_a_number_of_tokens_and_stays_the_same(counter: Counter, text: str) -> None:
    """Counting twice gives the same figure, never a negative one."""
    assert counter.count(text) == counter.count(text) >= 0


@with_counter
def test_counting_together_is_counting_one_by_one(
    name: str, counter: Counter, tokenizer_json: Path
) -> None:
    """A batch gives the counts of its texts, those with control tokens among them."""
    rows = [*SCRIPTS, *CONTROL_TOKENS, "</a><table>", "lone \ud800 half", "", *SCRIPTS]
    forgetful = _forgetful(name, counter, tokenizer_json)
    assert forgetful.count_many(rows) == [forgetful.count(text) for text in rows]
    assert counter.count_many(rows) == forgetful.count_many(rows)


@with_counter
@some
@given(parts=st.lists(texts | st.just("\n\n"), min_size=7, max_size=7))
def test_counting_in_parts_is_counting_the_joined_text(
    name: str, counter: Counter, tokenizer_json: Path, parts: list[str]
) -> None:
    """However a text is taken apart, its figure is that of the whole."""
    forgetful = _forgetful(name, counter, tokenizer_json)
    joined = ["".join(parts), "".join(parts[:3]), ""]
    assert count_joined(counter, [parts, parts[:3], []]) == forgetful.count_many(joined)
    followed = [part + "\n\n" for part in parts]
    assert count_followed(counter, parts, "\n\n") == forgetful.count_many(followed)


def _forgetful(name: str, counter: Counter, tokenizer_json: Path) -> Counter:
    """The same counter without a memory, so that it counts twice."""
    if name in BUNDLED:
        return FORGETFUL[name]
    if name == "tokenizer.json":
        return TokenizerFile(name, str(tokenizer_json))
    return TiktokenCounter("o200k_base") if name.startswith("tiktoken") else counter


@with_counter
@pytest.mark.parametrize("text", CONTROL_TOKENS)
def test_the_spelling_of_a_control_token_is_ordinary_text(
    name: str, counter: Counter, text: str
) -> None:
    """What reads like a control token costs more than one token, as any such row of marks does."""
    assert counter.count(text) >= (1 if name == "whitespace" else 2)
    assert counter.count_many([text, "plain"])[0] == counter.count(text)


@with_counter
@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00", "\udc00\ud800" * 100])
def test_surrogates_count_as_what_a_program_reads_from_json(
    name: str, counter: Counter, text: str
) -> None:
    """A pair costs what its character costs, half a pair what U+FFFD costs, alone and in a batch."""
    count = counter.count(text)
    assert counter.count_many([text, "a"])[0] == count
    if name in BUNDLED:
        sent = json.loads(json.dumps(text))
        replaced = "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in sent)
        assert count == counter.count(replaced) > 0


@with_counter
@pytest.mark.parametrize("unit", sample(["a", "漢字仮名"], of=2))
def test_a_megabyte_without_a_break_is_counted_in_bounded_time(counter: Counter, unit: str) -> None:
    """A hostile text costs at most a few seconds, and no stack."""
    with within(5):
        count = counter.count(unit * (MEGABYTE // len(unit)))
    assert count >= 0


@with_counter
@some
@given(first=texts, second=texts)
def test_joined_texts_cost_no_more_than_both(counter: Counter, first: str, second: str) -> None:
    """Joining can add a few tokens where two pieces meet, not more."""
    assert counter.count(first + second) <= counter.count(first) + counter.count(second) + 4


@with_counter
def test_only_counts_with_a_margin_say_that_they_are_estimates(name: str, counter: Counter) -> None:
    """Whoever reads a figure can see whether it is the model's own."""
    assert counter.estimated == (name in ESTIMATES)
    assert counter.name
    assert isinstance(counter, Counter)
