"""Problems of the settings of retrievers, as the parts that read them report them.

Loads the searches, so it is loaded when a plan has such a retriever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from biblicus_context.corpora.search.settings import problems as of_search
from biblicus_context.retrieval.choosing.combination import combined_problems
from biblicus_context.retrieval.requests.setting_problems import SettingsProblem
from biblicus_context.spec.retriever import COMBINED


def problems_of(config: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    """Every problem that shows without corpora and sources."""
    return (
        combined_problems(config) if config.get("retriever_id") == COMBINED else of_search(config)
    )
