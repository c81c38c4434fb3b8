"""Samples of any length for every public function that takes a list, by its name and parameter.

A sample prepares what is not measured, and returns the call that is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from functools import cache
from tempfile import mkdtemp
from typing import Any, Final, TypeAlias

from pydantic_ai.tools import ToolDefinition

import biblicus_context as bc
from biblicus_context import formats
from biblicus_context.base.single_flight import SingleFlight
from biblicus_context.batches import assemble_many
from biblicus_context.corpora import ModelStore, RecordModel, ranked_items, read_all_in_thread
from biblicus_context.embedders import CachedEmbedder, FunctionEmbedder, WordLlamaEmbedder
from biblicus_context.formats import tools_from
from biblicus_context.golden import case_text
from biblicus_context.ingest import definitions, with_comments
from biblicus_context.ingest.records.stored_record import stored_record
from biblicus_context.pages import sources_of
from biblicus_context.pages.bars import Bar
from biblicus_context.retrieval import Candidate, RankingQuery, Ranks, ranked_candidates, rerank
from biblicus_context.retrieval.analysis import rare_terms
from biblicus_context.retrieval.duplicates import TextEntry, find_duplicates
from biblicus_context.retrieval.rank.ordering import ordered_by
from biblicus_context.retrieval.relevance import VERDICTS, Relevance, best_of
from biblicus_context.service.mcp import Offer
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.spec.format import FormatSpec
from biblicus_context.stores import (
    Block,
    Document,
    Principal,
    Relation,
    Vectors,
    checked_sequence,
)
from biblicus_context.systems import learning, memory, prime, workspace
from biblicus_context.testing.store_samples import (
    blocks as blocks_by_id,
    related_documents,
    search_text,
    seen,
)
from biblicus_context.text import Counters
from biblicus_context.text.counters.joined import count_followed, count_joined

Call: TypeAlias = Callable[[], object]
Sample: TypeAlias = Callable[[int], Call]

MANY: Final = 4_096
"""Documents of the corpus that ids name; samples are no longer."""
_NOW: Final = datetime(2026, 5, 8, tzinfo=UTC)


def run(work: Callable[[], Coroutine[Any, Any, object]]) -> Call:
    return lambda: asyncio.run(work())


def texts(number: int) -> list[str]:
    return [f"Order {n} of tea {n % 97} arrives on day {n % 31}." for n in range(number)]


def similar(number: int) -> list[str]:
    """Texts that nearly all words are common to, as those of a template."""
    tail = " ".join(f"word{n}" for n in range(40))
    return [f"Order {n} of customer {n * 7} arrives {tail} {n * 13}" for n in range(number)]


def ids(number: int) -> list[str]:
    return [f"d{n}" for n in range(number)]


def records(number: int, **more: Any) -> list[bc.Record]:
    return [bc.Record(id=f"d{n}", text=text, **more) for n, text in enumerate(texts(number))]


def relations(number: int) -> list[Relation]:
    return [Relation(f"d{n}", f"d{n + 1}", "leads to") for n in range(number - 1)]


def candidates(number: int) -> list[Candidate]:
    return [
        Candidate(f"c{n}", text, 10, score=(n * 37 % 101) / 101, kind="ab"[n % 2], created=_NOW)
        for n, text in enumerate(similar(number))
    ]


def blocks(number: int) -> list[bc.ContextPackBlock]:
    return [
        bc.ContextPackBlock(evidence_item_id=each.id, text=each.text, score=each.score)
        for each in candidates(number)
    ]


def messages(number: int) -> list[dict[str, Any]]:
    """A conversation with calls of a tool."""
    call = {"type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
    found: list[dict[str, Any]] = []
    for n in range(max(1, number // 4)):
        calls = [{"id": f"call-{n}", **call}]
        found += [
            {"role": "user", "content": f"Where is order {n}?"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"call-{n}", "content": f"Order {n} is here."},
            {"role": "assistant", "content": f"It is here, number {n}."},
        ]
    return found


def tools(number: int) -> list[dict[str, Any]]:
    nothing = {"type": "object", "properties": {}}
    return [
        {"type": "function", "function": {"name": f"tool{n}", "parameters": nothing}}
        for n in range(number)
    ]


def citations(number: int) -> list[prime.SourceCitation]:
    return [
        prime.SourceCitation(id=f"[fil-{n:08x}]", source=f"{n}.md", type="file", relevance=0.5)
        for n in range(number)
    ]


class Item:
    """Something to cite."""

    path = excerpt = None
    relevance = 0.5
    citation_type = "file"

    def __init__(self, number: int) -> None:
        self.id = self.source = f"item {number}"


def empty() -> bc.Corpus:
    return bc.Corpus("growing", CorpusSettings(embedder=None, store=mkdtemp()))


@cache
def full() -> bc.Corpus:
    """A corpus of many documents, each of which leads to the next."""
    corpus = empty()
    corpus.put_many(records(MANY))
    corpus.relate(relations(MANY))
    corpus.search("tea")
    return corpus


class Note(RecordModel):
    id: str
    text: str


def noted() -> ModelStore[Note]:
    return ModelStore(empty(), Note)


@cache
def full_notes() -> ModelStore[Note]:
    return ModelStore(full(), Note)


def assembler() -> bc.ContextAssembler:
    plan = {"policy": {"input_budget": {"max_tokens": 2000}}, "messages": [{"type": "history"}]}
    return bc.ContextAssembler({"page": plan})


def assembled(number: int) -> bc.ContextAssemblyResult:
    plan = {"messages": [{"type": "history"}]}
    return bc.ContextAssembler({"page": plan}).assemble("page", history_messages=messages(number))


def on(make: Callable[[int], Any], call: Callable[[Any], object]) -> Sample:
    """A sample whose list is made beforehand."""

    def prepared(number: int) -> Call:
        made = make(number)
        return lambda: call(made)

    return prepared


def fresh(make: Callable[[int], Any], call: Callable[[bc.Corpus, Any], object]) -> Sample:
    """A sample of a write, each time into an empty corpus."""
    return on(make, lambda made: call(empty(), made))


def read(call: Callable[[bc.Corpus, list[str]], object]) -> Sample:
    """A sample of a read of documents by their ids."""

    def prepared(number: int) -> Call:
        corpus, wanted = full(), ids(number)
        return lambda: call(corpus, wanted)

    return prepared


def of_store(call: Callable[[Any, Principal, list[str]], object]) -> Sample:
    return read(lambda corpus, wanted: call(corpus.store, corpus.principal, wanted))


async def _flown(keys: list[str]) -> dict[str, str]:
    async def make(wanted: list[str]) -> list[str]:
        return wanted

    return await SingleFlight[str, str]().aget(keys, make)


async def _nothing(names: Sequence[str]) -> list[list[str]]:
    return [[] for _ in names]


async def _embedded(vectors: memory.QueryVectors, wanted: list[str]) -> object:
    return await vectors.of(wanted)


def embedder() -> FunctionEmbedder:
    return FunctionEmbedder(
        lambda given: [[len(each), 1.0] for each in given], model="lengths", dimensions=2
    )


def _lines(number: int) -> list[str]:
    corpus = empty()
    corpus.put_many(records(number))
    return [*corpus.export_lines()]


def _search_again(number: int) -> Call:
    corpus, wanted = full(), texts(number)
    words = [f"tea{n}" for n in range(len(wanted))]
    return lambda: search_text(corpus.store, corpus.principal, words)


def items(number: int) -> list[prime.ContextItem]:
    return [
        prime.ContextItem(
            id=each.id,
            type="file",
            content=each.text,
            source=each.id,
            tokens=10,
            relevance=each.score,
        )
        for each in candidates(number)
    ]


def tree(number: int) -> workspace.RecordTree:
    """A page with so many blocks."""
    found = workspace.RecordTree(empty())
    found.put([bc.Record(id="page", text="A page.")])
    found.put([bc.Record(id=f"d{n}", text=f"Block {n}.", parent="page") for n in range(number)])
    return found


def closed(number: int) -> workspace.RecordTree:
    """A page that so many users may read."""
    found = tree(4)
    found.grant("page", users=[*ids(number), "owner"])
    return found


def page_store() -> workspace.BlockStore:
    store = workspace.BlockStore.open(mkdtemp(), embedder=None)
    page = workspace.Block(id="page", type="page", content="A page.")
    asyncio.run(store.put_block(page, workspace="acme"))
    return store


def granted(number: int) -> workspace.BlockStore:
    store = page_store()
    asyncio.run(store.grant("page", "acme", users=[*ids(number), "owner"]))
    return store


def library() -> prime.UserLibrary:
    return prime.UserLibrary.open(mkdtemp())


def files(number: int) -> list[prime.UserFile]:
    return [
        prime.UserFile(id=f"d{n}", path=f"a/{n}.md", content=text, owner_user_id="ann")
        for n, text in enumerate(texts(number))
    ]


def one_file() -> prime.StoredFiles:
    stored = library().files
    asyncio.run(stored.put(*files(1)))
    return stored


def shared_file(number: int) -> prime.StoredFiles:
    stored = one_file()
    asyncio.run(stored.share("d0", "ann", users=ids(number)))
    return stored


def learned() -> learning.LearningStore:
    return learning.LearningStore.open(mkdtemp())


def said(number: int) -> list[prime.ThreadMessage]:
    return [prime.ThreadMessage(role="user", content=each) for each in texts(number)]


@cache
def engine() -> memory.ContextEngine:
    return memory.ContextEngine(memory.MemoryStore(full()))


def conversation(writer: Callable[..., Any], reader: Callable[..., object]) -> Sample:
    """A sample of a reader: what the writer of the same provider made of a conversation."""
    return on(lambda n: writer(messages(n)), reader)


def asking() -> bc.ContextAssembler:
    """A plan that is nothing but a question."""
    return bc.ContextAssembler(
        {"ask": {"messages": [{"type": "user", "content": "{input.question}"}]}}
    )


async def _read_together(corpus: bc.Corpus, number: int) -> object:
    return await read_all_in_thread(*((corpus, list) for _ in range(number)))


SAMPLES: Final[dict[str, Sample]] = {
    "SingleFlight.get.keys": on(ids, lambda made: SingleFlight[str, str]().get(made, list)),
    "SingleFlight.aget.keys": on(ids, lambda made: asyncio.run(_flown(made))),
    "WordLlamaEmbedder.embed.texts": on(texts, lambda made: WordLlamaEmbedder().embed(made)),
    "history_from_any_client.messages": on(messages, formats.history_from_any_client),
    "RecordWriter.put.records": fresh(records, lambda corpus, made: corpus.writer.put(made)),
    "RecordWriter.prepared.records": fresh(
        records, lambda corpus, made: corpus.writer.prepared(made)
    ),
    "RememberingCounter.count_many.texts": on(
        texts, lambda made: Counters().get("o200k_base").count_many(made)
    ),
    "RememberingCounter.count_followed.texts": on(
        texts, lambda made: count_followed(Counters().get("o200k_base"), made, " ")
    ),
    "RememberingCounter.count_joined.texts": on(
        lambda n: [[each, " ", each] for each in texts(n)],
        lambda made: count_joined(Counters().get("o200k_base"), made),
    ),
    "SynchronousEngine.search_batch.queries": on(
        texts, lambda made: engine().sync.search_batch(made, full().principal.workspace)
    ),
    "to_openai.messages": on(messages, formats.to_openai),
    "to_openai_responses.messages": on(messages, formats.to_openai_responses),
    "to_anthropic.messages": on(messages, formats.to_anthropic),
    "to_gemini.messages": on(messages, formats.to_gemini),
    "to_langchain.messages": on(messages, formats.to_langchain),
    "to_pydantic_ai.messages": on(messages, formats.to_pydantic_ai),
    "history_from_openai.messages": on(messages, formats.history_from_openai),
    "history_from_openai_responses.given": conversation(
        lambda m: (
            formats.to_openai_responses(m)[0]
            if isinstance(formats.to_openai_responses(m), tuple)
            else formats.to_openai_responses(m)
        ),
        formats.history_from_openai_responses,
    ),
    "history_from_anthropic.messages": conversation(
        lambda m: formats.to_anthropic(m)["messages"], formats.history_from_anthropic
    ),
    "history_from_gemini.contents": conversation(
        lambda m: formats.to_gemini(m)["contents"], formats.history_from_gemini
    ),
    "history_from_langchain.messages": conversation(
        formats.to_langchain, formats.history_from_langchain
    ),
    "history_from_pydantic_ai.messages": conversation(
        formats.to_pydantic_ai, formats.history_from_pydantic_ai
    ),
    "tools_from_pydantic_ai.definitions": on(
        lambda n: [ToolDefinition(name=f"tool{at}") for at in range(n)],
        formats.tools_from_pydantic_ai,
    ),
    "case_text.cases": on(
        lambda n: [{"name": each, "inputs": {"question": each}} for each in texts(n)], case_text
    ),
    "RelevanceScorer.score_items.items": on(
        items, lambda made: prime.RelevanceScorer().score_items(made, "order 7 of tea")
    ),
    "TokenOptimizer.optimize.items": on(
        items, lambda made: prime.TokenOptimizer().optimize(made, 10_000)
    ),
    "TokenOptimizer.optimize_dp.items": on(
        items, lambda made: prime.TokenOptimizer().optimize_dp(made, 1_000)
    ),
    "ContextEngine.search_batch.queries": on(
        texts, lambda made: asyncio.run(engine().search_batch(made, full().principal.workspace))
    ),
    "RecordTree.put.records": on(records, lambda made: workspace.RecordTree(empty()).put(made)),
    "RecordTree.documents.ids": on(ids, lambda made: workspace.RecordTree(full()).documents(made)),
    "RecordTree.lineage.ids": on(ids, lambda made: workspace.RecordTree(full()).lineage(made)),
    "RecordTree.children.ids": on(ids, lambda made: [*workspace.RecordTree(full()).children(made)]),
    "RecordTree.grant.users": on(
        lambda n: (tree(4), ids(n)), lambda made: made[0].grant("page", users=made[1])
    ),
    "RecordTree.remove_named.record_ids": on(
        lambda n: (tree(n), ids(n)), lambda made: made[0].remove_named(made[1])
    ),
    "RecordTree.revoke.users": on(
        lambda n: (closed(n), ids(n)), lambda made: made[0].revoke("page", users=made[1])
    ),
    "RecordTree.make_private.users": on(
        lambda n: (tree(4), ids(n)), lambda made: made[0].make_private("page", users=made[1])
    ),
    "BlockStore.put_block.blocks": on(
        lambda n: [workspace.Block(id=each, type="paragraph", content=each) for each in ids(n)],
        lambda made: asyncio.run(page_store().put_block(*made, workspace="acme")),
    ),
    "BlockStore.get_blocks.block_ids": on(
        lambda n: (page_store(), ids(n)),
        lambda made: asyncio.run(made[0].get_blocks(*made[1], workspace="acme")),
    ),
    "BlockStore.forget_blocks.block_ids": on(
        lambda n: (page_store(), ids(n)),
        lambda made: asyncio.run(made[0].forget_blocks(*made[1], workspace="acme")),
    ),
    "BlockStore.grant.users": on(
        ids, lambda made: asyncio.run(page_store().grant("page", "acme", users=made))
    ),
    "BlockStore.revoke.users": on(
        lambda n: (granted(n), ids(n)),
        lambda made: asyncio.run(made[0].revoke("page", "acme", users=made[1])),
    ),
    "BlockStore.make_private.users": on(
        ids, lambda made: asyncio.run(page_store().make_private("page", "acme", users=made))
    ),
    "StoredFiles.share.users": on(
        lambda n: (one_file(), ids(n)),
        lambda made: asyncio.run(made[0].share("d0", "ann", users=made[1])),
    ),
    "StoredFiles.unshare.users": on(
        lambda n: (shared_file(n), ids(n)),
        lambda made: asyncio.run(made[0].unshare("d0", "ann", users=made[1])),
    ),
    "StoredFiles.put.files": on(files, lambda made: asyncio.run(library().files.put(*made))),
    "StoredFiles.remove.ids": on(
        ids, lambda made: asyncio.run(library().files.remove(*made, user_id="ann"))
    ),
    "StoredFiles.search_by_keywords.keywords": on(
        ids, lambda made: asyncio.run(library().files.search_by_keywords(made, "ann"))
    ),
    "StoredMessages.add.messages": on(
        said, lambda made: asyncio.run(library().messages.add("t", *made, user_id="ann"))
    ),
    "StoredMessages.remove.ids": on(
        ids, lambda made: asyncio.run(library().messages.remove("t", *made, user_id="ann"))
    ),
    "LearningStore.forget_memory.ids": on(
        ids, lambda made: asyncio.run(learned().forget_memory(*made))
    ),
    "LearningStore.forget_experience.ids": on(
        ids, lambda made: asyncio.run(learned().forget_experience(*made))
    ),
    "LearningStore.forget_value.ids": on(
        ids, lambda made: asyncio.run(learned().forget_value(*made))
    ),
    "UserCorpus.put.records": on(
        records, lambda made: asyncio.run(prime.UserCorpus(empty(), "acme").put("ann", made))
    ),
    "UserCorpus.remove.ids": on(
        ids, lambda made: asyncio.run(prime.UserCorpus(empty(), "acme").remove("ann", made))
    ),
    "View.activity.documents": of_store(
        lambda store, who, wanted: seen(store, who).activity(documents=wanted)
    ),
    "find_duplicates.entries": on(
        lambda n: [TextEntry(f"t{at}", text) for at, text in enumerate(similar(n))], find_duplicates
    ),
    "rank_candidates.candidates": on(
        candidates,
        lambda made: prime.rank_candidates(
            made, {"tfidf": 1, "keyword": 1, "recency": 1}, query="tea order 7"
        ),
    ),
    "select_candidates.candidates": on(
        candidates, lambda made: prime.select_candidates(made, 10_000, "diverse_kinds")
    ),
    "rerank.blocks": on(blocks, lambda made: rerank(made, {"tfidf": 1}, query="order 7")),
    "ordered_by.found": on(blocks, lambda made: ordered_by(lambda found: found[::-1], made)),
    "NamedRankers.order.results": on(
        records,
        lambda made: memory.NamedRankers({"default": "similarity"}).order(
            made, "default", lambda each: (each, 0.5)
        ),
    ),
    "pack_of_records.records": on(
        lambda n: [(each, 0.5) for each in records(n)], memory.pack_of_records
    ),
    "CitationManager.__init__.citations": on(citations, prime.CitationManager),
    "CitationManager.generate_citations.items": on(
        lambda n: [Item(each) for each in range(n)],
        lambda made: prime.CitationManager().generate_citations(made),
    ),
    "CitationManager.mark_used_in.answer": on(
        lambda n: (prime.CitationManager(citations(n)), " ".join(each.id for each in citations(n))),
        lambda made: made[0].mark_used_in(made[1]),
    ),
    "CitationManager.format_citations_for_response.citations": on(
        lambda n: [each.model_copy(update={"used_in_response": True}) for each in citations(n)],
        lambda made: prime.CitationManager().format_citations_for_response(made),
    ),
    "ContextAssembler.assemble.history_messages": on(
        messages, lambda made: assembler().assemble("page", history_messages=made)
    ),
    "ContextAssembler.aassemble.history_messages": on(
        messages,
        lambda made: asyncio.run(assembler().aassemble("page", history_messages=made)),
    ),
    "ContextAssemblyResult.to_anthropic.tools": on(
        tools, lambda made: assembled(4).to_anthropic(tools=made)
    ),
    "ContextAssemblyResult.to_gemini.tools": on(
        tools, lambda made: assembled(4).to_gemini(tools=made)
    ),
    "tools_from.tools": on(tools, lambda made: tools_from("openai", made)),
    "breadth_first.starts": on(
        ids, lambda made: asyncio.run(memory.breadth_first(made, _nothing, str, 2))
    ),
    "CorpusRecords.put.records": fresh(records, lambda corpus, made: corpus.put(made)),
    "CorpusRecords.put_many.records": fresh(records, lambda corpus, made: corpus.put_many(made)),
    "CorpusRecords.import_lines.lines": fresh(
        _lines, lambda corpus, made: corpus.import_lines(made)
    ),
    "CorpusRecords.relate.relations": read(
        lambda corpus, wanted: corpus.relate(relations(len(wanted)))
    ),
    "CorpusRecords.unrelate.relations": read(
        lambda corpus, wanted: corpus.unrelate(
            [Relation(each, "nobody", "leads to") for each in wanted]
        )
    ),
    "CorpusRecords.get.ids": read(lambda corpus, wanted: corpus.get(wanted)),
    "CorpusRecords.remove.ids": read(
        lambda corpus, wanted: corpus.remove([f"no {each}" for each in wanted])
    ),
    "CorpusRecords.ancestors.ids": read(lambda corpus, wanted: corpus.ancestors(wanted)),
    "CorpusRecords.relations.ids": read(lambda corpus, wanted: corpus.relations(wanted)),
    "Corpus.likeness.found": on(
        lambda n: full().search("tea", limit=n), lambda made: full().likeness("tea order", made)
    ),
    "ModelStore.put.models": on(
        lambda n: [Note(id=f"d{at}", text=text) for at, text in enumerate(texts(n))],
        lambda made: asyncio.run(noted().put(made, "acme")),
    ),
    "ModelStore.put_many.models": on(
        lambda n: [Note(id=f"d{at}", text=text) for at, text in enumerate(texts(n))],
        lambda made: asyncio.run(noted().put_many(made, "acme")),
    ),
    "ModelStore.get.ids": on(
        ids, lambda made: asyncio.run(full_notes().get(made, full().principal.workspace))
    ),
    "ModelStore.related_to.model_ids": on(
        ids, lambda made: asyncio.run(full_notes().related_to(made, full().principal.workspace))
    ),
    "MemoryStore.get_relationships_of.memory_ids": on(
        ids,
        lambda made: asyncio.run(
            memory.MemoryStore(full()).get_relationships_of(made, full().principal.workspace)
        ),
    ),
    "ModelStore.remove.ids": on(
        lambda n: [f"no {each}" for each in ids(n)],
        lambda made: asyncio.run(full_notes().remove(made, full().principal.workspace)),
    ),
    "ModelStore.import_lines.lines": on(_lines, lambda made: noted().import_lines(made, "acme")),
    "ranked_items.items": on(texts, lambda made: ranked_items(made, [0.5] * len(made))),
    "definitions.lines": on(texts, lambda made: [*definitions(made)]),
    "with_comments.lines": on(
        lambda n: ["# As it is."] * n, lambda made: with_comments(made, len(made))
    ),
    "ranked_candidates.candidates": on(
        candidates,
        lambda made: ranked_candidates(
            made, Ranks().build({"tfidf": 1}), RankingQuery(now=_NOW, terms=("order",)), {}
        ),
    ),
    "sequence.values": on(texts, lambda made: checked_sequence(made, "names")),
    "Vectors.of.rows": on(lambda n: [[0.0, 1.0]] * n, lambda made: Vectors.of("tiny", made)),
    "Vectors.picked.order": on(
        lambda n: [*range(n)][::-1],
        lambda made: Vectors.of("tiny", [[0.0, 1.0]] * len(made)).picked(made),
    ),
    "FunctionEmbedder.embed.texts": on(texts, lambda made: embedder().embed(made)),
    "CachedEmbedder.embed.texts": on(texts, lambda made: CachedEmbedder(embedder()).embed(made)),
    "EmbedderProvider.embed_batch.texts": on(
        texts, lambda made: asyncio.run(memory.EmbedderProvider(embedder()).embed_batch(made))
    ),
    "QueryVectors.of.texts": on(
        texts,
        lambda made: asyncio.run(
            _embedded(memory.QueryVectors(memory.EmbedderProvider(embedder())), made)
        ),
    ),
    "stored_record.blocks": on(
        lambda n: [
            Block(id=f"d#{at}", document_id="d", position=at, text=text, tokens=9)
            for at, text in enumerate(texts(n))
        ],
        lambda made: stored_record(Document(id="d"), made, ()),
    ),
    "stored_record.relations": on(
        relations, lambda made: stored_record(Document(id="d0"), (), made)
    ),
    "rare_terms.terms": on(ids, lambda made: rare_terms(made, dict.fromkeys(made, 1), len(made))),
    "count_followed.texts": on(
        texts, lambda made: count_followed(Counters().get("o200k_base"), made, "\n")
    ),
    "count_joined.texts": on(
        lambda n: [[each, "\n", each] for each in texts(n)],
        lambda made: count_joined(Counters().get("o200k_base"), made),
    ),
    "FormatSpec.with_facts.metadata": on(ids, lambda made: FormatSpec().with_facts(metadata=made)),
    "View.related.document_ids": of_store(related_documents),
    "search_text.terms": _search_again,
    "View.documents.ids": of_store(lambda store, who, wanted: seen(store, who).documents(wanted)),
    "View.evidence.block_ids": of_store(blocks_by_id),
    "View.usage.block_ids": of_store(lambda store, who, wanted: seen(store, who).usage(wanted)),
    "View.places_of.document_ids": of_store(
        lambda store, who, wanted: seen(store, who).places_of(wanted)
    ),
    "View.nearby.block_ids": of_store(lambda store, who, wanted: seen(store, who).nearby(wanted)),
    "View.relations.document_ids": of_store(
        lambda store, who, wanted: seen(store, who).relations(wanted)
    ),
    "View.tree.ids (up)": of_store(
        lambda store, who, wanted: seen(store, who).tree(wanted, up=50).above
    ),
    "View.tree.ids (down)": of_store(
        lambda store, who, wanted: seen(store, who).tree(wanted, down=100).below
    ),
    "View.tree.ids": of_store(
        lambda store, who, wanted: seen(store, who).tree(wanted, across=1).siblings
    ),
    "View.vectors.block_ids": of_store(
        lambda store, who, wanted: seen(store, who).vectors("m", wanted)
    ),
    "View.known_vectors.keys": of_store(
        lambda store, who, wanted: seen(store, who).known_vectors("m", wanted)
    ),
    "Store.record_usage.helpful": of_store(
        lambda store, who, wanted: store.record_usage(who, helpful=wanted)
    ),
    "View.count_terms.terms": of_store(
        lambda store, who, wanted: seen(store, who).count_terms(wanted)
    ),
    "View.blocks_of.document_ids": of_store(
        lambda store, who, wanted: seen(store, who).blocks_of(wanted)
    ),
    "View.together.reads": of_store(
        lambda store, who, wanted: seen(store, who).together(*(list for _ in wanted))
    ),
    "read_all_in_thread.reads": read(
        lambda corpus, wanted: asyncio.run(_read_together(corpus, len(wanted)))
    ),
    "assemble_many.rows": on(
        lambda n: [{"inputs": {"question": each}} for each in texts(n)],
        lambda made: [*assemble_many(asking(), "ask", made)],
    ),
    "sources_of.rows": on(
        lambda n: [Bar(f"messages[{at}]", "kb", 0, "pack", 9, 9, 9, "kept", "") for at in range(n)],
        sources_of,
    ),
    "Offer.feedback.uris": on(
        lambda n: [f"biblicus://growing/{each}" for each in ids(n)],
        lambda made: asyncio.run(Offer(asking(), {"growing": full()}).feedback(made, useful=True)),
    ),
    "RecordTree.kept_from_models.ids": on(
        ids, lambda made: workspace.RecordTree(full()).kept_from_models(made)
    ),
    "RecordTree.remove_many.record_ids": on(
        lambda n: (tree(n), ids(n)), lambda made: made[0].remove_many(made[1])
    ),
    "best_of.decisions": on(lambda n: [Relevance(VERDICTS[at % 3]) for at in range(n)], best_of),
    "LearningStore.forget_code.paths": on(
        ids, lambda made: asyncio.run(learned().forget_code(*made))
    ),
    "LearningStore.forget.ids": on(ids, lambda made: asyncio.run(learned().forget(*made))),
    "MemoryStore.remember_conversation.messages": on(
        lambda n: [{"role": "user", "content": each} for each in texts(n)],
        lambda made: asyncio.run(
            memory.MemoryStore(empty()).remember_conversation(made, "acme", conversation_id="c")
        ),
    ),
}
