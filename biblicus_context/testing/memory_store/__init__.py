"""A store in plain Python, as slow as it is simple: the contract and nothing else.

It is for tests, and for authors of stores to read.

>>> from biblicus_context.stores import Batch, Block, Document, Entry, Principal, search_text
>>> store, who = InMemoryStore(), Principal("acme")
>>> tea = Block(id="tea#0", document_id="tea", position=0, text="Steep for four minutes.", tokens=5)
>>> store.write(who, Batch(put=(Entry(Document(id="tea"), (tea,)),)))
1
>>> search_text(store, who, ["minutes"])[0].block_id
'tea#0'
"""

from biblicus_context.testing.memory_store.store import InMemoryStore

__all__ = ["InMemoryStore"]
