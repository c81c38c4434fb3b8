"""The history of a git repository becomes documents: one for each commit."""

from biblicus_context.ingest.git.history import (
    HistorySettings,
    history_changes,
    ingest_history,
    is_of_a_commit,
)
from biblicus_context.ingest.git.repository import open_repository

__all__ = [
    "HistorySettings",
    "history_changes",
    "ingest_history",
    "is_of_a_commit",
    "open_repository",
]
