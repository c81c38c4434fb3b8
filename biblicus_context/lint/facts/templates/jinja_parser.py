"""Parse Jinja2 with exact offsets.

Jinja2 records line numbers only. Its lexer returns every character of a template, so each token is
given its offset as its line number, and the parser copies that into the tree and into its errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from jinja2 import TemplateSyntaxError, nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser

from biblicus_context.errors import TemplateError
from biblicus_context.lint.facts.templates.jinja_walk import TemplateWalk
from biblicus_context.lint.facts.templates.parsed_template import (
    ParsedTemplate,
    TemplateMistake,
    TemplateName,
    TemplatePiece,
)
from biblicus_context.text.templates.jinja import sandbox
from biblicus_context.text.templates.placeholders import PLACEHOLDER
from biblicus_context.text.templates.syntax_wording import syntax_problem
from biblicus_context.text.templates.template import compile_template

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_AT: Final = re.compile(r" at \d+$")
_INNERMOST: Final = re.compile(r"needs to be closed is '(\w+)'")
_WORDS: Final = frozenset(
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"]
)
_Token = tuple[int, str, str]


def parse_jinja(source: str) -> ParsedTemplate:
    """Parse a template as the engine does."""
    return _read(_template, _LINE_END.sub("\n", source))


def parse_expression(source: str) -> ParsedTemplate:
    """Parse the expression of a `when:`."""
    return _read(_expression, source)


def _read(work: Callable[[str], ParsedTemplate], source: str) -> ParsedTemplate:
    try:
        return work(source)
    except TemplateSyntaxError as error:
        mistake = _mistake(error, source)
    except RecursionError:
        problem = "the template cannot be parsed: it is nested too deeply"
        mistake = TemplateMistake("syntax", 0, problem)
    return ParsedTemplate(mistakes=(mistake,), has_jinja=True)


def _template(source: str) -> ParsedTemplate:
    tree = _parser(_with_placeholders(_tokens(source))).parse()
    finds = TemplateWalk()
    pieces = [*_pieces(tree, finds)]
    if finds.is_unusual and not finds.mistakes:
        finds.mistakes += _of_the_engine(source)
    return _reading(finds, tuple(_without_own_names(piece, finds) for piece in pieces))


def _expression(source: str) -> ParsedTemplate:
    parser = _parser(_tokens(source, state="variable"))
    expression = parser.parse_expression()
    if not parser.stream.eos:
        raise TemplateSyntaxError("chunk after expression", parser.stream.current.lineno)
    finds = TemplateWalk()
    finds.look_through(expression)
    return _reading(finds, ())


def _parser(tokens: Iterable[_Token]) -> Parser:
    parser = Parser(sandbox(), "")
    parser.stream = TokenStream(sandbox().lexer.wrap(tokens), None, None)
    return parser


def _tokens(source: str, state: str | None = None) -> Iterator[_Token]:
    """The tokens with their offsets; errors of the lexer get one, too."""
    end = 0
    try:
        for _, kind, value in sandbox().lexer.tokeniter(source, None, None, state):
            start = source.index(value, end)  # tokens lack the white space that "-" strips
            end = start + len(value)
            yield start, kind, value
    except TemplateSyntaxError as error:
        raise TemplateSyntaxError(_AT.sub("", error.message or ""), end) from None


def _with_placeholders(tokens: Iterable[_Token]) -> Iterator[_Token]:
    """The tokens; each placeholder between the tags becomes the tokens of an expression."""
    raw = False
    for start, kind, value in tokens:
        raw = kind == "raw_begin" or (raw and kind != "raw_end")
        if kind != "data" or raw or "{" not in value:
            yield start, kind, value
            continue
        end = 0
        for match in PLACEHOLDER.finditer(value):
            if match.start() > end:
                yield start + end, "data", value[end : match.start()]
            yield from _of_placeholder(start + match.start(), match[1])
            end = match.end()
        if end < len(value):
            yield start + end, "data", value[end:]


def _of_placeholder(at: int, path: str) -> Iterator[_Token]:
    first, *rest = path.split(".")
    if first in _WORDS:
        problem = f"'{first}' is a word of the template language and cannot be a name"
        raise TemplateSyntaxError(problem, at)
    yield at, "variable_begin", "{{"
    yield at, "name", first
    for part in rest:
        yield at, "operator", "["
        yield (at, "integer", str(int(part))) if part.isdecimal() else (at, "string", f"'{part}'")
        yield at, "operator", "]"
    yield at, "variable_end", "}}"


def _reading(finds: TemplateWalk, pieces: tuple[TemplatePiece, ...]) -> ParsedTemplate:
    uses = finds.public_uses()
    mistakes = (*finds.mistakes, *finds.hidden_names(uses))
    return ParsedTemplate(
        pieces=pieces,
        uses=tuple(sorted(uses, key=_offset)),
        mistakes=tuple(sorted(mistakes, key=_offset)),
        guards=frozenset(finds.guards),
        looped=frozenset(finds.looped),
        filtered=frozenset(finds.filtered),
        has_jinja=True,
    )


def _offset(found: TemplateName | TemplateMistake) -> int:
    return found.offset


def _pieces(tree: nodes.Template, finds: TemplateWalk) -> Iterator[TemplatePiece]:
    """Fixed text is only what is outside every condition and loop."""
    for node in tree.body:
        parts = node.nodes if isinstance(node, nodes.Output) else [node]
        for part in parts:
            if isinstance(part, nodes.TemplateData):
                yield TemplatePiece(part.lineno, part.data)
                continue
            before = len(finds.uses)
            finds.look_through(part)
            if isinstance(node, nodes.Output):
                finds.note_written(part)
            yield TemplatePiece(
                part.lineno, uses=tuple(finds.uses[before:]), filters=_filters(part)
            )


def _without_own_names(piece: TemplatePiece, finds: TemplateWalk) -> TemplatePiece:
    if not piece.uses or not finds.assigned:
        return piece
    given = (use for use in piece.uses if use.first not in finds.assigned)
    return piece._replace(uses=tuple(given))


def _filters(node: nodes.Node) -> frozenset[str]:
    names = set()
    while isinstance(node, nodes.Filter) and node.node is not None:
        names.add(node.name)
        node = node.node
    return frozenset(names)


def _mistake(error: TemplateSyntaxError, source: str) -> TemplateMistake:
    message = error.message or ""
    offset = min(error.lineno, len(source))
    unclosed = _INNERMOST.search(message)
    if unclosed and message.startswith("Unexpected end"):
        offset = _last_opened(source, unclosed[1], offset)
    said, fix = syntax_problem(message)
    problem = f"the template cannot be parsed: {said}"
    return TemplateMistake("syntax", offset, problem, fix=fix)


def _of_the_engine(source: str) -> list[TemplateMistake]:
    """The error of the engine's compiler, for statements that are too rare to check here."""
    try:
        compile_template(source)
    except TemplateError as error:
        line = int((error.place or "line 1").removeprefix("line "))
        offset = sum(len(each) + 1 for each in source.split("\n")[: line - 1])
        return [TemplateMistake("syntax", offset, error.problem)]
    return []


def _last_opened(source: str, tag: str, otherwise: int) -> int:
    """The offset of the innermost unclosed tag of this name."""
    opened: list[int] = []
    for match in re.finditer(rf"\{{%[-+]?\s*(end)?{tag}\b", source):
        if not match[1]:
            opened.append(match.start())
        elif opened:
            opened.pop()
    return opened[-1] if opened else otherwise
