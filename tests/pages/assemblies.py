"""One assembly that has something of everything, for pages to show."""

from __future__ import annotations

from biblicus_context import ContextAssembler, ContextAssemblyResult
from tests.assembly.fakes import Shelf

HOSTILE = (
    "<script>document.title = 'gone'</script><img src=x onerror=alert(1)> & \x1b[2J \ud800 </style>"
)

HISTORY = [
    {"role": "user", "content": "Hello! I have ordered two lamps and a table from you, in March."},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "orders", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "A-1042"},
    {"role": "assistant", "content": "You have: A-1042. How can I help?"},
]  # fmt: skip


def everything(budget: int = 120, **policy: object) -> ContextAssemblyResult:
    """System text, a nested context, two packs, alternatives, a history and a question."""
    handbook = Shelf(
        [
            {"evidence_item_id": "lost", "text": "A parcel is lost after ten days.", "score": 0.91,
             "source": "handbook/lost.md"},
            {"evidence_item_id": "返品", "text": "商品は三十日以内に返品できます。", "score": 0.4},
            {"evidence_item_id": "long", "text": "Orders leave the warehouse within a day. " * 9},
        ]
    )  # fmt: skip
    assembler = ContextAssembler(
        {
            "support": {
                "policy": {
                    "input_budget": {"max_tokens": budget},
                    "pack_budget": {"default_ratio": 0.6},
                    "framing": "openai",
                    **policy,
                },
                "messages": [
                    {"type": "system", "content": "You are a support agent."},
                    {"type": "context", "name": "style"},
                    {"type": "context", "name": "handbook"},
                    {"type": "system", "content": "Formal.", "when": "input.formal"},
                    {"type": "history", "keep_last": 1},
                    {"type": "user", "content": "{input.question}"},
                ],
            },
            "style": {
                "messages": [
                    {"type": "system", "content": "Answer first."},
                    {"type": "context", "name": "rules"},
                ]
            },
        },
        {"handbook": handbook, "rules": Shelf([HOSTILE])},
    )
    return assembler.assemble(
        "support", inputs={"question": "Where is it?", "formal": False}, history=HISTORY
    )
