"""The definitions that a search found: each once, sources before tests, and what a reader needs of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, Final

from biblicus_context.corpora import Corpus, Evidence, RelevantItems, ranked_items
from biblicus_context.ingest import Summary
from biblicus_context.stores import Block
from biblicus_context.systems.learning.code_unit import CodeUnit, code_unit
from biblicus_context.systems.learning.definition_order import in_order
from biblicus_context.systems.learning.indexed_models import IndexedModels

_SEARCHED: Final = 3
"""Blocks that are searched for each definition that is wanted: a long one has several."""
_FEWEST_SEARCHED: Final = 60
"""Whatever is wanted: which of them is meant, their names tell."""
_TESTS: Final = frozenset(
    {"test", "tests", "testing", "spec", "specs", "__tests__", "testdata", "e2e"}
)
_EXAMPLES: Final = frozenset(
    {"example", "examples", "sample", "samples", "demo", "demos", "doc", "docs", "tutorial"}
    | {"tutorials", "benchmark", "benchmarks", "bench", "benches"}
)
_TEST_FILE: Final = re.compile(
    r"^(?:test_|conftest\.)|[._-](?:test|tests|spec)\.\w+$|Tests?\.(?:java|cs|kt|php)$"
)
_FOREIGN: Final = (
    *("node_modules/", "bower_components/", "site-packages/", "venv/"),
    *("*.min.js", "*.min.css", "*.bundle.js", "*.map"),
)
"""What is not the project's own, where `exclude` does not say otherwise."""
_WORDS: Final = re.compile(r"[a-z]+")
_ASKS_FOR_TESTS: Final = frozenset(
    {"test", "tests", "tested", "testing", "spec", "specs", "fixture", "fixtures"}
)
_ASKS_FOR_EXAMPLES: Final = _EXAMPLES | {"documentation", "usage"}
_LONG_DOCSTRING: Final = 6
"""Lines; of a longer one the first paragraph is written, and those with words of the query."""
_SHORT_WORD: Final = 3


class CodeIndex(IndexedModels[CodeUnit]):
    """The definitions of files, by workspace."""

    def __init__(self, place: Any, **own: Any) -> None:
        super().__init__(place, code_unit, kind="code", each="section", **own)

    async def ingest(self, root: str | Path, workspace_id: str, **settings: Any) -> Summary:
        """Read what has changed below a folder, but what others wrote or programs made."""
        return await super().ingest(root, workspace_id, **{"exclude": _FOREIGN, **settings})

    def _relevant(
        self, corpus: Corpus, query: str, limit: int, settings: Mapping[str, Any]
    ) -> RelevantItems[CodeUnit]:
        most = max(_FEWEST_SEARCHED, _SEARCHED * limit)
        own = {"filters": {"kind": "code"}, **settings}
        hits, relevance = corpus.judged_search(query, limit=most, **own)
        found = _definitions(hits, partial(_blocks_of, corpus))
        first = max(_FEWEST_SEARCHED, limit)
        found = [*in_order(found[:first], query), *found[first:]]
        words = _words_of(query)
        units = [(hit, _brief(unit, words)) for hit, unit in found]
        order = partial(_standing, asks_for=words)
        units = sorted(units[:limit], key=lambda each: order(each[1]))
        figures = corpus.likeness(query, [hit for hit, _ in units])
        return ranked_items([unit for _, unit in units], figures, relevance)


def _definitions(
    hits: Sequence[Evidence], blocks_of: Callable[[Iterable[str]], dict[str, list[Block]]]
) -> list[tuple[Evidence, CodeUnit]]:
    """Each definition at its best hit, with its signature; what defines nothing as it is."""
    read = [(hit, code_unit(hit)) for hit in hits]
    parts = {hit.document.id for hit, unit in read if _is_part(hit, unit)}
    blocks = blocks_of(parts) if parts else {}
    found: dict[tuple[str, object], tuple[Evidence, CodeUnit]] = {}
    for hit, unit in read:
        part = _is_part(hit, unit)
        whole = _whole_of(hit, unit, blocks.get(hit.document.id, ())) if part else None
        key = (hit.document.id, (whole or unit).start_line)
        found.setdefault(key, (hit, whole or unit))
    written = {_name(hit, unit) for hit, unit in found.values() if not _is_overload(unit)}
    return [
        (hit, unit)
        for hit, unit in found.values()
        if not (_is_overload(unit) and _name(hit, unit) in written)
    ]


def _name(hit: Evidence, unit: CodeUnit) -> tuple[str, str]:
    return hit.document.id, unit.qualified_name


def _is_overload(unit: CodeUnit) -> bool:
    """Whether it only says one of the types of a function."""
    if unit.language == "typescript":
        return unit.unit_type in ("function", "method") and unit.text.rstrip().endswith(";")
    head = unit.text.partition("def ")[0].replace("t.", "")
    return unit.language == "python" and "@overload" in head


def _is_part(hit: Evidence, unit: CodeUnit) -> bool:
    """Whether it is inside a definition that begins in an earlier block."""
    return unit.unit_type == "code" and bool(hit.block.heading)


def _whole_of(hit: Evidence, part: CodeUnit, blocks: Sequence[Block]) -> CodeUnit | None:
    """The definition that a part is of: its signature, and this part of its body."""
    before = [each for each in blocks if each.position < hit.block.position]
    depth = len(hit.block.heading)
    # Between the head of a class and what follows its methods, there are these.
    inside = takewhile(lambda each: each.heading[:depth] == hit.block.heading, reversed(before))
    for each in inside:
        if len(each.heading) > depth:
            continue
        head = code_unit(replace(hit, block=each))
        if head.unit_type != "code":
            after = (b for b in blocks if b.position > hit.block.position)
            rest = takewhile(lambda b: b.heading == hit.block.heading, after)
            last = max([part.end_line, *(b.lines[1] for b in rest if b.lines)])
            first = hit.block.lines[0] if hit.block.lines else head.start_line
            text = f"{head.signature}\n    ...  # line {first}\n{part.signature}"
            if part.language != "python":
                text = text.replace("...  # line", "... // line", 1)
            return head.model_copy(update={"text": text, "end_line": last})
    return None


def _blocks_of(corpus: Corpus, ids: Iterable[str]) -> dict[str, list[Block]]:
    found: dict[str, list[Block]] = {}
    with corpus.index.shared_view() as view:
        for each in view.blocks_of([*ids]):
            found.setdefault(each.document_id, []).append(each)
    return {name: sorted(each, key=lambda b: b.position) for name, each in found.items()}


def _brief(unit: CodeUnit, words: frozenset[str]) -> CodeUnit:
    """Without the middle of a long docstring: what calls a function needs its signature and its body."""
    lines = unit.docstring.split("\n")
    start = unit.text.find(lines[0].strip())
    if unit.language != "python" or len(lines) <= _LONG_DOCSTRING or start < 0:
        return unit
    written = unit.text[start:].split("\n")[: len(lines)]
    paragraphs = "\n".join(written).split("\n\n")
    if len(paragraphs) < 3:
        return unit
    kept = [each for each in paragraphs[1:-1] if words and words & {*_WORDS.findall(each.lower())}]
    indentation = " " * (len(paragraphs[-1]) - len(paragraphs[-1].lstrip()))
    end = paragraphs[-1]
    if len(kept) == len(paragraphs) - 2:
        return unit
    short = "\n\n".join([paragraphs[0], *kept[:2], f"{indentation}..."])
    closing = end if end.strip() in ('"""', "'''") else f'{indentation}"""'
    whole = "\n".join(written)
    return unit.model_copy(update={"text": unit.text.replace(whole, f"{short}\n{closing}", 1)})


def _words_of(query: str) -> frozenset[str]:
    return frozenset(each for each in _WORDS.findall(query.lower()) if len(each) > _SHORT_WORD)


def _standing(unit: CodeUnit, asks_for: frozenset[str]) -> int:
    """Sources before tests before examples, unless the query asks for these; statements are last of each."""
    path = PurePosixPath(unit.file_path)
    folders = {each.lower() for each in path.parts[:-1]}
    names = {each.lower() for each in unit.qualified_name.split(".")}
    is_test = bool(folders & _TESTS or _TEST_FILE.search(path.name) or names & {"tests"})
    kind = 0
    if folders & _EXAMPLES:
        kind = 0 if asks_for & _ASKS_FOR_EXAMPLES else 2
    elif is_test:
        kind = 0 if asks_for & _ASKS_FOR_TESTS else 1
    says_little = unit.unit_type == "code" or "\n" not in unit.text.strip()
    return 2 * kind + (says_little and unit.unit_type in ("code", "impl", "module", "namespace"))
