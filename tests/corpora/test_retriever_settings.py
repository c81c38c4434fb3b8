"""Every setting of a retriever does in a context what it says."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.errors import PlanError, RetrieverError
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.stores import Batch, Entry
from biblicus_context.testing.store_samples import seen
from biblicus_context.text.counters import default_counter
from tests.corpora.searching import PACKS, ask, ids, paths

Indexed = Callable[[dict[str, str]], Path]
TALK = [
    ("Ada", "2026-03-01T09:00", "Shall we talk about the garden?"),
    ("Ben", "2026-03-01T09:01", "Yes. The roses need pruning in March."),
    ("Ada", "2026-03-01T09:02", "I shall buy new gloves."),
    ("Ben", "2026-03-01T09:03", "Leave the ladder to me."),
    ("Ada", "2026-03-01T09:04", "Then all is said."),
]


@pytest.fixture
def indexed(tmp_path: Path) -> Indexed:
    def index(files: dict[str, str]) -> Path:
        root = tmp_path / "notes"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        with Corpus.open(root) as corpus:
            corpus.ingest()
        return root

    return index


def talk(turns: list[tuple[str, str, str]], session: str = "garden") -> str:
    keys = ("role", "date", "content")
    return "".join(
        json.dumps({**dict(zip(keys, turn, strict=True)), "session": session, "speaker": turn[0]})
        + "\n"
        for turn in turns
    )


def sections(count: int) -> str:
    """A document of so many blocks, of which the third names a parcel."""
    texts = [
        f"Part {number} is about other things. " + "So it goes on. " * 60 for number in range(count)
    ]
    texts[2] = "The parcel left on Monday. " + "It is on its way. " * 60
    return "\n\n".join(f"## Part {number}\n\n{text}" for number, text in enumerate(texts))


def test_rank_weighs_what_was_found_and_shows_every_component(indexed: Indexed):
    root = indexed(
        {"old.md": "Tea tea tea: how to brew tea.\n", "new.md": "Some tea and a biscuit.\n"}
    )
    now = datetime.now(UTC)
    os.utime(root / "old.md", times=((now - timedelta(days=900)).timestamp(),) * 2)
    os.utime(root / "new.md", times=(now.timestamp(),) * 2)
    (root / "old.md").write_text("Tea tea tea: how to brew tea!\n", "utf-8")
    os.utime(root / "old.md", times=((now - timedelta(days=900)).timestamp(),) * 2)
    with Corpus.open(root) as corpus:
        corpus.ingest()
    assert paths(ask(root, "tea", {"retriever_id": "keyword"}))[0] == "old.md"
    result = ask(
        root, "tea", {"retriever_id": "keyword", "rank": {"similarity": 0.4, "recency": 0.6}}
    )
    assert paths(result) == ["new.md", "old.md"]
    (row, _) = result.receipt.parts[0].blocks
    assert set(row.parts) == {"text", "similarity", "recency"}
    assert all(0 <= row.parts[name] <= 1 for name in ("similarity", "recency"))


def test_excerpt_shows_the_part_around_the_words_of_the_query_within_its_tokens(indexed: Indexed):
    root = indexed(
        {"long.md": "# Long\n\n" + "So it goes on. " * 20 + "The parcel left. " + "More. " * 30}
    )
    marked = {"tokens": 20, "marks": ["<<<", ">>>"]}
    result = ask(root, "when did the parcel leave?", {"retriever_id": "keyword", "excerpt": marked})
    (citation,) = result.citations
    assert "The <<<parcel>>> left." in citation.excerpt
    assert default_counter().count(citation.excerpt) <= 20
    assert citation.tokens == default_counter().count(citation.excerpt)
    assert (citation.path, citation.lines) == ("long.md", (1, 3))


def test_an_excerpt_shortens_passages_and_leaves_the_ranking_as_it_is(indexed: Indexed):
    root = indexed({"parts.md": sections(5), "other.md": "A parcel, said Ann.\n"})
    plain: dict[str, Any] = {"retriever_id": "keyword", "neighbours": 1, "limit": 9}
    whole = ask(root, "parcel", plain)
    short = ask(root, "parcel", {**plain, "excerpt": {"tokens": 16}})
    assert ids(short) == ids(whole)
    assert [each.score for each in short.citations] == [each.score for each in whole.citations]
    assert all("parcel" in each.excerpt for each in short.citations)
    assert all(each.tokens <= 16 for each in short.citations)


def test_an_excerpt_with_a_wrong_setting_is_an_error_that_names_it(indexed: Indexed):
    root = indexed({"a.md": "Tea."})
    with pytest.raises(PlanError, match="excerpt"):
        ask(root, "tea", {"retriever_id": "keyword", "excerpt": {"tokens": 3}})


def test_rank_takes_weights_and_curves_and_a_place_from_the_inputs(indexed: Indexed):
    root = indexed(
        {"a/one.md": "Tea in the first room.\n", "b/two.md": "Tea in the second room.\n"}
    )
    rank = {"proximity": {"weight": 1, "path": "{input.file}"}}
    for file, best in (("a/x.md", "a/one.md"), ("b/x.md", "b/two.md")):
        result = ask(root, "tea room", {"rank": rank}, inputs={"file": file})
        assert paths(result)[0] == best


def test_tfidf_counts_a_word_that_few_blocks_have_for_more(indexed: Indexed):
    others = {f"{n}.md": f"{'Tea' if n < 3 else 'Milk'} number {n} is poured." for n in range(8)}
    root = indexed(
        {**others, "rare.md": "Lapsang tastes of smoke.", "common.md": "Tea tastes good."}
    )
    config = {"retriever_id": "keyword", "rank": "tfidf", "limit": 20}
    part = ask(root, "lapsang tea", config).receipt.parts[0]
    scores = {block.source: block.parts["tfidf"] for block in part.blocks}
    assert scores["rare.md"] > scores["common.md"] > 0


def test_what_is_superseded_or_no_longer_valid_is_not_found(indexed: Indexed):
    root = indexed(
        {
            "old.md": "---\nsuperseded_by: new.md\n---\nTea costs 2 euros.",
            "new.md": "Tea costs 3 euros.",
            "gone.md": "---\nvalid_to: 2020-01-01\n---\nTea cost 1 euro.",
            "later.md": "---\nvalid_from: 2999-01-01\n---\nTea will cost 9 euros.",
        }
    )
    assert paths(ask(root, "tea", {"limit": 9})) == ["new.md"]
    everything = {"limit": 9, "filters": {"superseded": True}}
    assert set(paths(ask(root, "tea", everything))) == {"old.md", "new.md", "gone.md", "later.md"}


def test_a_document_becomes_invalid_while_a_retriever_is_open(indexed: Indexed):
    root = indexed({"lasting.md": "Tea at five."})
    with Corpus.open(root) as corpus:
        for seconds in (0.5, 4, 60):  # until the first search is in time, however busy the machine
            end = datetime.now(UTC) + timedelta(seconds=seconds)
            ending = f"---\nvalid_to: {end.isoformat()}\n---\nTea at four."
            (root / "ending.md").write_text(ending, "utf-8")
            corpus.ingest()
            retriever = corpus.retriever({"retriever_id": "keyword"})
            valid = len(retriever.evidence("tea", offset=0, limit=9))
            if datetime.now(UTC) < end:
                break
        assert valid == 2
        time.sleep(max(0.0, (end - datetime.now(UTC)).total_seconds()) + 0.01)
        assert len(retriever.evidence("tea", offset=0, limit=9)) == 1


def test_documents_may_be_excluded_and_limited_to_recent_hours(indexed: Indexed):
    root = indexed({"old.md": "Tea of last year.", "new.md": "Tea of today.", "other.md": "Tea."})
    (root / "old.md").write_text("Tea of the year before.", "utf-8")
    long_ago = (datetime.now(UTC) - timedelta(days=300)).timestamp()
    os.utime(root / "old.md", (long_ago, long_ago))
    with Corpus.open(root) as corpus:
        corpus.ingest()
    recent = {"updated": {"within": "72h"}}
    assert paths(ask(root, "tea", {"filters": recent, "limit": 9})) == ["other.md", "new.md"]
    chosen = {**recent, "exclude_documents": ["other.md"]}
    assert paths(ask(root, "tea", {"filters": chosen, "limit": 9})) == ["new.md"]


def test_a_fusion_can_be_chosen_and_its_parts_are_those_scores(indexed: Indexed):
    root = indexed({"tea.md": "Green tea.\n", "bread.md": "Rye bread.\n"})
    result = ask(root, "green tea", {"fusion": {"type": "reciprocal_rank", "constant": 1}})
    parts = result.receipt.parts[0].blocks[0].parts
    assert parts["vector"] / parts["text"] == pytest.approx(0.7, abs=0.01)


def test_of_the_same_text_one_block_stays_and_the_receipt_names_it(indexed: Indexed):
    root = indexed({"a.md": "Ask twice, pack once.\n", "b.md": "Ask twice,  pack once.\n"})
    result = ask(root, "ask twice", {"retriever_id": "keyword"})
    (kept,) = ids(result)
    _, dropped = result.receipt.parts[0].blocks
    assert dropped.action == "dropped"
    assert dropped.reason == f"duplicate: the same text as '{kept}'"
    assert len(ids(ask(root, "ask twice", {"retriever_id": "keyword", "dedupe": False}))) == 2


@pytest.mark.parametrize(
    ("dedupe", "placed"), [(True, 1), ({"near": 0.99}, 2), ({"near": None}, 2)]
)
def test_near_duplicates_are_dropped_on_request(indexed: Indexed, dedupe: Any, placed: int):
    text = "The lamp in the hall has a bulb of forty watts and a shade of green glass."
    root = indexed({"a.md": f"{text}\n", "b.md": f"{text.replace('green', 'grey')}\n"})
    result = ask(root, "lamp bulb", {"dedupe": dedupe})
    assert len(ids(result)) == placed
    rows = result.receipt.parts[0].blocks
    assert len(rows) == 2
    if placed == 1:
        assert rows[1].reason.startswith("duplicate: a near-duplicate (9")


def test_a_repeated_turn_answers_another_question(indexed: Indexed):
    turns = [("Ada", "2026-03-01", "Is it tea?"), ("Ben", "2026-03-01", "Yes."), *TALK[:1]]
    root = indexed({"talk.jsonl": talk([*turns, ("Ben", "2026-03-02", "Yes.")])})
    assert len(ids(ask(root, "yes", {"limit": 9, "dedupe": True}))) == 4


def test_a_share_is_filled_as_select_says(indexed: Indexed):
    long = "Tea tea tea tea. " + "All about it is said here at length. " * 12
    root = indexed({"long.md": long, "one.md": "Tea is warm.\n", "two.md": "Tea is green.\n"})
    policy = {"input_budget": {"max_tokens": default_counter().count(long) + 4}, **PACKS}
    config = {"retriever_id": "keyword", "limit": 9}
    assert paths(ask(root, "tea", {**config}, policy=policy))[0] != "long.md"
    chosen = {
        name: paths(ask(root, "tea", {**config, "select": name}, policy=policy))
        for name in ("rank_order", "knapsack", "value_per_token", "marginal_relevance")
    }
    assert set(chosen["knapsack"]) == set(chosen["value_per_token"]) == {"one.md", "two.md"}


def test_no_kind_takes_more_than_its_share(indexed: Indexed):
    root = indexed({"a.md": "Tea one.\n", "b.md": "Tea two.\n", "c.py": "tea = 1\n"})
    select = {"type": "diverse_kinds", "share": 0.5, "strict": True}
    policy = {"input_budget": {"max_tokens": 16}, **PACKS}
    result = ask(root, "tea", {"select": select, "limit": 9}, policy=policy)
    assert "c.py" in paths(result)


def test_a_block_above_its_cap_is_cut_and_names_the_rest(indexed: Indexed):
    root = indexed({"long.md": "Tea is warm. " * 25, "short.md": "Green tea.\n"})
    policy = {"input_budget": {"max_tokens": 80}, **PACKS}
    result = ask(root, "warm tea", {"item_cap": 0.5, "limit": 9}, policy=policy)
    assert set(paths(result)) == {"long.md", "short.md"}
    cut = next(each for each in result.citations if each.path == "long.md")
    assert "more tokens: long.md:1-1]" in cut.excerpt
    assert default_counter().count(cut.excerpt) <= 40


def test_shares_are_filled_and_capped_by_the_counter_of_the_policy(indexed: Indexed):
    root = indexed({"long.md": "Tea is warm. " * 25, "short.md": "Green tea.\n"})
    config = {"item_cap": {"share": 0.5, "compactor": "truncate"}, "limit": 9}
    for counter, factor in (("characters", 4), ("own", 1)):
        policy = {"counter": counter, "input_budget": {"max_tokens": 300 // factor}, **PACKS}
        result = ask(root, "warm tea", config, policy=policy, counters={"own": len})
        lengths = {each.path: len(each.excerpt) for each in result.citations}
        assert lengths.keys() == {"long.md", "short.md"}
        assert 100 < lengths["long.md"] <= 152


def test_a_short_page_is_the_same_after_a_long_one(indexed: Indexed):
    """What a deeper hit takes stands in no passage of a page that does not reach so far."""
    parts = (f"# Part {n}\n\n{'Salt and tea. ' * (n % 3 + 1)}{'Water. ' * 150}\n" for n in range(6))
    settings = {"retriever_id": "keyword", "neighbours": 1}
    with Corpus.open(indexed({"a.md": "\n".join(parts)})) as corpus:
        fresh, used = corpus.retriever(settings), corpus.retriever(settings)
        used.evidence("salt tea", offset=0, limit=9)
        short = used.evidence("salt tea", offset=0, limit=1)
        assert [each.block_ids for each in short] == [
            each.block_ids for each in fresh.evidence("salt tea", offset=0, limit=1)
        ]


def test_neighbours_are_read_with_a_hit_as_one_passage(indexed: Indexed):
    root = indexed({"long.md": sections(6)})
    alone = ask(root, "When did the parcel leave?", {"retriever_id": "keyword", "limit": 1})
    (hit,) = alone.citations
    around = ask(
        root, "When did the parcel leave?", {"retriever_id": "keyword", "limit": 1, "neighbours": 1}
    )
    (passage,) = around.citations
    assert passage.evidence == hit.evidence
    assert hit.lines is not None
    assert passage.lines is not None
    first, last = passage.lines
    assert first < hit.lines[0]
    assert hit.lines[1] < last
    lines = (root / "long.md").read_text("utf-8").splitlines()
    for line in "\n".join(lines[first - 1 : last]).split("\n\n"):
        if not line.startswith("##"):
            assert line.strip() in passage.excerpt


def test_a_hit_inside_the_passage_of_a_better_one_is_not_placed_twice(indexed: Indexed):
    root = indexed({"talk.jsonl": talk(TALK)})
    config = {"limit": 9, "neighbours": {"turns": 50}, "retriever_id": "keyword"}
    result = ask(root, "garden roses gloves ladder", config)
    assert len(result.citations) == 1
    assert result.system_prompt == "\n".join(text for _, _, text in TALK)


def test_speakers_are_written_on_request(indexed: Indexed):
    root = indexed({"talk.jsonl": talk(TALK), "note.md": "Ada has roses.\n"})
    config = {"retriever_id": "keyword", "limit": 9, "format": {"speakers": True}}
    result = ask(root, "roses pruning", config)
    assert "Ben: Yes. The roses need pruning" in result.system_prompt
    assert "\nAda has roses." in f"\n{result.system_prompt}"


def test_turns_stand_in_their_order_under_one_line_for_each_session(indexed: Indexed):
    other = [("Eve", "2026-04-02T10:00", "Are roses edible?"), ("Ben", "2026-04-02", "Some are.")]
    root = indexed({"talk.jsonl": talk(TALK) + talk(other, "2026-04-02 kitchen")})
    config = {"limit": 9, "format": {"speakers": True, "sessions": True}}
    result = ask(root, "roses in the garden", config, pack={"ordering": "reading"})
    text = result.system_prompt
    assert text.count("garden, 2026-03-01\n") == 1
    assert text.count("2026-04-02 kitchen\n") == 1
    assert "Ada: Shall we talk about the garden?\nBen: Yes. The roses need" in text
    assert result.receipt.used == default_counter().count(text)
    assert len(result.citations) == 7


@pytest.mark.parametrize("budget", [1, 7, 12, 19, 30, 45])
def test_a_line_above_a_session_is_counted(indexed: Indexed, budget: int):
    root = indexed({"talk.jsonl": talk(TALK)})
    config = {"limit": 9, "format": {"sessions": True}}
    policy = {"input_budget": {"max_tokens": budget}, **PACKS}
    result = ask(root, "roses garden", config, pack={"ordering": "reading"}, policy=policy)
    assert default_counter().count(result.system_prompt) == result.token_count <= budget
    assert result.system_prompt.count("garden, 2026") <= 1


def test_a_call_may_leave_times_and_exclusions_open(indexed: Indexed):
    root = indexed({"tea.md": "Green tea.\n"})
    open_ = {"updated": "{input.when}", "exclude_documents": "{input.without}"}
    for nothing in (None, [], {}):
        found = ask(
            root,
            "tea",
            {"filters": open_, "limit": 9},
            inputs={"when": nothing, "without": nothing},
        )
        assert paths(found) == paths(ask(root, "tea", {"limit": 9}))


def test_a_filter_that_restricts_is_never_open(indexed: Indexed):
    root = indexed({"tea.md": "Green tea.\n"})
    with pytest.raises(RetrieverError, match=r"filters\.path"):
        ask(root, "tea", {"filters": {"path": "{input.files}"}}, inputs={"files": None})


def test_filters_take_values_of_the_call(indexed: Indexed):
    root = indexed({"a/x.md": "Tea one.\n", "b/x.md": "Tea two.\n"})
    config = {"filters": {"path": "{input.folder}/**"}, "limit": 9}
    for folder in ("a", "b"):
        result = ask(root, "tea", config, inputs={"folder": folder})
        assert paths(result) == [f"{folder}/x.md"]
    assert paths(ask(root, "tea", config, inputs={"folder": "**"})) == []
    several = {"filters": {"path": "{input.files}"}}
    assert len(ids(ask(root, "tea", several, inputs={"files": ["a/x.md", "b/x.md"]}))) == 2
    assert paths(ask(root, "tea", several, inputs={"files": ["**"]})) == []


def test_an_offset_passes_over_the_best(indexed: Indexed):
    root = indexed({f"{number}.md": f"Tea {'tea ' * number}\n" for number in range(4)})
    whole = ids(ask(root, "tea", {"retriever_id": "keyword", "limit": 9}))
    assert ids(ask(root, "tea", {"retriever_id": "keyword", "limit": 2, "offset": 1})) == whole[1:3]


def test_a_pack_has_no_more_characters_than_the_plan_allows(indexed: Indexed):
    root = indexed({f"{number}.md": f"Tea number {number} is here.\n" for number in range(9)})
    result = ask(root, "tea", {"limit": 9, "maximum_total_characters": 70})
    assert 0 < len(result.system_prompt) <= 70


@pytest.mark.parametrize("select", ["rank_order", "knapsack", "marginal_relevance"])
def test_what_characters_leave_no_room_for_takes_none_from_others(indexed: Indexed, select: str):
    root = indexed({"long.md": "Tea. " * 60, **{f"{n}.md": f"Tea {n}.\n" for n in range(4)}})
    config = {
        "retriever_id": "explicit",
        "documents": ["long.md", "?.md"],
        "rank": {"source": {"priorities": {"long.md": 1.0}, "usual": 0.1}},
        "limit": 9,
        "select": select,
        "maximum_total_characters": 100,
    }
    policy = {"input_budget": {"max_tokens": 130}, "pack_budget": {"default_ratio": 1.0}}
    newest_first = ["3.md", "2.md", "1.md", "0.md"]
    assert paths(ask(root, "tea", config, policy=policy)) == newest_first


def test_a_block_may_have_all_the_characters_that_there_are(indexed: Indexed):
    root = indexed({"long.md": "Tea. " * 60, "short.md": "Tea is hot.\n"})
    config = {"retriever_id": "explicit", "documents": ["long.md", "short.md"]}
    assert paths(ask(root, "tea", {**config, "maximum_total_characters": 11})) == ["short.md"]


def test_blocks_are_joined_as_an_author_wants(indexed: Indexed):
    root = indexed({"a.md": "Tea one.\n", "b.md": "Tea two.\n"})
    assert " --- " in ask(root, "tea", {"join_with": " --- "}).system_prompt


def test_no_document_places_more_blocks_than_it_may(indexed: Indexed):
    root = indexed({"long.md": sections(6), "short.md": "Parts of it are about other things.\n"})
    config = {"limit": 9, "maximum_items_per_source": 1}
    assert sorted(map(str, paths(ask(root, "other things", config)))) == ["long.md", "short.md"]


@pytest.mark.parametrize("settings", [{"include_metadata": True}, {"metadata_fields": ["author"]}])
def test_metadata_is_written_if_it_is_included(indexed: Indexed, settings: dict[str, Any]):
    root = indexed({"a.md": "---\nauthor: Ada\nyear: 2024\n---\nTea one.\n"})
    form = {"format": {"metadata": ["author", "year"]}}
    assert ask(root, "tea", {}, pack=form).system_prompt == "Tea one."
    text = ask(root, "tea", settings, pack=form).system_prompt
    assert "author: Ada\n" in text
    assert ("year: 2024\n" in text) == ("include_metadata" in settings)


def test_a_corpus_indexed_by_another_embedder_is_an_error_and_not_half_a_search(indexed: Indexed):
    root = indexed({"a.md": "Tea one.\n"})
    with Corpus.open(root) as corpus:
        (document,) = seen(corpus.store, corpus.principal).list_documents()
        blocks = seen(corpus.store, corpus.principal).blocks_of([document.id])
        corpus.store.write(corpus.principal, Batch(put=(Entry(document, blocks),)))
    problem = (
        r"indexed without an embedder, but its embedder is 'wordllama.*Run: biblicus-context index"
    )
    for retriever in ("hybrid", "vector"):
        with pytest.raises(RetrieverError, match=problem):
            ask(root, "tea", {"retriever_id": retriever})
    assert paths(ask(root, "tea", {"retriever_id": "keyword"})) == ["a.md"]
    words = {"embedder": None}
    assert paths(ask(root, "tea", {}, corpus=words)) == ["a.md"]


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"rank": "recencie"}, r"Ranking component 'recencie' not defined.*mean 'recency'"),
        ({"rank": {"recency": {"curve": "steep"}}}, r"option 'curve': Input should be"),
        ({"rank": {"similarity": -1}}, r"rank: similarity: a weight is a number from 0 on"),
        ({"fusion": "reciprocal"}, r"Fusion 'reciprocal' not defined.*mean 'reciprocal_rank'"),
        ({"select": "knapsak"}, r"Selection 'knapsak' not defined.*mean 'knapsack'"),
        ({"select": {"type": "knapsack", "sells": 1}}, r"unknown option: found 'sells'"),
        ({"item_cap": 2}, r"item_cap: Input should be less than or equal to 1"),
        ({"dedupe": {"naer": 0.9}}, r"unknown setting of dedupe: found 'naer'.*mean 'near'"),
        ({"cache": {"ttl_second": 1}}, r"of cache: found 'ttl_second'.*mean 'ttl_seconds'"),
        ({"min_score": {"bset": 1}}, r"of min_score: found 'bset'.*mean 'best'"),
        ({"dedupe": "near"}, r"dedupe: Input should be"),
        ({"neighbours": -1}, r"neighbours.blocks: Input should be greater"),
        ({"neighbours": {"lines": 1}}, r"of neighbours: found 'lines'. Valid: blocks, turns"),
        ({"format": {"speaker": True}}, r"of format: found 'speaker'.*mean 'speakers'"),
        ({"retriever_id": "related", "frmo": "a.md"}, r"found 'frmo'.*mean 'from'"),
        ({"retriever_id": "related", "direction": "up"}, r"direction: Input should be 'out'"),
        ({"retriever_id": "keyword", "fusion": "rrf"}, r"unknown setting: found 'fusion'"),
        ({"retriever_id": "explicit"}, r"explicit names documents, blocks or both: found neither"),
        ({"text_weight": 0, "vector_weight": 0}, r"text_weight and vector_weight are both 0"),
        ({"text_weight": 0, "vector_weight": {"turns": 0}}, r"vector_weight are both 0"),
        ({"vector_weight": {"turn": 1}}, r"of vector_weight: found 'turn'.*mean 'turns'"),
        ({"vector_weight": {"turns": -1}}, r"vector_weight.turns: Input should be greater"),
        ({"vector_weight": "much"}, r"vector_weight: Input should be a valid number"),
        ({"text_weight": 1e308}, r"text_weight: Input should be less than or equal to 1000000"),
        ({"vector_weight": 1e308}, r"vector_weight: Input should be less than or equal to 1000000"),
        ({"rank": "kind"}, r"ranking component 'kind': the option 'kinds' is missing"),
        (
            {"rank": {"proximity": 1}},
            r"ranking component 'proximity': the option 'path' is missing",
        ),
        ({"rank": {"source": 2}}, r"component 'source': the option 'priorities' is missing"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(
    indexed: Indexed, config: dict[str, Any], problem: str
):
    root = indexed({"a.md": "Tea one.\n"})
    with pytest.raises(PlanError, match=rf"^retriever 'kb0' config\b.*{problem}"):
        ask(root, "tea", config)


@pytest.mark.parametrize(
    "settings",
    [
        {"limit": "5"},
        {"limit": True},
        {"limit": 2.0},
        {"offset": "1"},
        {"item_cap": "0.5"},
        {"include_metadata": "yes"},
        {"format": {"speakers": "yes"}},
        {"neighbours": {"turns": "3"}},
        {"dedupe": {"near": "0.9"}},
        {"candidates": 20.0},
        {"retriever_id": "fuzzy", "similarity": "0.5"},
    ],
)
def test_python_may_say_no_more_than_a_file(indexed: Indexed, settings: dict[str, Any]):
    root = indexed({"a.md": "Tea one.\n"})
    with Corpus.open(root) as corpus, pytest.raises(PlanError, match="Input should be a valid"):
        corpus.retriever(settings)


def test_lists_tuples_and_frozen_mappings_are_settings_too(indexed: Indexed):
    root = indexed({"a.md": "---\nauthor: Ada\n---\nTea one.\n", "b.md": "Tea two.\n"})
    with Corpus.open(root) as corpus:
        for settings in (
            {"metadata_fields": ["author"], "item_cap": 1},
            {"metadata_fields": ("author",), "filters": MappingProxyType({"path": ("*.md",)})},
            {"rank": MappingProxyType({"similarity": 1})},
            {"retriever_id": "explicit", "documents": ["a.md", ["b.md"]]},
            {"retriever_id": "explicit", "documents": ("a.md", "b.md")},
        ):
            found = corpus.search("tea", **settings)
            assert {each.source for each in found} == {"a.md", "b.md"}


def test_a_call_may_name_nothing_for_an_explicit_retriever(indexed: Indexed):
    root = indexed({"a.md": "Tea one.\n"})
    config = {"retriever_id": "explicit", "documents": "{input.files}"}
    assert ids(ask(root, "tea", config, inputs={"files": []})) == []
    assert len(ids(ask(root, "tea", config, inputs={"files": ["a.md"]}))) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"filters": {"path": "{input.folder}/**"}},
        {"rank": {"proximity": {"weight": 1, "path": "{input.file}"}}},
        {"retriever_id": "explicit", "documents": ["{input.file}"]},
    ],
)
def test_placeholders_that_nobody_fills_are_refused(notes: Corpus, settings: dict[str, Any]):
    setting = [*settings][-1]
    problem = rf"^retriever over corpus 'notes'\.{setting}: .*placeholder.*found .*{{input\.f"
    with pytest.raises(PlanError, match=problem):
        notes.search("tea", **settings)
    with pytest.raises(PlanError, match=problem):
        notes.retriever(settings)(ContextRetrieverRequest(query="tea"))


def test_a_query_is_searched_as_it_is_whatever_the_template(notes: Corpus):
    retriever = notes.retriever({"query": "{input.question}"})
    assert retriever.evidence("green tea", offset=0, limit=1)[0].source == "tea.md"
