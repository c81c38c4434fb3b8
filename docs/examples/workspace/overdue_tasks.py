"""Answer a question of a chat: most of the budget goes to what the workspace says about it."""

import asyncio

from company import ANN, open_company

from biblicus_context.systems.workspace import (
    ContextBuilder,
    ContextHints,
    ContextRequest,
    TokenBudget,
)

REQUEST = ContextRequest(
    query="What tasks are overdue?",
    type="chat",
    user=ANN,
    conversation_history=[
        {"role": "user", "content": "Good morning."},
        {"role": "assistant", "content": "Good morning. What do you need?"},
    ],
    token_budget=TokenBudget(
        total=4000,
        focus=0,
        semantic=2500,  # most of it
        relations=500,
        activity=500,
        history=300,
        system=200,
    ),
    hints=ContextHints(prioritize_types=["todo", "kanban_card"]),
)


async def main() -> None:
    store = await open_company()
    builder = ContextBuilder(store)
    payload = await builder.build(REQUEST)
    print(payload.serialized)  # or send payload.result.messages
    store.close()


if __name__ == "__main__":
    asyncio.run(main())
