"""Files of one hostile shape, larger and larger: the time of every reader grows with the length alone."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from benchmarks.attacks import Extent
from benchmarks.targets import Target
from biblicus_context.ingest import ChunkSettings, Content, ReaderRegistry
from biblicus_context.ingest.conversion import Converter
from biblicus_context.ingest.links import links_of
from biblicus_context.text.counters import Counters

_LEAST: Final = 16_000
_GROWTH: Final = 4
_AT_MOST: Final = 2.2
"""How many times the time of linear growth: 1 if linear, 4 if quadratic."""
_NOISE: Final = 0.004
"""Seconds below which a time says nothing."""
_ROUNDS: Final = 5

_REPEATED: Final[Mapping[str, tuple[str, ...]]] = {
    ".html": (
        '<a b="', "<a b='", "<![CDATA[", "<![if ", "</", "</a ", "<?", "<!DOCTYPE ", "<!", "<!--",
        "<!-->", "<", "<a ", "<a/", "<a b=", "<a b= ", "<a b='x\" ", "<script>", "</script",
        "<style></style ", "<title>", "<title></title>", "<h1>", "<h1>x", "<h1>a</h1>", "<pre>\n",
        "<td>", "<svg>", "<svg></nav>", "&", "&#", "&#1", "&#x1", "&amp", "\n ", " \xa0", "<br>x",
        'href="', "= href ='",
    ),
    ".md": (
        "# a ", "# a\n", "#", "```\n", "~~~ ` ", "[", "![", "](", "](<", "[[a", "[a](b (", "a\n=",
        "---\n", "- a: ", "> ", "* a\n", "1. ", "| a ", "\n\n \n", "=\t", " href='", "`", "a. ",
    ),
    ".rst": ("=", "=\n", "a\n==\n", "===\na\n===\n", ".. _", "`a <", ":doc:`<", "_", "\n "),
    ".py": (
        "(", "def f", "class A:\n ", "# a\n", "@a\n", "def f():\n  pass\n", '"""', "f'{", "\\\n",
        "lambda:", "if 1:\n ", "a.", "-", "x = 1\n# a\n", "1", "0x", "not ",
    ),
    ".c": ("public ", "a(", "a{", "/*", "// a\n", "void f() {\n", "class A {\n ", "<", "int f(a<"),
    ".java": ("public(", "class A ", "class A<", "export(\n", "static fn ", "\tclass a\n"),
    ".sql": ("-- a\n", "create ", "'", "function f("),
    ".csv": ('"', '"",', ",", "a,b\n", 'a,"b\n', "a\n\n", ";|\t,", '""\n', "sep=,\n", " ,"),
    ".tsv": ("\t", "a\tb\n", '"\t'),
    ".jsonl": (
        "[", "{", '{"a":', "1\n", '{"text": "a"}\n', '{"role": "user", "content": "a"}\n', '"\\',
        "[]\n", '{"a": 1}\n', '{"role": "user", "content": ["a"], "session": "s"}\n',
    ),
    ".json": ("[", "{", '{"a":', '"\\u0000', "1", "-", " "),
    ".ipynb": ("[", '{"cells":', '"\\', "{}"),
    ".txt": (
        "a", "a ", " ", "\n", "\t\n", ".", "a. ", "\u0301", "\u200d", "\U0001f1e6", "\r", "\x85",
        "- ", "  \n\n", "```", "\ufffd", "!?", "a\n\n", "e\u0301\n",
    ),
}  # fmt: skip
_WRAPPED: Final[tuple[tuple[str, str, str, str], ...]] = (
    (".json", "[", "1,", "1]"),
    (".json", "[", "{},", "{}]"),
    (".json", "[" * 900, "1,", "1" + "]" * 900),
    (".json", "[", '{"text": "a", "b": [1]},', "1]"),
    (".json", "[", '{"role": "user", "content": "a"},', '{"role": "user", "content": "a"}]'),
    (".json", "[", '{"messages": [{"role": "u", "text": "a"}]},', '{"messages": []}]'),
    (".json", '[{"role": "user", "tool_calls": [', '{"name": "f"},', "1]}]"),
    (".json", '{"a": {', '"b": 1, ', '"b": 1}}'),
    (".ipynb", '{"cells": [', '{"cell_type": "code", "source": "x"},', "1]}"),
    (".ipynb", '{"cells": [{"cell_type": "code", "source": [', '"",', '""]}]}'),
    (".ipynb", '{"worksheets": [', '{"cells": []},', '{"cells": []}]}'),
    (".md", "---\n", "a: [", "\n---\n"),
    (".md", "---\n", "- ", "\n---\n"),
    (".md", "# " + "h " * 2_000 + "\n", "## a\n\nb\n\n", ""),
    (".html", "<h1>" + "h " * 2_000 + "</h1>", "<h2>a</h2>b", ""),
    (".csv", "n" * 100 + "\n", "a\n", ""),
    (".csv", 'a\n"', "x\n", '"'),
    (".py", "class A:\n", "    def f(self):\n        pass\n", ""),
    (".js", "class A {\n", "  f() {\n", "}"),
)


class Shape(NamedTuple):
    """A hostile file of any length."""

    suffix: str
    start: str
    repeated: str
    end: str = ""

    def __str__(self) -> str:
        return f"{self.suffix} {self.start[:20]!r} {self.repeated!r}"

    def content(self, size: int) -> Content:
        """The file with about this many characters."""
        middle = self.repeated * (size // len(self.repeated))
        return Content(f"a{self.suffix}", f"{self.start}{middle}{self.end}".encode(), None)


SHAPES: Final = (
    *(Shape(suffix, "", each) for suffix, some in _REPEATED.items() for each in some),
    *(Shape(*each) for each in _WRAPPED),
)


def converting(counter: str) -> Callable[[Content], object]:
    """What an ingest does with a file before it writes: read, cut, count, find links."""
    converter = Converter(ReaderRegistry(installed=False), ChunkSettings(), Counters().get(counter))
    return lambda content: (converter.convert(content, ""), links_of(content))


def growth(convert: Callable[[Content], object], shape: Shape, size: int) -> float:
    """How many times the time of linear growth a file of four times this size takes; 1 below the noise."""
    small = large = 0.0
    for rounds in range(1, _ROUNDS + 1):
        small = _least(small, _seconds(convert, shape.content(size)))
        large = _least(large, _seconds(convert, shape.content(size * _GROWTH)))
        if large < _NOISE or large < _AT_MOST * _GROWTH * small or rounds == _ROUNDS:
            break
    return 1.0 if large < _NOISE else large / (_GROWTH * small)


def _least(known: float, new: float) -> float:
    return min(known, new) if known else new


def _seconds(convert: Callable[[Content], object], content: Content) -> float:
    gc.disable()  # what it looks through is everything that lives, most of it not of this file
    try:
        began = time.process_time()
        convert(content)
        return time.process_time() - began
    finally:
        gc.enable()


def is_linear(convert: Callable[[Content], object], shape: Shape, size: int = _LEAST) -> bool:
    """Whether a file of four times the size takes about four times as long."""
    return growth(convert, shape, size) < _AT_MOST


def reader_shapes(extent: Extent) -> Iterator[Target]:
    """Every shape in four sizes in full, each compared with the fourfold; in one otherwise."""
    convert = converting("o200k_base")
    sizes = [_LEAST << doubled for doubled in range(4)] if extent.part == 1.0 else [_LEAST // 2]
    tried = [(shape, size) for shape in SHAPES for size in sizes]
    bent = sum(not is_linear(convert, shape, size) for shape, size in tried)
    yield Target("reader shapes x sizes", len(tried), "files")
    yield Target("reader shapes that grow faster than linear", bent, "files", at_most=0)
