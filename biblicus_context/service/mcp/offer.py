"""What an agent is offered: the contexts and corpora of a project, and a learning memory, for one principal."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote, unquote
from uuid import uuid4

from biblicus_context.assembly import (
    ContextAssembler,
    ContextAssemblyResult,
    ReceiptBlock,
    ReceiptPart,
)
from biblicus_context.base import BoundedMemory
from biblicus_context.corpora import Corpus
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.service.mcp.answers import (
    AssembledContext,
    LeftOutPart,
    Recalled,
    Remembered,
    Searched,
    Unknown,
)
from biblicus_context.service.plans import LivePlans, ServedPlans
from biblicus_context.stores import Principal
from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    ContextAssembler as LearningAssembler,
    FormattedContext,
    LearningStore,
    Memory,
)
from biblicus_context.text import default_counter

SCHEME: Final = "biblicus://"
MOST_OF_A_DOCUMENT: Final = 8_000
"""Tokens of a document that one answer has; the rest is asked for by line."""
_MOST_LISTED: Final = 20
"""Parts that an answer names as left out; the receipt of a program has all."""
_MOST_OFFERS: Final = 256
"""Principals whose offers are kept."""
_CONTEXT: Final = "search"


class Offer:
    """What an agent may ask, each answer within a number of tokens that it says.

    Who asks was decided before: the assembler, the corpora and the memory are those of one principal.
    """

    def __init__(
        self,
        assembler: ContextAssembler,
        corpora: Mapping[str, Corpus],
        learning: LearningStore | None = None,
        *,
        may_write: bool = True,
    ) -> None:
        self.assembler = assembler
        self.corpora = corpora
        self.learning = learning
        self.may_write = may_write
        self._searches: dict[str, ContextAssembler] = {}

    async def assemble(
        self, context: str, inputs: Mapping[str, Any], max_tokens: int
    ) -> AssembledContext:
        """A declared context, within its own budget and these tokens."""
        if context not in self.assembler.contexts:
            raise UnknownNameError("Context", context, self.assembler.contexts)
        ask = partial(self.assembler.aassemble, context, inputs=inputs)
        result = await ask()
        if result.token_count > max_tokens:
            result = await ask(budget=max_tokens)
        return AssembledContext(
            messages=[dict(each) for each in result.messages],
            tokens=result.token_count,
            left_out=_left_out(result),
        )

    async def search(self, corpus: str | None, query: str, max_tokens: int) -> Searched:
        """The passages that answer a query best, in the order in which they are read."""
        name = self._corpus_named(corpus)
        result = await self._search(name).aassemble(
            _CONTEXT, inputs={"query": query}, budget=max_tokens
        )
        blocks = [each for part in result.receipt.parts for each in part.blocks]
        return Searched(
            text=result.user_message or "",
            tokens=result.token_count,
            more=sum(each.action == "dropped" for each in blocks),
            warnings=[*result.receipt.warnings],
        )

    async def document(self, corpus: str, name: str, line: int = 1) -> str:
        """The text of a document, or of the document of a block, from a line on."""
        if corpus not in self.corpora:
            raise UnknownNameError("Corpus", corpus, self.corpora)
        return await to_thread(_document, self.corpora[corpus], name, line)

    async def feedback(self, uris: Sequence[str], *, useful: bool) -> Unknown:
        """Count whether passages were of use; those that nobody knows are returned."""
        unknown = list[str]()
        for uri in uris:
            corpus, name, _ = place_of(uri)
            known = corpus in self.corpora and await to_thread(
                self.corpora[corpus].record_feedback, name, useful=useful
            )
            unknown += [] if known else [uri]
        return Unknown(unknown=unknown)

    async def recall(self, query: str, max_tokens: int) -> Recalled:
        """What was learned about a query."""
        memory = LearningAssembler(self._memory().searcher())
        return _recalled(await memory.assemble_context(query, CONTEXT_TYPES, max_tokens=max_tokens))

    async def premortem(self, domain: str, strategy: str | None, max_tokens: int) -> Recalled:
        """What went wrong in a domain before."""
        memory = LearningAssembler(self._memory().searcher())
        return _recalled(
            await memory.get_premortem_context(domain, strategy, max_tokens=max_tokens)
        )

    async def remember(self, text: str, category: str) -> Remembered:
        """Write a memory."""
        memory = Memory(id=f"m-{uuid4().hex[:12]}", content=text, category=category)
        await self._memory().record_memory(memory)
        return Remembered(id=memory.id)

    def close(self) -> None:
        """Close the files."""
        for each in self.corpora.values():
            each.close()
        if self.learning is not None:
            self.learning.close()

    def _memory(self) -> LearningStore:
        if self.learning is None:
            raise InputError("this server has no learning memory", fix="Start it with --learning.")
        return self.learning

    def _corpus_named(self, name: str | None) -> str:
        if name is None and len(self.corpora) == 1:
            return next(iter(self.corpora))
        if name is None:
            problem = "this server has several corpora"
            raise InputError(problem, place="corpus", fix="Name one.", valid=[*self.corpora])
        if name not in self.corpora:
            raise UnknownNameError("Corpus", name, self.corpora)
        return name

    def _search(self, name: str) -> ContextAssembler:
        """A plan that is nothing but the passages of one corpus."""
        if name not in self._searches:
            item = f"{{where}} {SCHEME}{quote(name, safe='')}/{{{{ id | urlencode }}}}\n{{content}}"
            passages = {"type": "context", "name": "passages", "place": "quoted"}
            self._searches[name] = ContextAssembler(
                {
                    _CONTEXT: {
                        "policy": {"pack_budget": {"default_ratio": 1}},
                        "messages": [
                            {**passages, "format": {"item": item}},
                            {"type": "user", "content": "{context.passages}"},
                        ],
                    }
                },
                {
                    "passages": {
                        "corpus": name,
                        "config": {"retriever_id": "hybrid", "query": "{input.query}"},
                    }
                },
                corpora={name: self.corpora[name]},
            )
        return self._searches[name]


class LiveOffers:
    """What each principal is offered now: plans that changed are offered as they are then."""

    def __init__(
        self,
        plans: LivePlans,
        learning: Callable[[Principal], LearningStore | None] = lambda _: None,
    ) -> None:
        self._plans, self._learning = plans, learning
        self._made = BoundedMemory[tuple[Principal, bool], tuple[ServedPlans, Offer]](_MOST_OFFERS)

    def of(self, who: Principal, *, may_write: bool = True) -> Offer:
        """What this principal is offered."""
        now, key = self._plans.now, (who, may_write)
        made = self._made.get(key)
        if made is not None and made[0] is now:
            return made[1]
        corpora = {name: each.for_principal(who) for name, each in now.corpora.items()}
        assembler = now.assembler.for_principal(who)
        offer = Offer(assembler, corpora, self._learning(who), may_write=may_write)
        self._made.put(key, (now, offer))
        return offer


def place_of(uri: str) -> tuple[str, str, int]:
    """The corpus, the document or block, and the line that a URI of ours names.

    >>> place_of("biblicus://handbook/guide/tea.md?line=20")
    ('handbook', 'guide/tea.md', 20)
    """
    path, _, asked = uri.removeprefix(SCHEME).partition("?")
    corpus, _, name = path.partition("/")
    line = asked.removeprefix("line=")
    is_ours = uri.startswith(SCHEME) and corpus
    if not is_ours or (asked and not (asked.startswith("line=") and line.isdecimal())):
        valid = f"{SCHEME}CORPUS/DOCUMENT and {SCHEME}CORPUS/DOCUMENT?line=N"
        raise InputError("no such resource", found=uri, fix=f"Ask for {valid}.")
    return unquote(corpus), unquote(name), int(line or 1)


def uri_of(corpus: str, name: str = "") -> str:
    """The URI of a corpus, or of a document in it."""
    return f"{SCHEME}{quote(corpus, safe='')}" + (f"/{quote(name)}" if name else "")


def _document(corpus: Corpus, name: str, line: int) -> str:
    if not name:
        return _contents(corpus, line)
    document = _document_named(corpus, name)
    if document is None:
        problem = "no such document"
        raise InputError(
            problem, found=name, fix=f"Read {uri_of(corpus.name)} for those there are."
        )
    (record,) = corpus.get([document])
    text = record.text or _text_of_blocks(corpus, document)
    return _lines(text.splitlines(), line, uri_of(corpus.name, document))


def _text_of_blocks(corpus: Corpus, document: str) -> str:
    """Of a file only its blocks are kept."""
    with corpus.store.view(corpus.principal) as view:
        return "\n\n".join(each.text for each in view.blocks_of([document]))


def _contents(corpus: Corpus, line: int) -> str:
    names = (
        f"{each.title or each.id}: {uri_of(corpus.name, each.id)}" for each in corpus.documents()
    )
    return _lines([*names], line, uri_of(corpus.name))


def _document_named(corpus: Corpus, name: str) -> str | None:
    """The id of a document with this id, or of the one that has this block."""
    with corpus.store.view(corpus.principal) as view:
        if view.documents([name]):
            return name
        rows = view.evidence([name])
    return rows[0].document.id if rows else None


def _lines(lines: Sequence[str], first: int, uri: str) -> str:
    """The lines from one on that fit; the last one says how the others are asked for."""
    counter, kept, left = default_counter(), list[str](), MOST_OF_A_DOCUMENT
    for number, each in enumerate(lines[first - 1 :], first):
        left -= counter.count(each) + 1
        if left < 0 and kept:
            return "\n".join(
                [*kept, f"[cut: {len(lines) - number + 1} more lines in {uri}?line={number}]"]
            )
        kept.append(each if left >= 0 else each[:MOST_OF_A_DOCUMENT])
    return "\n".join(kept)


def _recalled(found: FormattedContext) -> Recalled:
    return Recalled(text=found.markdown, tokens=found.token_count)


def _left_out(result: ContextAssemblyResult) -> list[LeftOutPart]:
    entries = [each for part in result.receipt.parts for each in _entries(part)]
    return [each for each in entries if each.action != "kept"][:_MOST_LISTED]


def _entries(part: ReceiptPart) -> list[LeftOutPart]:
    name = part.name or part.kind
    own = LeftOutPart(part=name, action=part.action, reason=part.reason)
    blocks = [_block(name, each) for each in part.blocks]
    return [own, *blocks, *(each for inner in part.parts for each in _entries(inner))]


def _block(part: str, block: ReceiptBlock) -> LeftOutPart:
    return LeftOutPart(
        part=f"{part}: {block.source or block.id}", action=block.action, reason=block.reason
    )
