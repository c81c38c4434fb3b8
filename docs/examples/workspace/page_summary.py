"""Summarise a page: most of the budget goes to what is on it."""

import asyncio

from company import ANN, open_company

from biblicus_context.systems.workspace import (
    ContextBuilder,
    ContextRequest,
    Focus,
    TokenBudget,
)

REQUEST = ContextRequest(
    query="Summarize this page",
    focus=Focus(page_id="page-123"),
    type="assist",
    user=ANN,
    token_budget=TokenBudget(
        total=3000,
        focus=2500,  # most of it
        semantic=200,
        relations=200,
        activity=0,
        history=0,
        system=100,
    ),
)


async def main() -> None:
    store = await open_company()
    builder = ContextBuilder(store)
    payload = await builder.build(REQUEST)
    print(payload.serialized)  # or send payload.result.messages
    store.close()


if __name__ == "__main__":
    asyncio.run(main())
