"""Recall of follow-up questions over Python's own language reference, which every Python has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from pydoc_data.topics import topics
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from biblicus_context import ContextAssembler, Corpus

BUDGETS: Final = (256, 512, 1024, 2048)
QUERIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "alone": {"template": "{input.question}"},
    "by a template": {"template": "{history.last_user}\n{input.question}"},
    "follow_up: true": {"template": "{input.question}", "follow_up": True},
}
"""The question alone; with the last one by a template; with the last one as the option adds it."""
RETRIEVERS: Final = ("hybrid", "keyword")
_QUESTIONS: Final = Path(__file__).with_name("questions.jsonl")
_COPIES: Final = frozenset({"compound", "specialnames", "types"})
"""Topics that only repeat others."""
_ALL: Final = {"default_ratio": 1.0}


class FollowUp(NamedTuple):
    """A question, the one that was asked before it, and words of the passage that answers it."""

    kind: str
    """`follow_up`, or `new_topic`: a question that stands alone, after one about something else."""
    before: str
    question: str
    gold: str


class Recall(NamedTuple):
    """How often the answer is in the context, in percent, by budget."""

    retriever: str
    query: str
    kind: str
    by_budget: Sequence[float]

    @property
    def mean(self) -> float:
        """Over all budgets."""
        return sum(self.by_budget) / len(self.by_budget)


def questions() -> list[FollowUp]:
    """The whole set."""
    lines = _QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [FollowUp(**json.loads(line)) for line in lines]


def passages() -> dict[str, str]:
    """The corpus: the topics of the language reference."""
    return {name: text for name, text in topics.items() if name not in _COPIES}


def measured(
    retrievers: Sequence[str] = RETRIEVERS, budgets: Sequence[int] = BUDGETS
) -> Iterator[Recall]:
    """Every way to ask with every retriever, for both kinds of question."""
    with TemporaryDirectory(prefix="biblicus-context-") as home:
        folder = Path(home) / "topics"
        folder.mkdir()
        for name, text in passages().items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        with Corpus.open(folder) as corpus:
            corpus.ingest()
        for retriever in retrievers:
            for name, query in QUERIES.items():
                yield from _of_query(folder, retriever, name, query, budgets)


def _of_query(
    folder: Path, retriever: str, name: str, query: Mapping[str, Any], budgets: Sequence[int]
) -> Iterator[Recall]:
    plan = {
        "messages": [{"type": "context", "name": "kb"}],
        "policy": {"input_budget": {"max_tokens": max(budgets)}, "pack_budget": _ALL},
    }
    assembler = ContextAssembler(
        {"main": plan},
        {"kb": {"corpus": folder.name, "config": {"retriever_id": retriever, "query": query}}},
        {folder.name: {"config": {"root": str(folder)}}},
    )
    found = questions()
    for kind in dict.fromkeys(each.kind for each in found):
        asked = [each for each in found if each.kind == kind]
        hits = [sum(_is_found(assembler, each, budget) for each in asked) for budget in budgets]
        yield Recall(retriever, name, kind, [100 * each / len(asked) for each in hits])


def _is_found(assembler: ContextAssembler, asked: FollowUp, budget: int) -> bool:
    history = [
        {"role": "user", "content": asked.before},
        {"role": "assistant", "content": "As the reference says."},
    ]
    inputs = {"question": asked.question}
    result = assembler.assemble("main", inputs=inputs, history=history, budget=budget)
    return asked.gold in " ".join(result.system_prompt.split())
