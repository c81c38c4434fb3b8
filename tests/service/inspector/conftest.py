"""A shop whose evidence is hostile, served to the inspector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.service import app
from tests.service.serving import serving

HOSTILE = "<img src=x onerror='document.title=1'><script>document.title=2</script>"
PLANS = """
kind: context
name: shop
description: Answers of a shop.
policy: {model: gpt-4o, input_budget: {max_tokens: 600}}
inputs:
  question: {type: string, description: What is asked., example: Which lamps are in which hall?}
messages:
  - {type: system, content: You are kind.}
  - {type: context, name: kb}
  - {type: history}
  - {type: user, content: "{input.question}"}
---
kind: context
name: other
messages: [{type: user, content: Hello.}]
---
kind: retriever
name: kb
corpus: hall
config: {retriever_id: keyword, query: "{input.question}"}
---
kind: corpus
name: hall
config: {root: ../hall, embedder: null, store: ../hall-store}
"""
CASES = """
kind: contexts-test
cases:
  - {name: a case, context: shop, budget: 333, inputs: {question: Of a case?}, packs: {kb: []}}
"""


@pytest.fixture(scope="session")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("inspected")
    (place / "contexts").mkdir()
    (place / "contexts" / "shop.yaml").write_text(PLANS, encoding="utf-8")
    (place / "contexts" / "shop.test.yaml").write_text(CASES, encoding="utf-8")
    (place / "hall").mkdir()
    for number in range(8):
        lamps = (
            f"Lamps of kind {number} are in hall {number}. {HOSTILE} " + "They give light. " * 20
        )
        (place / "hall" / f"hall-{number}.md").write_text(f"# Hall {number}\n\n{lamps}\n", "utf-8")
    return place / "contexts"


@pytest.fixture(scope="session")
def address(plans: Path) -> Iterator[str]:
    """Where the inspector is."""
    with serving(app(plans, settings={"inspected_calls": 9})) as found:
        yield found
