"""Where classes and functions begin, guessed from lines: for languages without a parser here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError


class Unit(NamedTuple):
    """A class, a function or a method: its first line, its names from the outside in, its docstring."""

    first: int
    path: tuple[str, ...]
    summary: str


_LONGEST: Final = 1_000
"""Characters of a line that are read; definitions are shorter."""
_MOST_LINES: Final = 40
"""Lines of a signature that are read."""
_MODIFIER: Final = (
    r"(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"|unsafe|extern|inline|override|sealed|data|open|suspend|local|virtual|const|declare|partial"
    r"|readonly|explicit|constexpr|friend|required|new|get|set|fileprivate|mutating|actual|expect)"
)
_DEFINES: Final = re.compile(
    rf"(?:{_MODIFIER}(?:\([^)]*\))?\s+|extern\s+\"[^\"]*\"\s+|template\s*<[^>]*>\s*)*+"
    r"(class|struct|enum|@?interface|trait|impl|module|mod|namespace|object|record|union|protocol"
    r"|extension|actor|macro_rules|type|fn|func|fun|function|def|sub)\b(?:!|\s+(?:class|struct)\b)?[\s*&]*"
)
_NAMED: Final = re.compile(r"(?:[<(][^>)]*[>)]\s*)?([\w$.]+(?:::[\w$.~]+)*)?")
_HOLDING: Final = frozenset(
    {"class", "struct", "enum", "interface", "trait", "impl", "module", "mod", "namespace"}
    | {"object", "record", "union", "protocol", "extension", "actor"}
)
"""Definitions that contain other definitions."""
_RECEIVER: Final = re.compile(r"\(\s*(?:\w+\s+)?\*?\s*([\w.]+)(?:\[[^\]]*\])?\s*\)\s*(\w+)")
"""Of a method in Go, and its name."""
_IMPLEMENTS: Final = re.compile(
    r"(?:[\w:<>,&'\[\] ()+?-]+\s+for\s+)?[&'\w\s]*?\[?([\w:]+)\]?\s*(?:<|\{|where|$)"
)
"""The type that an `impl` of Rust is for."""
_ASSIGNED: Final = re.compile(
    rf"(?:{_MODIFIER}\s+)*+(?:(?:const|let|var)\s+)?(?:this\.|exports\.|module\.exports\.)?"
    r"([\w$#]+)(?:\s*[?!]?\s*:[^=]*?(?:=>[^=]*?)?)?\s*=\s*(?:async\b\s*)?"
    r"(function\b|fn\b|(?:<[^>]*>\s*)?\(|[\w$]+\s*=>)"
)
"""A function that a name stands for: its arrow is looked for after the brackets."""
_TYPED: Final = re.compile(r"[\w<>\[\]*&:,~?$@. \t#]*")
_OPERATOR: Final = re.compile(r"\boperator\s*([^\w\s(]{1,3}|\(\)|\[\]|new|delete|bool)\s*(?=\()")
_NAME: Final = re.compile(r"[\w$~#]+")
_LAST_NAME: Final = re.compile(r"([\w$~#]+)\s*$")
_TAIL: Final = re.compile(r"[\w\s:<>,.\[\]|&*?()~'\"={}/!+-]*?(\{|=>)")
"""From the brackets of a definition to its body: types, what it throws, initialisers."""
_MADE: Final = re.compile(r"[\s\w&]*=\s*(?:default|delete|0)\s*$")
"""What stands for a body in C++."""
_INITIALISED: Final = re.compile(r"[\s\w]*\n\s*:\s*[\w:]+\s*[({<]")
"""The first initialiser of a constructor in C++, on a line of its own."""
_DECLARED: Final = re.compile(r"[\w\s:<>,.\[\]?&*()]*$")
"""From the brackets of a declaration to its `;`: what it returns or throws."""
_BODILESS: Final = re.compile(r"(?:\w+\s+)*(?:abstract|native|extern)\s")
_COMMENT: Final = re.compile(r"(?:/\*(?:[^*]|\*(?!/)){0,80}\*/\s*)+(?=\S)")
"""In front of what is defined: `/* package */ class Clock`."""
_STATEMENTS: Final = frozenset(
    {"if", "else", "elif", "for", "foreach", "while", "until", "do", "switch", "match", "case"}
    | {"return", "try", "catch", "except", "finally", "with", "using", "lock", "synchronized"}
    | {"throw", "await", "yield", "sizeof", "print", "assert", "unless", "loop", "delete", "go"}
    | {"defer", "select", "guard", "fixed", "checked", "unchecked", "typeof", "when", "super"}
)
_NOT_FIRST: Final = _STATEMENTS | {"new"}
_ENDS: Final = frozenset({";", ",", ")", ".", "+", "?", ""})
_NAMED_ANYWAY: Final = frozenset({"delete", "print", "assert"})
"""Methods have these names, and no statement that begins with them has a body."""
_NO_NAMES: Final = frozenset(
    {"func", "function", "fn", "lambda", "async", "new", "this", "import", "const", "var", "let"}
    | {"pub", "use", "type", "mod", "extern", "export", "static", "public", "private", "protected"}
    | {"internal", "abstract", "override", "virtual", "readonly", "unsafe", "inline", "crate"}
    | {"__attribute__", "__declspec", "alignas", "decltype", "explicit"}
)
_OF_FUNCTIONS: Final = frozenset({"fn", "func", "fun", "function", "def", "sub"})
_COMMENTS: Final = ("#", "//", "/*", "*", "--", "@")
_ANNOTATION: Final = re.compile(r"\s*\[\w[\w.:]*(?:\(.*\))?\]\s*$")
"""Above a definition of C#."""
_NOT_A_START: Final = frozenset(")}][#/*-@?:,.|+=!<\"'`;%^")
_STARTS: Final = re.compile(r"#\w+\s*\(|\[\[")
"""A private method of JavaScript, and an attribute of C++."""
_QUALIFIED: Final = re.compile(r"((?:\w+(?:<[^<>]*>)?::)*)~?\w+\s*$")


class Definition(NamedTuple):
    """What a line defines: its name, and the word for its kind if the language has one."""

    line: int
    name: str
    keyword: str


class _Open(NamedTuple):
    indentation: int
    name: str
    holds: bool
    declares: bool
    """Whether methods inside have no body."""


def by_indentation(lines: Sequence[str]) -> Iterator[Unit]:
    """Definitions in the first column, and those directly inside a class, a module and so on."""
    opened: list[_Open] = []
    last = 0
    for number, line in enumerate(lines, 1):
        indentation = len(line) - len(line.lstrip())
        inside = next((e for e in reversed(opened) if e.indentation < indentation), None)
        found = _definition(lines, number - 1, declared=inside is not None and inside.declares)
        if found is None:
            continue
        while opened and opened[-1].indentation >= indentation:
            opened.pop()
        if (indentation and not opened) or not all(each.holds for each in opened):
            continue
        keyword = found.keyword
        opened.append(_Open(indentation, found.name, keyword in _HOLDING, keyword == "interface"))
        yield Unit(max(with_comments(lines, number), last + 1), _path(opened), "")
        last = number


@door
def definitions(lines: Sequence[str], *, declared: bool = False) -> Iterator[Definition]:
    """Every line that defines something, wherever it is; the first line is 0.

    With `declared` also methods without a body, as those of an interface: an expression may look like one.

    >>> [each.name for each in definitions(["class Clock:", "    def now(self):", "        pass"])]
    ['Clock', 'now']
    """
    for number in range(len(lines)):
        if found := _definition(lines, number, declared=declared):
            yield found


@door
def with_comments(lines: Sequence[str], first: int) -> int:
    """The line of the first comment directly above."""
    if first > len(lines) + 1:
        raise InputError(f"there are {len(lines)} lines", place="first", found=first)
    while first > 1 and (
        lines[first - 2].lstrip().startswith(_COMMENTS)
        or _ANNOTATION.match(lines[first - 2][:_LONGEST])
    ):
        first -= 1
    return first


def _path(opened: Sequence[_Open]) -> tuple[str, ...]:
    return tuple(each.name for each in opened)


def _definition(lines: Sequence[str], number: int, *, declared: bool = False) -> Definition | None:
    """What a line defines; `declared`: also a method without a body, as in an interface."""
    bare = _COMMENT.sub("", lines[number][:_LONGEST].lstrip(), count=1)
    if not bare or (bare[0] in _NOT_A_START and not _STARTS.match(bare)):
        return None
    bare = re.sub(r"^\[\[[^\]]*\]\]\s*", "", bare)
    found = _by_keyword(bare) or _assigned(lines, number, bare)
    found = found or _called(lines, number, bare, declared=declared)
    return Definition(number, *found) if found else None


def _by_keyword(line: str) -> tuple[str, str] | None:
    """The name after a word such as `class`, and this word."""
    word = _DEFINES.match(line)
    if word is None:
        return None
    rest, keyword = line[word.end() :], word[1].lstrip("@")
    method = _RECEIVER.match(rest) if keyword == "func" else None
    if method:
        return f"{method[1].rpartition('.')[2]}.{method[2]}", keyword
    if keyword == "impl":
        found = _IMPLEMENTS.match(_without_angles(rest))
        return (found[1].rpartition("::")[2], keyword) if found else None
    named = _NAMED.match(rest)
    name = named[1] if named else None
    is_other = named is None or _is_no_definition(keyword, rest, rest[named.end() :].lstrip())
    is_statement = name in _STATEMENTS and keyword not in _OF_FUNCTIONS
    return None if not name or is_statement or is_other else (name, keyword)


def _is_no_definition(keyword: str, rest: str, after: str) -> bool:
    if keyword in {"namespace", "mod", "module"} and rest.rstrip().endswith(";"):
        return True  # of the whole file, or of another one
    # A variable may be called `type` or `record`.
    return after.startswith(("=>", ".", "==")) or (after[:1] == "=" and keyword != "type")


def _without_angles(text: str) -> str:
    """The text without a list of parameters in front."""
    if not text.startswith("<"):
        return text
    depth = 0
    for at, mark in enumerate(text):
        depth += (mark == "<") - (mark == ">" and text[at - 1] != "-")
        if depth == 0:
            return text[at + 1 :].lstrip()
    return text


def _assigned(lines: Sequence[str], number: int, line: str) -> tuple[str, str] | None:
    """The name that a function is assigned to."""
    found = _ASSIGNED.match(line)
    if found is None or found[1] in _STATEMENTS:
        return None
    if found[2] in ("function", "fn") or found[2].endswith("=>"):
        return found[1], "function"
    tail = _after_brackets(lines, number, line, found.end() - 1)
    after = re.match(r"\s*(?::[^=;{]*(?:\{[^}]*\}[^=;{]*)?)?=>", tail) if tail is not None else None
    return (found[1], "function") if after else None


def _called(
    lines: Sequence[str], number: int, line: str, *, declared: bool
) -> tuple[str, str] | None:
    """The name before brackets that a body follows: types and modifiers may be before it."""
    operator = _OPERATOR.search(line)
    at = operator.end() if operator else _bracket_of(line)
    head = line[: operator.start() if operator else max(at, 0)]
    bare = _without_parameters(head)
    names = _NAME.findall(bare)
    name = f"operator{operator[1]}" if operator else names[-1] if names else ""
    if not name or not (operator or bare.rstrip().endswith(name)):
        return None
    if not _TYPED.fullmatch(re.sub(r"\([^()]*\)", "", bare)):
        return None
    if name.isdecimal() or not _may_be_first(names, name):
        return None
    tail = _after_brackets(lines, number, line, at)
    if " ? " in head:  # of two values
        return None
    if not _is_followed_by_body(tail, names, declared=declared or bool(_BODILESS.match(line))):
        return None
    outer = _QUALIFIED.search(head)
    qualifier = re.sub(r"<[^<>]*>", "", outer[1]) if outer else ""
    return f"{qualifier}{name}", ""


def _may_be_first(names: Sequence[str], name: str) -> bool:
    first = {*names[:1]} - {name} - {"synchronized"}
    own = set[str]() if name in _NAMED_ANYWAY else {name}
    return not (first | own) & _NOT_FIRST


def _is_followed_by_body(tail: str | None, names: Sequence[str], *, declared: bool) -> bool:
    """Whether a body, or what stands for one, is after the brackets of a signature."""
    if tail is None:
        return False
    if _MADE.match(tail) or _INITIALISED.match(tail):
        return True
    if declared and len(names) > 1 and _DECLARED.match(tail):
        return True
    body = _TAIL.match(tail) if tail and tail.lstrip()[:1] not in _ENDS else None
    return body is not None and (body[1] != "=>" or len(names) > 1)


def _bracket_of(line: str) -> int:
    """Where the brackets of a signature open: after a name, and not inside of a type; -1: nowhere."""
    depth = 0
    for mark in re.finditer(r"[<>()]|->|=>", line):
        at = mark.start()
        if mark[0] == "(" and depth == 0:
            name = _LAST_NAME.search(_without_parameters(line[:at]))
            if name and name[1] not in _NO_NAMES:
                return at
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(mark[0], 0)
        if depth < 0:
            return -1
    return -1


def _without_parameters(head: str) -> str:
    """What is before a list of parameters of types that ends it: `first<T = Map<K, V>>`."""
    bare = head.rstrip()
    if not bare.endswith(">"):
        return head
    depth = 0
    for at in range(len(bare) - 1, -1, -1):
        depth += (bare[at] == ">") - (bare[at] == "<")
        if depth == 0:
            return bare[:at]
    return head


def _after_brackets(lines: Sequence[str], number: int, line: str, at: int) -> str | None:
    """What follows the brackets that open at an offset of a line, up to a `;`; None if none do."""
    depth, start = 0, at
    for ahead in range(_MOST_LINES):
        for mark in re.finditer(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//.*|[()]", line[start:]):
            depth += (mark[0] == "(") - (mark[0] == ")")
            if depth == 0 and mark[0] == ")":
                return _to_statement_end(lines, number + ahead, line[start + mark.end() :])
        if number + ahead + 1 >= len(lines):
            return None
        line, start = lines[number + ahead + 1][:_LONGEST], 0
    return None


def _to_statement_end(lines: Sequence[str], number: int, rest: str) -> str:
    """The rest of a signature: it ends with a `{` or a `;`, or a few lines further on."""
    for ahead in range(1, 5):
        cut = re.match(r"[^;{]*(?:[;{]|=>)", rest)
        if cut or number + ahead >= len(lines):
            break
        rest = f"{rest}\n{lines[number + ahead][:_LONGEST]}"
    end = rest.find(";")
    return rest if end < 0 or "{" in rest[:end] or "=>" in rest[:end] else rest[:end]
