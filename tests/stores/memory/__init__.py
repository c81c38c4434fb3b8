"""A second store, in plain Python and as slow as it is simple: the contract and nothing else."""

from tests.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
