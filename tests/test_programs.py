"""The two programs of the public contract, as users type them."""

from biblicus_context import (
    ContextAssembler,
    ContextDeclaration,
    ContextPack,
    ContextPackBlock,
    ContextRetrieverRequest,
)


def test_a_declared_context_becomes_a_system_prompt_and_a_user_message():
    context_spec = ContextDeclaration(
        name="support",
        messages=[
            {"type": "system", "content": "You are a support agent."},
            {"type": "user", "content": "Question: {input.question}"},
        ],
    )
    assembler = ContextAssembler({"support": context_spec})
    result = assembler.assemble(
        context_name="support",
        base_system_prompt="",
        history_messages=[],
        user_message="",
        template_context={"input": {"question": "Where is my order?"}, "context": {}},
    )
    assert result.system_prompt == "You are a support agent."
    assert result.user_message == "Question: Where is my order?"


def test_a_pack_of_a_retriever_fits_into_ten_tokens():
    def fake_retrieve(request: ContextRetrieverRequest) -> ContextPack:
        text = "Evidence chunk"
        return ContextPack(
            text=text,
            evidence_count=1,
            blocks=[ContextPackBlock(evidence_item_id="demo-1", text=text, metadata=None)],
        )

    context_spec = ContextDeclaration(
        name="support",
        policy={"input_budget": {"max_tokens": 10}, "pack_budget": {"default_ratio": 1.0}},
        messages=[
            {"type": "system", "content": "Use this context."},
            {"type": "context", "name": "kb_search"},
            {"type": "user", "content": "Question"},
        ],
    )
    retriever_spec = type("RetrieverSpec", (), {"config": {"query": "demo", "limit": 3}})()
    assembler = ContextAssembler(
        {"support": context_spec}, retriever_registry={"kb_search": retriever_spec}
    )
    result = assembler.assemble(
        context_name="support",
        base_system_prompt="",
        history_messages=[],
        user_message="",
        template_context={"input": {}, "context": {}},
        retriever_override=fake_retrieve,
    )
    assert "Evidence chunk" in result.system_prompt
    assert result.token_count <= 10


def test_the_short_form_takes_inputs_and_history():
    assembler = ContextAssembler(
        {
            "support": {
                "messages": [
                    {"type": "system", "content": "You help."},
                    {"type": "history"},
                    {"type": "user", "template": "{{ input.question }}"},
                ]
            }
        }
    )
    result = assembler.assemble(
        "support", inputs={"question": "How?"}, history=[{"role": "user", "content": "Hi"}]
    )
    assert result.messages == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": "How?"},
    ]
