"""A store in plain Python: a source that is as slow as it is simple, below the engine of every store.

It is for tests, and for authors of sources to read.

>>> from biblicus_context.stores import Batch, Block, Document, Entry, Principal, search_text
>>> store, who = InMemoryStore(), Principal("acme")
>>> tea = Block(id="tea#0", document_id="tea", position=0, text="Steep for four minutes.", tokens=5)
>>> store.write(who, Batch(put=(Entry(Document(id="tea"), (tea,)),)))
1
>>> with store.view(who) as view:
...     search_text(view, ["minutes"])[0].block_id
'tea#0'
"""

from biblicus_context.stores import Store
from biblicus_context.testing.memory_store.source import MemorySource

__all__ = ["InMemoryStore", "MemorySource"]


class InMemoryStore(Store):
    """A store whose source is in memory."""

    def __init__(self) -> None:
        super().__init__(MemorySource())
