"""A pack with a format fills its share with what it writes, not with the texts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biblicus_context import ContextAssembler, ContextAssemblyResult
from biblicus_context.corpora import Corpus
from biblicus_context.retrieval.requests.block_writing import BlockWriting
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.format import FormatSpec
from biblicus_context.text.counters import default_counter

FORMATS: Mapping[str, dict[str, Any]] = {
    "list": {"header": "{count} of {total}:\n\n", "item": "- {content}", "separator": "\n"},
    "numbers": {"item": "{index}. {content}", "footer": "\n--"},
    "jinja": {"item": "- {{ content }}{% if path %} ({{ path }}){% endif %}"},
    "fence": {"fence": True, "citations": "inline"},
    "metadata": {"metadata": True},
    "wide": {"item": "{id} {path}:{lines} {title} {score}\n{content}\n(end of {path})"},
}
QUERIES = (
    *("lamp bulb watts", "a lamp in the hall", "bulb number 7", "watts more", "which lamp"),
    *("more is said here", "lamp 12 or lamp 30", "has a bulb", "what is said of watts", "lamp 99"),
)
SOURCES = {"words": {"retriever_id": "keyword"}, "trigrams": {"retriever_id": "fuzzy"}}
HYBRID = {"retriever_id": "hybrid"}
CAPPED = {**HYBRID, "item_cap": 0.4}
LIMITED = {**HYBRID, "limit": 20}
KNAPSACK = {**HYBRID, "select": "knapsack"}
COMBINED = {"retriever_id": "combined", "of": [*SOURCES]}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A hundred and fifty files of sizes that differ by a factor of thirty."""
    root = tmp_path_factory.mktemp("shared") / "mixed"
    root.mkdir()
    for number in range(150):
        more = "More of it is said here. " * (1, 6, 3, 14, 31, 9, 2)[number % 7]
        text = f"# Lamp {number}\n\nLamp {number} has a bulb of {number} watts. {more}\n"
        (root / f"{number:03}.md").write_text(text, encoding="utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        yield corpus


def assembled(
    corpus: Corpus,
    form: dict[str, Any] | None,
    budget: int,
    config: dict[str, Any],
    query: str = QUERIES[0],
) -> ContextAssemblyResult:
    pack = {"type": "context", "name": "kb", **({"format": form} if form else {})}
    plan = {"policy": {"pack_budget": {"default_ratio": 1.0}}, "messages": [pack]}
    assembler = ContextAssembler(
        {"ask": plan},
        {
            name: {"config": each} if each is COMBINED else {"corpus": "lamps", "config": each}
            for name, each in {"kb": config, **SOURCES}.items()
        },
        {"lamps": {"config": {"root": str(corpus.root)}}},
        index="missing",
    )
    return assembler.assemble("ask", inputs={"query": query}, budget=budget)


@pytest.mark.parametrize("config", [HYBRID, CAPPED, COMBINED], ids=str)
@pytest.mark.parametrize("budget", [300, 600, 1200, 4000])
@pytest.mark.parametrize("name", ["list", "numbers", "jinja", "fence"])
def test_it_is_filled_as_one_without_a_format(
    mixed: Corpus, name: str, budget: int, config: dict[str, Any]
):
    def filled(form: dict[str, Any] | None) -> float:
        results = (assembled(mixed, form, budget, config, query) for query in QUERIES)
        return mean(result.token_count / budget for result in results)

    assert filled(FORMATS[name]) >= filled(None) - 0.01


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from([*FORMATS]),
    budget=st.integers(100, 4000),
    config=st.sampled_from([HYBRID, CAPPED, LIMITED, KNAPSACK, COMBINED]),
    query=st.sampled_from(QUERIES),
)
def test_of_what_is_offered_all_is_placed_and_only_the_last_is_cut(
    mixed: Corpus, name: str, budget: int, config: dict[str, Any], query: str
):
    result = assembled(mixed, FORMATS[name], budget, config, query)
    assert default_counter().count(result.system_prompt) == result.token_count <= budget
    changed = [each for each in result.receipt.parts[0].blocks if each.action != "kept"]
    # Each source of a pool fills the share: where they find different blocks, they offer more than fits.
    assert len(changed) <= 1 or config is COMBINED


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from([*FORMATS]),
    budget=st.integers(200, 4000),
    separator=st.sampled_from(["\n\n", "\n", " | "]),
    guarded=st.booleans(),
    select=st.sampled_from(["rank_order", "knapsack", "diverse_kinds"]),
)
def test_a_retriever_keeps_to_the_tokens_of_a_request_as_the_pack_writes_its_blocks(
    mixed: Corpus, name: str, budget: int, separator: str, guarded: bool, select: str
):
    writing = BlockWriting(
        form=FormatSpec.model_validate(FORMATS[name]),
        separator=separator,
        tag="evidence-00000000",
        guarded=guarded,
    )
    request = ContextRetrieverRequest(
        query=QUERIES[0], limit=budget, max_tokens=budget, writing=writing
    )
    form = writing.compiled()
    blocks = mixed.retriever({"select": select})(request).blocks
    texts = ["".join(form.write(block, writing.tag, guarded=guarded)) for block in blocks]
    assert default_counter().count(separator.join(texts)) <= budget
    assert blocks


def test_answers_are_remembered_for_each_format(mixed: Corpus):
    retriever = mixed.retriever({"cache": {"ttl_seconds": 60}})
    plain = ContextRetrieverRequest(query=QUERIES[0], limit=600, max_tokens=600)
    form = FormatSpec.model_validate(FORMATS["wide"])
    wide = plain.model_copy(update={"writing": BlockWriting(form=form, separator="\n\n")})
    assert len(retriever(wide).blocks) < len(retriever(plain).blocks)
