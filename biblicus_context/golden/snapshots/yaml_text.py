"""Values as YAML that people like to review: long texts as lines, the same bytes every time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Plain: TypeAlias = "str | int | float | bool | Sequence[Plain] | Mapping[str, Plain] | None"

_INDENT = "  "
_SAFE_WORD = re.compile(r"[A-Za-z_][\w ./()+-]*(?<! )", re.ASCII)
_SPOKEN_FOR = re.compile(r"(?:null|true|false|yes|no|on|off|y|n)", re.IGNORECASE)
# What editors take off or readers of YAML refuse must be visible, so such a text is quoted.
_NOT_AS_LINES = re.compile(
    "[ \t](?:\n|$)|[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    "\U00010000-\U0010ffff]"
)
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def yaml_lines(value: Mapping[str, Plain]) -> Iterator[str]:
    """The lines of a mapping.

    >>> print(*yaml_lines({"role": "user", "content": "Where is it?\\nAnd when?"}), sep="\\n")
    role: user
    content: |-
      Where is it?
      And when?
    """
    for key, each in value.items():
        yield from _entry(f"{scalar(key)}:", each)


def scalar(text: str) -> str:
    """A text in one line.

    >>> print(scalar("it fits"), scalar("yes"), scalar("1"), scalar("- a: b"))
    it fits "yes" "1" "- a: b"
    """
    if _SAFE_WORD.fullmatch(text) and not _SPOKEN_FOR.fullmatch(text):
        return text
    return f'"{_escaped(text)}"'


def _entry(label: str, value: Plain) -> Iterator[str]:
    """A key or a dash with what belongs to it, in the same line where there is room for it."""
    if isinstance(value, str):
        yield from _text(label, value)
    elif isinstance(value, Mapping) and value:
        yield from _nested(label, list(yaml_lines(value)))
    elif isinstance(value, Sequence) and value:
        yield from _nested(label, [line for each in value for line in _entry("-", each)])
    elif isinstance(value, Mapping | Sequence):
        yield f"{label} {'{}' if isinstance(value, Mapping) else '[]'}"
    else:
        yield f"{label} {json.dumps(value)}"


def _nested(label: str, lines: Sequence[str]) -> Iterator[str]:
    if label == "-":
        yield f"- {lines[0]}"
        lines = lines[1:]
    else:
        yield label
    yield from (f"{_INDENT}{line}" if line else "" for line in lines)


def _text(label: str, text: str) -> Iterator[str]:
    body = text.rstrip("\n")
    if "\n" not in text:
        yield f"{label} {scalar(text)}"
    elif _NOT_AS_LINES.search(text) or not body:
        first, *more = text.split("\n")
        yield f'{label} "{_escaped(first)}\\n\\'
        for number, line in enumerate(more, 1):
            begin = "\\" if line.startswith(" ") else ""
            end = '"' if number == len(more) else "\\n\\"
            yield f"{_INDENT}{begin}{_escaped(line)}{end}"
    else:
        keep = {0: "-", 1: ""}.get(len(text) - len(body), "+")
        indented = "2" if text[0] in " \t\n" else ""
        yield f"{label} |{indented}{keep}"
        lines = text.removesuffix("\n").split("\n") if keep != "-" else body.split("\n")
        yield from (f"{_INDENT}{line}" if line else "" for line in lines)


def _escaped(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
