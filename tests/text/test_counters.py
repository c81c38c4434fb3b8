"""Counters by name: what is built in, what a caller adds, and what loads when."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import splintr
import tiktoken

from biblicus_context.errors import InputError, LoadError, UnknownNameError
from biblicus_context.text.counters import Counters, default_counter
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = "Some words, to be counted by whoever counts."


class Fixed:
    """Counts seven for every text."""

    name = "seven"
    estimated = True

    def count(self, text: str) -> int:
        """Seven."""
        return 7

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Seven for each."""
        return [7] * len(texts)


def test_every_vocabulary_of_splintr_has_its_names_here() -> None:
    """The names that can be written are those that splintr knows."""
    with pytest.raises(ValueError, match="Supported") as refused:
        splintr.Tokenizer.from_pretrained("no such vocabulary")
    known = set(re.split(r",\s*", str(refused.value).split("Supported: ")[1].rstrip(".")))
    only_tiktoken = set(tiktoken.list_encoding_names()) - known
    assert set(Counters().names()) == known | only_tiktoken | {"characters", "whitespace"}


def test_an_encoding_that_splintr_lacks_is_counted_by_tiktoken() -> None:
    assert Counters().get("r50k_base") is Counters().get("tiktoken:r50k_base")
    assert Counters().get("o200k_base") is not Counters().get("tiktoken:o200k_base")


def test_an_alias_is_the_same_counter() -> None:
    """What one name remembers, the other knows."""
    counters = Counters()
    assert counters.get("llama3.1") is counters.get("llama3") is Counters().get("llama3.3")
    assert counters.get("gpt-4o") is default_counter() is counters.get("o200k_base")


def test_simple_counters_count_what_they_are_named_for() -> None:
    """Four characters, begun or full, are a token; so is a word."""
    counters = Counters()
    assert counters.get("characters").count_many(["", "a", "abcd", "abcde"]) == [0, 1, 1, 2]
    assert counters.get("whitespace").count_many(["", " a  b\n\nc "]) == [0, 3]


def test_a_function_becomes_a_counter_that_is_asked_once() -> None:
    """A caller's own function counts under its name, and each text costs one call."""
    asked: list[str] = []
    counter = Counters({"own": lambda text: asked.append(text) or 5}).get("own")
    assert (counter.name, counter.estimated) == ("own", False)
    assert counter.count_many(["a", "b", "a"]) == [5, 5, 5]
    assert counter.count("b") == 5
    assert asked == ["a", "b"]


@pytest.mark.parametrize("answer", [-1, 1.5, None, "3"])
def test_a_function_has_to_answer_with_a_number_of_tokens(answer: object) -> None:
    """Anything else is said to be what it is."""
    counter = Counters({"own": lambda _: answer}).get("own")  # type: ignore[dict-item, return-value]
    with pytest.raises(InputError, match="whole number"):
        counter.count("a")


def test_a_counter_added_under_a_models_name_counts_for_that_model() -> None:
    """Also when the name that is asked for has a provider and a date."""
    fixed = Fixed()
    counters = Counters({"claude-sonnet-4.5": fixed})
    assert counters.get("anthropic/claude-sonnet-4-5-20250929") is fixed
    assert counters.get("claude-opus-4-5") is not fixed


def test_a_model_without_a_public_vocabulary_is_estimated_with_its_margin() -> None:
    """The figure is another vocabulary's, raised by the margin and rounded up."""
    model = ModelTable.shipped().find("claude-sonnet-4-5")
    base = Counters().get(model.counter).count(TEXT)
    counter = Counters().get("claude-sonnet-4-5")
    assert counter.estimated
    assert counter.name == model.name
    assert counter.count(TEXT) == -int(-base * model.margin // 1)


def test_a_table_of_ones_own_decides_which_counter_a_model_has() -> None:
    """A model added to the table is known by its name."""
    models = ModelTable.shipped().with_models({"house-model": {"counter": "whitespace"}})
    assert Counters(models=models).get("house-model").count(TEXT) == 8
    broken = models.with_models({"house-model": {"counter": "whitespce"}})
    with pytest.raises(UnknownNameError, match=r"model 'house-model'.*Did you mean 'whitespace'"):
        Counters(models=broken).get("house-model")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    """Vocabularies and models are both thought of."""
    with pytest.raises(UnknownNameError, match=r"Counter 'o200k_bas' not defined.*'o200k_base'"):
        Counters().get("o200k_bas")
    with pytest.raises(UnknownNameError, match="Did you mean 'gpt-4o-mini'"):
        Counters().get("gtp-4o-mini")
    with pytest.raises(UnknownNameError, match="o200k_harmony"):
        Counters().get("tiktoken:o300k").count("a")
    with pytest.raises(LoadError, match=r"tokenizer\.json.*cannot be read"):
        Counters().get("no/such/tokenizer.json")


def test_nothing_heavy_is_loaded_before_something_is_counted() -> None:
    """Importing, and asking for a counter, stay cheap."""
    program = (
        "import sys; from biblicus_context.text.counters import Counters;"
        "import biblicus_context.text.messages.meter;"
        "Counters().get('gpt-4o'); Counters().get('tiktoken:gpt2');"
        "print([m for m in ('splintr','tiktoken','tokenizers','regex','jinja2','yaml') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
