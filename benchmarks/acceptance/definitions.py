"""`python -m benchmarks.acceptance.definitions FOLDER`: definitions of real code that an index knows, next to a parser.

The parsers are the wheels of tree-sitter, which the package does not need: `pip install tree-sitter
tree-sitter-java tree-sitter-go tree-sitter-rust tree-sitter-c-sharp tree-sitter-cpp tree-sitter-php
tree-sitter-typescript`, or `--parsers` with a folder of them. Counted are functions, methods and types that
are not inside of a function, each found if a block begins there under its name, and written with its
signature. The code is whatever is in the folder.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context.corpora import Evidence
from biblicus_context.ingest import Content
from biblicus_context.ingest.readers.code import read_code
from biblicus_context.stores import Block, Document
from biblicus_context.systems.learning import code_unit

_LARGEST: Final = 200_000
_METHODS: Final = {"method_declaration", "constructor_declaration"}
_TYPES: Final = {"class_declaration", "interface_declaration", "enum_declaration"}


class Language(NamedTuple):
    """Where its parser is, and what it calls definitions."""

    module: str
    name: str
    definitions: frozenset[str]
    functions: frozenset[str] = frozenset()


_CPP: Final = Language(
    "tree_sitter_cpp",
    "language",
    frozenset({"function_definition", "class_specifier", "struct_specifier", "enum_specifier"}),
    frozenset({"function_definition", "lambda_expression"}),
)
LANGUAGES: Final = {
    "ts": Language(
        "tree_sitter_typescript",
        "language_typescript",
        frozenset(
            {*_TYPES, "function_declaration", "abstract_class_declaration", "method_definition"}
            | {"type_alias_declaration", "internal_module"}
        ),
        frozenset(
            {"function_declaration", "method_definition", "arrow_function", "function_expression"}
        ),
    ),
    "go": Language(
        "tree_sitter_go",
        "language",
        frozenset({"function_declaration", "method_declaration", "type_spec"}),
        frozenset({"function_declaration", "method_declaration", "func_literal"}),
    ),
    "rs": Language(
        "tree_sitter_rust",
        "language",
        frozenset(
            {"function_item", "struct_item", "enum_item", "trait_item", "impl_item", "mod_item"}
        ),
        frozenset({"function_item", "closure_expression"}),
    ),
    "java": Language(
        "tree_sitter_java",
        "language",
        frozenset({*_TYPES, *_METHODS, "annotation_type_declaration", "record_declaration"}),
        frozenset({*_METHODS, "lambda_expression"}),
    ),
    "cs": Language(
        "tree_sitter_c_sharp",
        "language",
        frozenset({*_TYPES, *_METHODS, "struct_declaration", "record_declaration"}),
        frozenset({*_METHODS, "lambda_expression", "local_function_statement"}),
    ),
    "cpp": _CPP,
    "h": _CPP,
    "php": Language(
        "tree_sitter_php",
        "language_php",
        frozenset({*_TYPES, "trait_declaration", "method_declaration", "function_definition"}),
        frozenset({"method_declaration", "function_definition", "anonymous_function"}),
    ),
}


class Expected(NamedTuple):
    """What a parser found: a name, and its line from 1."""

    name: str
    line: int


class Counted(NamedTuple):
    """Definitions of a language, and how many of them are known."""

    files: int
    all: int
    found: int
    signed: int
    missed: tuple[str, ...]


def measured(ending: str, files: list[Path]) -> Counted:
    """The definitions of these files."""
    language = LANGUAGES[ending]
    parser = _parser(language)
    total, found, signed, read, missed = 0, 0, 0, 0, list[str]()
    for path in files:
        data = path.read_bytes()
        tree = parser.parse(data)
        if tree.root_node.has_error:  # the parser is not sure itself: macros of C++
            continue
        read += 1
        expected = [*_expected(tree.root_node, language, data)]
        known = [*_units(path, data)]
        for each in expected:
            unit = next((e for e in known if e[0] == each.name and e[1] <= each.line <= e[2]), None)
            total += 1
            found += unit is not None
            signed += unit is not None and each.name in unit[3]
            if unit is None or each.name not in unit[3]:
                missed.append(f"{path}:{each.line} {each.name}")
    return Counted(read, total, found, signed, tuple(missed))


def _parser(language: Language) -> Any:
    tree_sitter = import_module("tree_sitter")
    made = getattr(import_module(language.module), language.name)()
    return tree_sitter.Parser(tree_sitter.Language(made))


def _expected(
    node: Any, language: Language, data: bytes, *, inside: bool = False
) -> Iterator[Expected]:
    for each in node.children:
        is_definition = each.type in language.definitions or _is_arrow(each)
        name = _name(each, data) if is_definition and not inside else None
        if name is not None and _has_body(each):
            text = data[name.start_byte : name.end_byte].decode(errors="replace")
            yield Expected(_bare(text), name.start_point[0] + 1)
        deeper = inside or each.type in language.functions
        yield from _expected(each, language, data, inside=deeper)


def _is_arrow(node: Any) -> bool:
    if node.type not in ("variable_declarator", "public_field_definition"):
        return False
    value = node.child_by_field_name("value")
    return value is not None and value.type in ("arrow_function", "function_expression")


def _name(node: Any, data: bytes) -> Any:
    del data
    if node.type == "impl_item":
        return node.child_by_field_name("type")
    found = node.child_by_field_name("declarator")
    if node.type != "function_definition" or found is None:
        return node.child_by_field_name("name")
    while found is not None and found.type != "function_declarator":
        inner = found.child_by_field_name("declarator")
        found = inner or next((e for e in found.children if "declarator" in e.type), None)
    return None if found is None else found.child_by_field_name("declarator")


def _has_body(node: Any) -> bool:
    if node.type in ("class_specifier", "struct_specifier", "enum_specifier", "mod_item"):
        return node.child_by_field_name("body") is not None
    return True


def _bare(name: str) -> str:
    """The last part of a name, as it is written without parameters of types."""
    if name.startswith("operator") or "::operator" in name:
        return f"operator{name.rpartition('operator')[2].strip()}"
    short = name.split("<", maxsplit=1)[0].rpartition("::")[2]
    return short.strip().lstrip("*&'[").rstrip("]").rpartition(" ")[2]


def _units(path: Path, data: bytes) -> Iterator[tuple[str, int, int, str]]:
    """Each block of a file that defines something: its name, its lines and its signature."""
    document = Document(id=path.name, kind="code", path=path.name)
    for number, section in enumerate(
        read_code(Content(path.name, data, datetime.now(UTC))).sections
    ):
        first = section.first_line or 1
        last = first + section.text.count("\n")
        block = Block(
            id=str(number), document_id=path.name, position=number, text=section.text,
            tokens=1, heading=section.heading, lines=(first, last),
        )  # fmt: skip
        unit = code_unit(Evidence(block, document, 1.0, {}))
        if section.heading:
            name = section.heading[-1]
            own = name if name.startswith("operator") else name.rpartition("::")[2]
            signature = "" if unit.unit_type == "code" else unit.signature
            yield own.rpartition(".")[2] or own, first, last, signature


def main() -> None:
    """Print a line for each language; the exit status is 1 if 5 % of one are missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.acceptance.definitions")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=100, help="up to so many of each language")
    parser.add_argument("--parsers", type=Path, help="a folder with the wheels of tree-sitter")
    parser.add_argument("--verbose", action="store_true", help="name what is missed")
    given = parser.parse_args()
    if given.parsers:
        sys.path.insert(0, str(given.parsers))
    is_short = False
    for ending in LANGUAGES:
        found = sorted(given.folder.rglob(f"*.{ending}"))
        files = [e for e in found if not e.name.endswith(".d.ts") and e.stat().st_size < _LARGEST]
        random.Random(7).shuffle(files)
        counted = measured(ending, files[: given.files])
        if not counted.all:
            continue
        share = 100 * counted.signed / counted.all
        is_short = is_short or share < 95
        print(
            f"{ending:5}{counted.files:5} files{counted.all:6} definitions{counted.found:6} found"
            f"{counted.signed:6} with signature {share:6.1f} %"
        )
        if given.verbose:
            print(*(f"     {each}" for each in counted.missed), sep="\n")
    raise SystemExit(int(is_short))


if __name__ == "__main__":
    main()
