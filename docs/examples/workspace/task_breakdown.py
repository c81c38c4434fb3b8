"""Break a task down: what is around it, and similar tasks as patterns."""

import asyncio

from company import ANN, open_company

from biblicus_context.systems.workspace import (
    ContextBuilder,
    ContextRequest,
    Focus,
    TokenBudget,
)

REQUEST = ContextRequest(
    query="Break this task into subtasks: Book the hall",  # its name finds similar ones
    focus=Focus(block_id="task-456"),
    type="assist",
    user=ANN,
    token_budget=TokenBudget(
        total=2000,
        focus=1200,  # the task, its page and its steps
        semantic=500,  # similar tasks
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
