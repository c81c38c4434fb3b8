"""What each filter of a template may cost: counted before it runs, by what it does to its arguments.

A filter without a price does not exist in templates. Most read all of their value, and write at most
a few times as much. The others multiply what they get, or only pass items on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import wraps
from typing import Any, Final, TypeAlias

from biblicus_context.text.templates.render_limits import (
    ITEM,
    spend,
    spend_on,
    spend_on_items,
    spending,
)
from biblicus_context.text.templates.values import as_text

Price: TypeAlias = Callable[..., None]
"""Takes the arguments of a filter, and counts what it will read and write."""

LARGEST_NUMBER: Final = 1_000
"""A filter that writes as much as a number says takes no larger one."""
_SLOW: Final = 10
"""How many times as long as others `wordwrap`, `urlize` and `pprint` take for a character."""
_CONVERSION: Final = re.compile(
    r"%(?:\([^()]*\))?[-#0 +]*[0-9]{0,3}(?:\.[0-9]{0,3})?[hlL]?[diouxXeEfFgGcrsa%]"
)
_SHORT: Final = (str, int, float, type(None))
"""Values that are compared at once."""
_RUN: Final = re.compile(r"\s+|\S+")


class RefusedNumberError(Exception):
    """A number or a format with which a filter would write without bound."""

    fix: Final = None


def _flat(*_: Any, **__: Any) -> None:
    spend(ITEM)


def _items(value: Any, *_: Any, **__: Any) -> None:
    spend_on_items(value)


def _all(value: Any, *others: Any, **named: Any) -> None:
    for each in (value, *others, *named.values()):
        spend_on(each)


def _text(value: Any) -> str:
    """A value as filters take it, once all that it holds is counted."""
    spend_on(value)
    return as_text(value)


def _join(value: Any, d: Any = "", attribute: Any = None) -> None:
    spend_on(value)
    spend(_length(value) * len(_text(d)))


def _replace(s: Any, old: Any, new: Any, count: Any = None) -> None:
    spend(_text(s).count(_text(old)) * len(_text(new)))


def _indent(s: Any, width: Any = 4, *_: Any, **__: Any) -> None:
    filling = len(width) if isinstance(width, str) else _number(width)
    spend((1 + len(_text(s).splitlines())) * filling)


def _wordwrap(s: Any, width: Any = 79, *others: Any, wrapstring: Any = None, **__: Any) -> None:
    wrapstring = others[1] if others[1:] else wrapstring  # `break_long_words` comes before it
    text, width = _text(s), max(1, _number(width))
    spend((_SLOW - 1) * len(text))
    spend((1 + len(text.splitlines()) + 2 * len(text) // width) * len(_text(wrapstring)))
    # It cuts the beginning off a long word, or off many spaces, and copies the rest, for each line.
    longest = max((match.end() - match.start() for match in _RUN.finditer(text)), default=0)
    spend(longest**2 // (1_000 * width))


def _center(value: Any, width: Any = 80) -> None:
    _all(value)
    spend(_number(width))


def _rows(value: Any, number: Any, fill_with: Any = None) -> None:
    spend_on_items(value)
    spend(ITEM * _number(number))


def _round(value: Any, precision: Any = 0, method: Any = "common") -> None:
    spend(ITEM + _number(precision))


def _urlize(value: Any, *others: Any, **named: Any) -> None:
    text = _text(value)
    spend((_SLOW - 1) * len(text))
    each = sum(len(_text(other)) for other in (*others, *named.values()))
    spend(len(text.split()) * each)  # it may write all of them at each address


def _json(value: Any, indent: Any = None) -> None:
    spend_on(value)
    spend(_cells(value) * (0 if indent is None else _number(indent)))


def _pprint(value: Any) -> None:
    spend_on(value)
    spend((_SLOW - 1) * len(value) if isinstance(value, str) else 0)
    spend(_SLOW * ITEM * _cells(value))


def _sum(iterable: Any, attribute: Any = None, start: Any = 0) -> None:
    spend_on(iterable)
    spend_on(start)
    if not isinstance(start, int | float):  # lists: each sum is copied again
        for _ in range(_length(iterable)):
            spend_on(iterable)


def _format(value: Any, *args: Any, **kwargs: Any) -> None:
    conversions = _conversions(_text(value))
    for _ in range(conversions):
        _all(*args, **kwargs)


def _number(value: Any) -> int:
    if isinstance(value, int | float) and abs(value) > LARGEST_NUMBER:
        raise RefusedNumberError(f"a filter's number may be {LARGEST_NUMBER} at most")
    return abs(int(value)) if isinstance(value, int | float) else 0


def _length(value: Any) -> int:
    return len(value) if isinstance(value, Mapping | Sequence | Set) else 0


def _cells(value: Any, depth: int = 1) -> int:
    """The sum of the depths of all that a value holds: what indenting writes, or asking again reads."""
    total, waiting = 0, [(value, depth)]
    while waiting:
        each, deep = waiting.pop()
        total += deep
        if isinstance(each, Mapping):
            waiting += ((item, deep + 1) for item in each.values())
        elif isinstance(each, Sequence | Set) and not isinstance(each, str | bytes):
            waiting += ((item, deep + 1) for item in each)
    return total


def _conversions(pattern: str) -> int:
    """How many values a format writes; no other signs may follow '%'."""
    at = count = 0
    while (at := pattern.find("%", at)) >= 0:
        found = _CONVERSION.match(pattern, at)
        if found is None:
            raise RefusedNumberError(
                "a width in a format may have three digits at most, and '%' must begin a conversion"
            )
        at, count = found.end(), count + 1
    return count


PRICES: Final[Mapping[str, Price]] = {
    **dict.fromkeys(("default", "d", "attr", "length", "count", "first", "last", "safe"), _flat),
    **dict.fromkeys(("map", "select", "reject", "selectattr", "rejectattr", "items"), _flat),
    **dict.fromkeys(("list", "reverse"), _items),
    **dict.fromkeys(("sort", "dictsort", "groupby", "unique", "min", "max", "xmlattr"), _all),
    **dict.fromkeys(("upper", "lower", "title", "capitalize", "trim", "truncate", "string"), _all),
    **dict.fromkeys(("e", "escape", "forceescape", "striptags", "urlencode", "wordcount"), _all),
    **dict.fromkeys(("abs", "int", "float", "filesizeformat"), _all),
    **dict.fromkeys(("batch", "slice"), _rows),
    "center": _center,
    "format": _format,
    "indent": _indent,
    "join": _join,
    "pprint": _pprint,
    "replace": _replace,
    "round": _round,
    "sum": _sum,
    "tojson": _json,
    "urlize": _urlize,
    "wordwrap": _wordwrap,
}
_LAZY: Final = ("map", "select", "reject", "selectattr", "rejectattr", "default", "d", "first")


def priced(name: str, filter_: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, which counts what it reads before it runs, and what it returns."""
    price = PRICES[name]
    first = 1 if hasattr(filter_, "jinja_pass_arg") else 0  # Jinja2's own argument comes before

    @wraps(filter_)
    def run(*args: Any, **kwargs: Any) -> Any:
        own, (value, *others) = args[:first], args[first:]
        if type(value) is not str and name not in _LAZY and isinstance(value, Iterator):
            value = [*spending(value)]
        price(value, *others, **kwargs)
        return _counted(filter_(*own, value, *others, **kwargs))

    return run


def _counted(result: Any) -> Any:
    if isinstance(result, str):
        spend(len(result))
    elif isinstance(result, Iterator):
        return spending(result)
    else:
        spend_on_items(result)
    return result


def formatted(value: object, *args: object, **kwargs: object) -> str:
    """The `format` filter, and the operator `%` of texts."""
    values = args[0] if len(args) == 1 and isinstance(args[0], Mapping) else args
    return as_text(value) % (kwargs or values)


def compared(left: Any, right: Any) -> None:
    """Count what comparing two values reads."""
    if isinstance(left, str) and isinstance(right, str):
        spend(ITEM + min(len(left), len(right)))
    elif isinstance(left, _SHORT) or isinstance(right, _SHORT):
        spend(ITEM)
    else:
        spend_on(left)


def searched(item: Any, container: Any) -> None:
    """Count what searching a value in a text or a list reads."""
    if isinstance(container, str):
        spend(ITEM + len(container))
        return
    spend_on_items(container)
    if not isinstance(item, _SHORT):
        spend_on(container)
        spend_on(item)
