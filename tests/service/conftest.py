"""Plans and clients that the tests of the service share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from biblicus_context.service import app
from tests.service.serving import client_of

PLANS = """
kind: context
name: support
description: Answers of a shop.
policy: {input_budget: {max_tokens: 400}}
inputs:
  question: {type: string, example: Where is my order?}
messages:
  - {type: system, content: You are a support agent.}
  - {type: context, name: kb}
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: context
name: plain
inputs: {name: {type: string, required: false, default: you}}
messages: [{type: user, content: "Hello {input.name}."}]
---
kind: retriever
name: kb
corpus: notes
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: notes
config: {store: ../store}
---
kind: corpus
name: handbook
config: {root: ../handbook, embedder: null, store: ../handbook-store}
"""


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of plans with a corpus of records and one of files."""
    place = tmp_path_factory.mktemp("served")
    (place / "contexts").mkdir()
    (place / "contexts" / "shop.yaml").write_text(PLANS, encoding="utf-8")
    (place / "handbook").mkdir()
    (place / "handbook" / "returns.md").write_text(
        "# Returns\n\nA lamp may be sent back.\n", "utf-8"
    )
    return place / "contexts"


@pytest.fixture(scope="module")
def client(plans: Path) -> Iterator[httpx.Client]:
    """A client of a service without keys."""
    with client_of(app(plans)) as found:
        yield found
