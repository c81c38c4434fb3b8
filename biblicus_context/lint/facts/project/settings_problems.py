"""Problems of the settings of retrievers, as the parts that read them report them.

Loads the searches, so it is loaded when a plan has such a retriever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from biblicus_context.corpora.outside.kinds import outside_problems
from biblicus_context.corpora.search.settings import problems as of_search
from biblicus_context.retrieval.choosing.combination import combined_problems
from biblicus_context.retrieval.requests.setting_problems import SettingsProblem
from biblicus_context.spec.retriever import COMBINED, WITHOUT_CORPUS


def problems_of(config: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    """Every problem that shows without corpora and sources."""
    name = config.get("retriever_id")
    if name in WITHOUT_CORPUS:
        return outside_problems(config)
    return combined_problems(config) if name == COMBINED else of_search(config)
