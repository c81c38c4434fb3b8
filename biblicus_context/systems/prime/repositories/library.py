"""Files, references and messages of users in one folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context.base import door
from biblicus_context.corpora import Corpus
from biblicus_context.spec import CorpusDeclaration, RetrieverDeclaration
from biblicus_context.stores import place_below
from biblicus_context.systems.prime.repositories.arguments import text
from biblicus_context.systems.prime.repositories.stored_files import StoredFiles
from biblicus_context.systems.prime.repositories.stored_messages import StoredMessages
from biblicus_context.systems.prime.repositories.stored_references import StoredReferences
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

_OWN: Final[Mapping[str, Mapping[str, Any]]] = {
    "files": {},
    # A message is one block, so that the last messages are as many as they are.
    "messages": {"embedder": None, "chunks": {"whole": 2_000}},
}


@door
class UserLibrary:
    """The repositories over stores of this package; each user has workspaces of its own.

    Files and messages have a store each: every message is a new version, and files keep what was
    computed of them.

    >>> import asyncio
    >>> from tempfile import mkdtemp
    >>> from biblicus_context.systems.prime.repositories.models import UserFile
    >>> library = UserLibrary.open(mkdtemp())
    >>> tea = UserFile(id="tea", path="tea.md", content="Steep it.", owner_user_id="ann")
    >>> asyncio.run(library.files.put(tea))
    >>> [len(asyncio.run(library.files.search_content("steep", user))) for user in ("ann", "bob")]
    [1, 0]
    """

    def __init__(
        self,
        files: Corpus,
        messages: Corpus,
        *,
        workspace: str = "local",
        retrievers: Mapping[str, RetrieverDeclaration] | None = None,
    ) -> None:
        """`workspace` is a tenant; `retrievers` are those of a plan, such as `full_text`."""
        searches = {name: each.config for name, each in (retrievers or {}).items()}
        workspace = text(workspace, "workspace")
        self.corpora: Mapping[str, Corpus] = {"files": files, "messages": messages}
        self.files = StoredFiles(UserCorpus(files, workspace), searches)
        self.references = StoredReferences(self.files)
        self.messages = StoredMessages(UserCorpus(messages, workspace), searches.get("history"))

    @classmethod
    def open(
        cls,
        place: str | Path,
        corpora: Mapping[str, CorpusDeclaration] | None = None,
        retrievers: Mapping[str, RetrieverDeclaration] | None = None,
        workspace: str = "local",
    ) -> Self:
        """The library in a folder or at an address; `corpora` and `retrievers` are those of a plan, if there is one."""
        opened = {}
        for name, usual in _OWN.items():
            declared = (corpora or {}).get(name) or CorpusDeclaration(name=name, config=usual)
            config = {**declared.config, "store": str(place_below(place, name))}
            opened[name] = Corpus.open(declared.model_copy(update={"config": config}))
        return cls(**opened, workspace=workspace, retrievers=retrievers)
