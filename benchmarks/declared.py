"""The work as a declared context: one plan that both biblicus and this engine understand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.measuring import Library
from benchmarks.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from benchmarks.workloads import Work


def library(engine: ModuleType, packs: ModuleType) -> Library:
    """A library whose `engine` module assembles and whose `packs` module has the pack models."""
    return Library(lambda work: assembling(assembler(engine, work), packs, work), sent)


def assembler(engine: ModuleType, work: Work) -> Any:
    """An assembler that knows the one plan."""
    kb = engine.RetrieverDeclaration(
        name="kb", config={"query": "{input.question}", "limit": work.page_size}
    )
    plan = engine.ContextDeclaration(name="support", policy=policy(work), messages=messages(work))
    return engine.ContextAssembler({"support": plan}, retriever_registry={"kb": kb})


def policy(work: Work) -> dict[str, Any]:
    return {
        "input_budget": {"max_tokens": work.budget},
        "pack_budget": {"default_ratio": 0.5},
        "overflow": "compact",
        "expansion": {"max_pages": 30, "min_fill_ratio": 0.95},
    }


def messages(work: Work) -> list[dict[str, Any]]:
    return [
        {"type": "system", "content": work.system},
        *([{"type": "context", "name": "kb"}] if work.blocks else []),
        {"type": "history"},
        {"type": "user", "template": "{input.question}"},
    ]


def paging(packs: ModuleType, work: Work) -> Callable[[Any], Any]:
    """A retriever that answers any page of the blocks, and leaves the budget to the engine."""
    blocks = [
        packs.ContextPackBlock(evidence_item_id=f"kb-{index}", text=text, metadata=None)
        for index, text in enumerate(work.blocks)
    ]

    def retrieve(request: Any) -> Any:
        page = blocks[request.offset : request.offset + request.limit]
        text = "\n\n".join(block.text for block in page)
        return packs.ContextPack(text=text, evidence_count=len(page), blocks=page)

    return retrieve


def assembling(assembler: Any, packs: ModuleType, work: Work) -> Callable[[], Any]:
    """The call to time, its inputs ready."""
    history = [message.as_dict() for message in work.history]
    retrieve = paging(packs, work)
    return lambda: assembler.assemble(
        context_name="support",
        base_system_prompt="",
        history_messages=history,
        user_message="",
        template_context={"input": {"question": work.question}, "context": {}},
        retriever_override=retrieve,
    )


def sent(result: Any) -> list[Message]:
    """The messages that a caller makes of a result."""
    return [
        Message("system", result.system_prompt),
        *(Message.from_dict(message) for message in result.history),
        Message("user", result.user_message),
    ]
