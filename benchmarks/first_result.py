"""A whole program: from the import to a first assembled context with evidence in it."""

from __future__ import annotations

from biblicus_context import (
    ContextAssembler,
    ContextDeclaration,
    ContextPack,
    ContextPackBlock,
    ContextRetrieverRequest,
    RetrieverDeclaration,
)


def retrieve(request: ContextRetrieverRequest) -> ContextPack:
    text = f"Orders are shipped within two days. (asked: {request.query})"
    block = ContextPackBlock(evidence_item_id="handbook-1", text=text, metadata=None)
    return ContextPack(text=text, evidence_count=1, blocks=[block])


def main() -> None:
    plan = ContextDeclaration(
        name="support",
        policy={"input_budget": {"max_tokens": 200}, "pack_budget": {"default_ratio": 0.5}},
        messages=[
            {"type": "system", "content": "You are a support agent."},
            {"type": "context", "name": "kb"},
            {"type": "user", "template": "Question: {input.question}"},
        ],
    )
    kb = RetrieverDeclaration(name="kb", config={"query": "{input.question}"})
    assembler = ContextAssembler(
        {"support": plan}, retriever_registry={"kb": kb}, default_retriever=retrieve
    )
    print(assembler.assemble("support", inputs={"question": "Where is my order?"}).token_count)


if __name__ == "__main__":
    main()
