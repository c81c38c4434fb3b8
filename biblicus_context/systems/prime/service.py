"""The service: the evidence for a message of a user, by the plan `prime`."""

from __future__ import annotations

from asyncio import gather, to_thread
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import biblicus_context as engine
from biblicus_context.base import BestEffort, BoundedMemory, door, require_text
from biblicus_context.corpora import AnswerCache, Forgotten
from biblicus_context.reading import shipped_plan
from biblicus_context.retrieval import (
    Relevance,
    Verdict,
    analyze_query,
    best_of,
    is_follow_up,
    is_small_talk,
    telling_terms,
    with_last_question,
)
from biblicus_context.systems.prime.metrics import ContextMetrics
from biblicus_context.systems.prime.models import PrimeContext
from biblicus_context.systems.prime.relevance import Optimizer, Scorer, chosen
from biblicus_context.systems.prime.repositories.arguments import texts
from biblicus_context.systems.prime.repositories.library import UserLibrary
from biblicus_context.systems.prime.repositories.models import THREAD, FileMatch, ThreadMessage
from biblicus_context.systems.prime.repositories.protocols import (
    ContextReferenceRepository,
    FileRepository,
    MessageRepository,
)
from biblicus_context.systems.prime.repositories.retrievers import SOURCES, RepositoryRetrievers
from biblicus_context.systems.prime.repositories.shared_files import NO_SHARES
from biblicus_context.systems.prime.repositories.stored_files import JudgedFiles, StoredFiles
from biblicus_context.systems.prime.repositories.stored_messages import StoredMessages
from biblicus_context.systems.prime.repositories.stored_references import StoredReferences
from biblicus_context.systems.prime.repositories.user_corpus import NOTHING_SHARED
from biblicus_context.systems.prime.result_cache import ResultCache

_LOOKED_BACK: Final = 20
"""Messages of a thread in which the last question is looked for."""
_SEARCHES: Final = ("full_text", "keywords", "similar", "accessed", "around")
"""The sources that find files which nobody named."""
_CITATIONS: Final = 10_000


@door
class ContextAssemblyService:
    """Builds prime contexts; repositories are of this package (see `open`) or of yours."""

    def __init__(  # noqa: PLR0913 - the design's five, and what tests and servers change
        self,
        file_repo: FileRepository,
        context_ref_repo: ContextReferenceRepository,
        message_repo: MessageRepository,
        scorer: Scorer | None = None,
        optimizer: Optimizer | None = None,
        *,
        plan: str | Path | None = None,
        cache: AnswerCache | None = None,
        on_metrics: Callable[[ContextMetrics], None] | None = None,
        corpora: Mapping[str, engine.Corpus] | None = None,
    ) -> None:
        """`plan` is a changed copy of the shipped plan; `corpora` are those that `open` made."""
        self.files, self.references, self.messages = file_repo, context_ref_repo, message_repo
        self._on_metrics, self._corpora = on_metrics, corpora or {}
        self._listening = BestEffort("listener of metrics", on_metrics, room="metrics")
        plan = plan or shipped_plan("prime")
        self._retrievers = RepositoryRetrievers(file_repo, context_ref_repo, message_repo)
        changes, self._own_choice = chosen(scorer, optimizer)
        scope = engine.load_project(plan).digest, changes, self._own_choice
        own = partial(_workspace_of, file_repo)
        self._cache = ResultCache(cache, entries=100, seconds=30, scope=scope, workspace_of=own)
        self._assembler = engine.ContextAssembler.from_path(
            plan,
            corpora=self._corpora,
            # Those of each call take their place.
            retriever_functions={} if corpora else dict.fromkeys(SOURCES, lambda _: None),
            retriever_settings={"evidence": changes},
            retrieval_parts=self._own_choice.parts("", {}) if self._own_choice else None,
        )
        self._assembler.inputs("prime")  # so that a mistake is reported here
        self._cited = BoundedMemory[tuple[str, str], str](_CITATIONS)
        """By user and id of a citation, the item of the last contexts."""

    @staticmethod
    def open(place: str | Path, *, workspace: str = "prime", **options: Any) -> StoredService:
        """A service over a folder; `workspace` is a tenant, `options` are those of the constructor."""
        project = engine.load_project(options.get("plan") or shipped_plan("prime"))
        library = UserLibrary.open(place, project.corpora, project.retrievers, workspace)
        repositories = library.files, library.references, library.messages
        return StoredService(*repositories, corpora=library.corpora, **options)

    async def build_prime_context(
        self, thread_id: str, user_message: str, user_id: str, *, groups: Collection[str] = ()
    ) -> PrimeContext:
        """The evidence for a message, within the budget of the plan; remembered for 30 seconds.

        `groups` are those of the user: files that are shared with one of them are searched as well.
        """
        require_text(thread_id=thread_id)
        began = perf_counter()
        mine = sorted({*texts(groups, "groups")})
        versions = await self._versions(user_id, mine)
        others = None if NOTHING_SHARED in versions else mine
        build = partial(self._built, thread_id, user_message, user_id, others)
        names = {"thread_id": thread_id, "user_message": user_message}
        context = await self._cache.get_or_build(PrimeContext, user_id, names, versions, build)
        for item, cited in zip(context.items, context.citations, strict=True):
            self._cited.put((user_id, cited.id), item.id)
        figures = context.receipt, perf_counter() - began, self._cache.hit_rate
        is_new = not self._cache.was_hit
        if is_new and await self._versions(user_id, mine) != versions:
            await self._cache.forget_user(user_id)  # something of it may be gone since
        metrics = ContextMetrics.of(*figures, is_new=is_new)
        metrics.report("prime")
        if self._on_metrics is not None:
            told = partial(self._on_metrics, metrics)
            await self._listening.acall(told, otherwise=None)
        return context

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> None:
        """Count whether an item was useful: it is ranked higher or lower from now on.

        It is that of an item, a file or a message, or of a citation of the last contexts of this service.
        Any other one is an InputError, also where it is of another user.
        """
        if isinstance(item_id, str):
            item_id = self._cited.get((user_id, item_id)) or item_id
        known = [
            await repository.record_feedback(item_id, user_id, useful=useful)
            for repository in (self.files, self.messages)
        ]
        # A repository of yours that returns None does not say.
        if not any(each is not False for each in known):
            fix = "Pass the `id` of an item, a file, a message, or a citation of this service."
            raise engine.InputError("no item has this id", place="item_id", found=item_id, fix=fix)
        await self._cache.forget_user(user_id)

    def invalidate(self, pattern: str | None = None) -> int:
        """Forget contexts with this text in their `user/thread/message`; a `*` in it is any text."""
        return self._cache.invalidate(pattern)

    async def _versions(self, user_id: str, groups: Sequence[str]) -> Sequence[Hashable]:
        return (*await self._retrievers.versions(user_id), *groups)

    async def _built(
        self,
        thread_id: str,
        user_message: str,
        user_id: str,
        groups: Collection[str] | None,
    ) -> PrimeContext:
        """Without groups (None) nobody shares anything."""
        query, relevance = analyze_query(user_message), dict[str, float]()
        meant = await self._in_thread(thread_id, user_message, user_id)
        assembler = self._assembler
        if self._own_choice:
            parts = self._own_choice.parts(user_message, relevance)
            assembler = assembler.replace(retrieval_parts=parts)
        if isinstance(self.references, StoredReferences):
            assembler = assembler.for_principal(self.references.files.corpus.principal(user_id))
        # Over a store on another machine they read together.
        ids, (named, judged) = await gather(
            self._references_of(thread_id, user_id), self._judged(meant, user_message, user_id)
        )
        inputs = {"question": meant, "thread": thread_id, "references": ids}
        asked: dict[str, Any] = (
            {} if self._corpora else self._retrievers.of(thread_id, user_id, query)
        )
        verdict: Verdict | None = None
        if isinstance(self.files, StoredFiles) and self._corpora:
            inputs["named"] = named
            decided = judged.relevance if judged else None
            if meant != user_message and decided and decided.verdict == "nothing":
                # What the question before it is about is what the follow-up is about.
                decided = await self.files.relevance(meant.partition("\n")[0], user_id)
            if judged and not named:
                inputs["best"] = judged.best
            shares = NO_SHARES
            if groups is not None:
                shares = await self.files.judged_shares(meant, user_id, groups)
            if decided and decided.verdict == "nothing":
                silent = await self._silent(
                    thread_id, user_message, user_id, has_files=bool(ids or named or shares.found)
                )
                if not named:
                    asked = {name: _saying(decided) for name in silent}
            if shares.found:
                asked["shared"] = partial(_sharing, shares.found)
            best = best_of((decided, shares.relevance))
            verdict = "found" if named else best.verdict if best else None
        result = await assembler.aassemble("prime", inputs=inputs, retrievers=asked)
        return PrimeContext.of(result, query.keywords, relevance, verdict)

    async def _references_of(self, thread_id: str, user_id: str) -> list[str]:
        if not isinstance(self.references, StoredReferences):
            return []
        return await self.references.ids(thread_id, user_id)

    async def _judged(
        self, meant: str, user_message: str, user_id: str
    ) -> tuple[list[str], JudgedFiles | None]:
        """The files that a message names, and whether any is relevant."""
        if not (isinstance(self.files, StoredFiles) and self._corpora):
            return [], None
        return await gather(
            self.files.named_in(user_message, user_id), self.files.judged(meant, user_id)
        )

    async def _in_thread(self, thread_id: str, user_message: str, user_id: str) -> str:
        """The message, with the last question of the thread if it cannot be understood alone."""
        if not is_follow_up(user_message):
            return user_message
        said = await self._last_messages(thread_id, user_id)
        last = next((e.content for e in said if e.role == "user" and e.content != user_message), "")
        return with_last_question(user_message, last)

    async def _last_messages(self, thread_id: str, user_id: str) -> Sequence[ThreadMessage]:
        try:
            return await self.messages.get_recent(thread_id, user_id, limit=_LOOKED_BACK)
        except Exception:
            return ()

    async def _silent(
        self, thread_id: str, user_message: str, user_id: str, *, has_files: bool
    ) -> Sequence[str]:
        """The sources that are not asked where no file is relevant: all of them for small talk.

        What the thread refers to stays, and so does the conversation for a message that needs it, or
        has a word of it.
        """
        if is_small_talk(user_message) and not is_follow_up(user_message):
            return SOURCES
        words = {*telling_terms(user_message)}
        said = await self._last_messages(thread_id, user_id)
        needs = is_follow_up(user_message) or any(
            words & {*telling_terms(each.content)} for each in said
        )
        if not (needs and said) and not has_files:
            return SOURCES
        return (*_SEARCHES, *(() if needs else ("history",)))


def _sharing(found: Sequence[FileMatch], _: object) -> list[dict[str, Any]]:
    return [each.evidence() for each in found]


def _saying(decided: Relevance | None) -> Callable[[object], engine.ContextPack]:
    """A source that found nothing relevant."""
    return lambda _: engine.ContextPack(text="", evidence_count=0, relevance=decided)


def _workspace_of(files: FileRepository, user_id: str) -> str:
    """That of the user in a store of this package; another repository has users."""
    if isinstance(files, StoredFiles):
        return files.corpus.principal(user_id).workspace
    return user_id


@door
class StoredService(ContextAssemblyService):
    """A service whose repositories can be written to."""

    files: StoredFiles
    references: StoredReferences
    messages: StoredMessages

    async def remove_thread(self, thread_id: str, user_id: str) -> None:
        """Remove a thread of a user: its messages, and what it refers to; the files stay."""
        await self.messages.remove_thread(thread_id, user_id=user_id)
        await self.references.remove_thread(thread_id, user_id=user_id)
        await self._cache.forget_user(user_id)

    async def forget_user(self, user_id: str) -> Forgotten:
        """Remove all files, references and messages of a user; what is returned certifies it."""
        shared = await to_thread(self.files.shared.forget, user_id)
        files = await self.files.corpus.clear(user_id)
        messages = await self.messages.corpus.clear(user_id)
        await self._cache.forget_user(user_id)
        for who, cited in self._cited.remembered():
            if who == user_id:
                self._cited.forget((who, cited))
        threads = tuple(each.removeprefix(THREAD) for each in files if each.startswith(THREAD))
        found = {
            "files": tuple(each for each in files if not each.startswith(THREAD)),
            "threads": threads,
            "messages": messages,
            "shared": shared,
        }
        removed = {name: ids for name, ids in found.items() if ids}
        until = await self.remains_until(user_id)
        return Forgotten(datetime.now(UTC), removed, (), until)

    async def remains_until(self, user_id: str) -> datetime | None:
        """Until when files may hold bytes of what was removed or replaced; None: none do."""
        own = (self.files.corpus, self.messages.corpus)
        times = [await each.remains_until(user_id) for each in own]
        return max(filter(None, times), default=None)

    async def purge(self, user_id: str, timeout: float = 60.0) -> None:
        """Wait up to so many seconds for reads that still need what was removed, and erase it."""
        await self._cache.forget_user(user_id)
        for repository in (self.files, self.messages):
            await repository.corpus.purge(user_id, timeout)

    def close(self) -> None:
        """Close the stores of files and messages."""
        for each in self._corpora.values():
            each.close()
