"""What a format costs: the same assemblies over a corpus with it and without it, in turn.

A limit of blocks leaves room in the budget, so that nothing is shortened: what is measured is writing,
not that a fuller pack has to give way.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.targets import Target
from benchmarks.texts import Writer
from biblicus_context import ContextAssembler

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORDS: Final = 100
_LIMIT: Final = 10
_WARMING: Final = 5
FORMATS: Final[Mapping[str, Mapping[str, Any]]] = {
    "texts": {
        "header": "Relevant context from past conversations:\n\n",
        "item": "- {content}",
        "footer": "\n",
    },
    "facts": {
        "title": "## Memories",
        "header": "{count} of {total}:\n\n",
        "item": "- [{kind}] {content} ({timestamp}, {path}:{lines})",
        "footer": "\n",
    },
    "numbers": {"item": "{index}. {content}", "separator": "\n"},
    "Jinja2": {
        "item": "- {{ content }}{% if title %} ({{ title }}){% endif %}",
        "footer": "\n\n---\n*{count} items from {{ sources | length }} sources*",
    },
}


def full_formats() -> Iterator[Target]:
    """Two thousand documents, as the project states it; Jinja2 for each item has no bound."""
    yield from formats(2_000, rounds=100, at_most=1.05)


def quick_formats() -> Iterator[Target]:
    """So few documents that a search costs little; with room for noise."""
    yield from formats(100, rounds=10, at_most=1.6)


def formats(documents: int, *, rounds: int, at_most: float) -> Iterator[Target]:
    """The processor time of an assembly with a format, in that of one without."""
    with tempfile.TemporaryDirectory() as folder:
        root, store = Path(folder, "notes"), Path(folder, "index")
        root.mkdir()
        for number in range(documents):
            text = Writer(("note", number)).text(_WORDS)
            (root / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n", "utf-8")
        assemblers = {
            name: _assembler(root, store, form) for name, form in {"none": None, **FORMATS}.items()
        }
        rounds_of = _seconds(assemblers, rounds)
    without = rounds_of["none"]
    for name in FORMATS:
        bound = None if name == "Jinja2" else at_most
        more = (each - plain for each, plain in zip(rounds_of[name], without, strict=True))
        ratio = 1 + median(more) / median(without)
        yield Target(f"format with {name} / without", ratio, "x", at_most=bound)


def _assembler(root: Path, store: Path, form: Mapping[str, Any] | None) -> ContextAssembler:
    pack = {"type": "context", "name": "kb", **({"format": form} if form else {})}
    plan = {
        "policy": {"input_budget": {"max_tokens": 8_000}, "pack_budget": {"default_ratio": 1.0}},
        "messages": [
            {"type": "system", "content": "Answer from the notes."},
            pack,
            {"type": "user", "content": "{input.query}"},
        ],
    }
    config = {"retriever_id": "hybrid", "limit": _LIMIT}
    return ContextAssembler(
        {"ask": plan},
        {"kb": {"corpus": "notes", "config": config}},
        {"notes": {"config": {"root": str(root), "store": str(store)}}},
        index="missing",
    )


def _seconds(assemblers: Mapping[str, ContextAssembler], rounds: int) -> Mapping[str, list[float]]:
    """Of each round, which asks all of them what nobody asked before, in an order that changes.

    All are asked the same, as searches differ by more than a format costs.
    """
    seconds: dict[str, list[float]] = {name: [] for name in assemblers}
    names = [*assemblers]
    for round_ in range(-_WARMING, rounds):
        names = [*names[1:], names[0]]
        question = Writer(("question", round_)).text(12)
        for name in names:
            before = process_time()
            assemblers[name].assemble("ask", inputs={"query": question})
            if round_ >= 0:  # the first ones load what later ones only use
                seconds[name].append(process_time() - before)
    return seconds
