"""A prime context has the files that answer, those that are named first, and nothing for small talk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from biblicus_context import InputError
from biblicus_context.systems.prime import (
    ContextAssemblyService,
    File,
    Message,
    PrimeContext,
    StoredService,
)

OLD = datetime.now(UTC) - timedelta(days=90)
PLAN = "# Plan\n\n" + "\n\n".join(
    f"## Step {number}\n\nIn step {number} the lamp gets part {number}. "
    + "It takes an hour. " * 12
    for number in range(1, 13)
)
FILES = {
    "docs/timeline.md": "The shipping timelines are late by two weeks.",
    "docs/plan.md": PLAN,
    "docs/discounts.md": "Annual plans have 15 percent off.",
    "docs/other.md": "The office has a green door and a bell.",
    "infra/rollback.sh": "# Puts the previous release back.\nln -sfn previous current\n",
    "infra/deploy.md": "Deploy with make release. To undo a deployment run the script next to this file.",
    "README.md": "These docs are about lamps. See docs for all docs.",
}


@pytest.fixture(scope="module")
def service(module_place: str | Path) -> Iterator[StoredService]:
    service = ContextAssemblyService.open(module_place)

    async def fill() -> None:
        files = (
            File(id=path, path=path, content=text, owner_user_id="ann", created_at=OLD)
            for path, text in FILES.items()
        )
        await service.files.put(*files)
        said = ["Thanks!", "You are welcome.", "ok", "Great, see you tomorrow."]
        await service.messages.add(
            "chat", *(Message(role="user", content=each) for each in said), user_id="ann"
        )
        await service.messages.add(
            "yearly",
            Message(role="user", content="Is there a discount for annual plans?"),
            Message(role="assistant", content="Yes, 15 percent."),
            user_id="ann",
        )

    asyncio.run(fill())
    yield service
    service.close()


def built(service: StoredService, message: str, thread: str = "chat") -> PrimeContext:
    return asyncio.run(service.build_prime_context(thread, message, "ann"))


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("ship timeline", "docs/timeline.md"),
        ("how do I roll back a deployment?", "infra/deploy.md"),
        ("percent off for annual plans", "docs/discounts.md"),
    ],
)
def test_an_inflected_word_is_found_and_stands_above_what_was_said_last(
    service: StoredService, message: str, path: str
):
    assert built(service, message).items[0].source == path


@pytest.mark.parametrize("message", ["Summarise docs/plan.md", "please look at plan.md"])
def test_a_file_that_is_named_is_first_and_whole(service: StoredService, message: str):
    context = built(service, message)
    assert context.items[0].source == "docs/plan.md"
    text = " ".join(context.text.split())
    assert all(f"In step {number} the lamp" in text for number in range(1, 13))


@pytest.mark.parametrize("message", ["hello", "Thanks, bye!", "banana smoothie for breakfast"])
def test_nothing_is_placed_where_nothing_is_relevant(service: StoredService, message: str):
    context = built(service, message)
    assert (context.text, context.total_tokens, context.items) == ("", 0, ())
    assert context.verdict == "nothing"
    assert context.receipt.parts[0].reason.startswith("nothing relevant: ")


def test_a_follow_up_finds_what_the_thread_is_about(service: StoredService):
    context = built(service, "And how much is it?", "yearly")
    assert "docs/discounts.md" in [each.source for each in context.items]


def test_what_was_not_useful_is_ranked_lower_and_ids_of_citations_are_known(service: StoredService):
    def relevance() -> float:
        items = built(service, "the bell of the green door").items
        return next(each.relevance for each in items if each.source == "docs/other.md")

    before = relevance()
    context = built(service, "the bell of the green door")
    cited = next(each.id for each in context.citations if each.path == "docs/other.md")
    asyncio.run(service.record_feedback(cited, "ann", useful=False))
    assert relevance() < before
    with pytest.raises(InputError, match="no item has this id"):
        asyncio.run(service.record_feedback(cited, "bob", useful=False))
