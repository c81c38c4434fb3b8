"""Questions about properties: "open tasks that are due this week" as conditions that blocks meet.

A search finds what says the words of a question. That a task is overdue is in no text: it follows from its
date, its status and today.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from biblicus_context.stores import Document

TRACKED: Final = (
    *("todo", "to_do", "task", "subtask", "kanban_card", "card", "ticket", "issue", "bug"),
    *("db_row", "row", "database_row", "milestone", "deal", "event"),
)
"""Kinds of blocks whose properties are looked at."""
_TASKS: Final = frozenset(
    {"todo", "to_do", "task", "subtask", "kanban_card", "card", "ticket", "issue", "bug"}
)
_ROWS: Final = frozenset({"db_row", "row", "database_row"})
_NOUNS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("task", "todo", "work"), _TASKS | _ROWS),
    **dict.fromkeys(("subtask", "ticket", "issue", "bug", "card"), _TASKS | _ROWS),
    **dict.fromkeys(("row", "entry", "item", "deal", "event", "milestone"), frozenset(TRACKED)),
    "deadline": frozenset(TRACKED),
}
_DUE: Final = frozenset(
    {"due", "duedate", "dueon", "dueby", "dueat", "deadline", "finishby", "fällig"}
)
_DONE: Final = frozenset(
    {"status", "state", "stage", "done", "completed", "complete", "checked", "closed"}
)
_CLOSED: Final = frozenset(
    {"done", "completed", "complete", "closed", "cancelled", "canceled", "finished", "resolved"}
    | {
        "archived",
        "shipped",
        "released",
        "wontfix",
        "won't do",
        "won't fix",
        "merged",
        "true",
        "yes",
    }
)
_OPEN_WORDS: Final = "open|unfinished|incomplete|pending|outstanding|remaining|undone|unresolved"
_CLOSED_WORDS: Final = "done|completed|finished|closed|resolved"
_NOUN: Final = r"(?:sub-?)?(?:tasks?|to-?dos?|tickets?|issues?|bugs?|cards?|rows?|entries|items?|deals?|events?|milestones?)"
_BEFORE_NOUN: Final = r"(?:(?!(?:an?|the|new|this)\b)[\w'-]+\s+){0,3}"
_OPEN: Final = re.compile(
    rf"\b(?:{_OPEN_WORDS}|not (?:yet )?(?:{_CLOSED_WORDS}))\s+{_BEFORE_NOUN}{_NOUN}\b"
    rf"|\b{_NOUN}\s+(?:(?:that|which)\s+)?(?:is|are)?\s*(?:still\s+|not yet\s+|not\s+)?(?:{_OPEN_WORDS})\b"
    rf"|\b{_NOUN}\s+(?:(?:that|which)\s+)?(?:is|are)\s+not\s+(?:yet\s+)?(?:{_CLOSED_WORDS})\b"
    rf"|\bwhat\s+(?:is|are)\s+(?:still\s+)?(?:{_OPEN_WORDS})\b"
)
_CLOSED_ONES: Final = re.compile(
    rf"\b(?<!not )(?<!yet )(?:{_CLOSED_WORDS})\s+{_BEFORE_NOUN}{_NOUN}\b"
    rf"|\b{_NOUN}\s+(?:(?:that|which)\s+)?(?:is|are|were|have been)\s+(?:{_CLOSED_WORDS})\b"
)
_OVERDUE: Final = re.compile(
    r"\boverdue\b|\bpast (?:its |their )?(?:due|deadline)|\blate\s+" + _NOUN + r"\b|\büberfällig"
)
_WORKING: Final = re.compile(r"\bworking on\b")
_DATED: Final = re.compile(
    r"\b(?:(?:due|deadlines?)\s+(?:is\s+|are\s+|date\s+(?:is\s+)?)?"
    r"|(?:(?:has|have|needs?)\s+to|must|should)\s+(?:be\s+)?(?:do|done|finish|finished|complete|completed|ready)\s+)"
    r"(before|by|until|after|since|on|in|within|this|next|today|tomorrow|yesterday)\b\s*(.{0,40})"
)
_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY: Final = re.compile(
    rf"(?:the\s+)?(?:({'|'.join(_WEEKDAYS)})\b|"
    r"(\d{4}-\d{2}-\d{2})|(today|now)|(tomorrow)|(yesterday)"
    rf"|({'|'.join(each[:3] for each in _MONTHS)})[a-z]*\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?"
    rf"|(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?({'|'.join(each[:3] for each in _MONTHS)})[a-z]*\.?(?:,?\s+(\d{{4}}))?)"
)
_SPAN: Final = re.compile(
    r"(?:the\s+)?(?:next\s+)?(\d{1,3}|week|month|year|few)?\s*(days?|weeks?|months?)?"
)
_WRITTEN: Final = re.compile(
    r"\s*(?:(\d{4})-(\d{2})-(\d{2})|([A-Z][a-z]{2})[a-z]*\.? (\d{1,2}), (\d{4}))"
)
_MOST_VALUES: Final = 60
"""Different values of a property that a question may name; one with more is a text or a number."""
_LONGEST_VALUE: Final = 40

Test = Callable[[Mapping[str, Any]], bool]


class Condition(NamedTuple):
    """A test of the properties of a block, and what it says."""

    said: str
    holds: Test


@dataclass(frozen=True, slots=True)
class PropertyQuestion:
    """What a query asks of the properties of blocks."""

    kinds: frozenset[str]
    conditions: tuple[Condition, ...]

    @property
    def said(self) -> str:
        """The conditions in words."""
        return " and ".join(each.said for each in self.conditions)

    def matching(self, documents: Iterable[Document]) -> list[Document]:
        """Those that meet all conditions, in the order in which they are due."""
        found = [
            each
            for each in documents
            if each.kind in self.kinds
            and all(condition.holds(each.metadata) for condition in self.conditions)
        ]
        return in_order_of_days(found)


def in_order_of_days(documents: Iterable[Document]) -> list[Document]:
    """What is due first in front; of the same day, by id."""
    return sorted(documents, key=lambda each: (_due(each.metadata) or date.max, each.id))


def may_ask(query: str) -> bool:
    """Whether a query has words by which properties are asked for, before any block is read."""
    text = _folded(query)
    asks = (_OVERDUE, _DATED, _WORKING, re.compile(rf"\b{_NOUN}\b"))
    return any(each.search(text) for each in asks)


def property_question(
    query: str, documents: Sequence[Document], *, user: str, today: date
) -> PropertyQuestion | None:
    """What a query asks of these blocks' properties; None if it does not ask for blocks by them.

    >>> task = Document(id="t", kind="todo", metadata={"status": "open", "due": "2026-05-01"})
    >>> asked = property_question("Which tasks are overdue?", [task], user="ann", today=date(2026, 5, 4))
    >>> asked.said, [each.id for each in asked.matching([task])]
    ('due before 2026-05-04 and not done', ['t'])
    """
    text = _folded(query)
    noun = re.search(rf"\b({_NOUN})\b", text)
    found = [*_dates(text, today)]
    by_date = bool(found)
    is_open = _OPEN.search(text)
    closed = None if is_open else _CLOSED_ONES.search(text)
    if closed:
        found.append(Condition("done", _is_closed))
    elif is_open or (by_date and not re.search(r"(?<!be )\b(?:done|completed)\b", text)):
        found.append(Condition("not done", lambda known: not _is_closed(known)))
    is_working = _WORKING.search(text) is not None
    named = [*_values(text, documents, user, has_noun=noun is not None or is_working)]
    found += named
    if is_working and named and not (closed or by_date or is_open):
        found.append(Condition("not done", lambda known: not _is_closed(known)))
    if not found or not (noun or by_date or is_open or is_working):
        return None
    singular = re.sub(r"s$", "", (noun[1] if noun else "item").replace("entries", "entry"))
    name = singular.replace("-", "").replace("subtask", "task")
    return PropertyQuestion(_NOUNS.get(name, frozenset(TRACKED)), (*found,))


def _folded(query: str) -> str:
    return " ".join(query.casefold().replace("’", "'").split())


def _dates(text: str, today: date) -> Iterable[Condition]:
    if _OVERDUE.search(text):
        is_due = _due_in(None, today)
        yield Condition(f"due before {today}", lambda known: is_due(known) or _says_overdue(known))
        return
    asked = _DATED.search(text)
    window = _window(asked[1], asked[2], today) if asked else None
    if window is not None:
        first, end = window
        said = [f"due from {first}"] * (first is not None) + [f"due before {end}"] * (
            end is not None
        )
        yield Condition(" and ".join(said), _due_in(first, end))


def _window(word: str, rest: str, today: date) -> tuple[date | None, date | None] | None:
    """The first day, and the first day after the last one."""
    one = timedelta(days=1)
    if word in {"today", "tomorrow", "yesterday"}:
        first = today + {"today": 0, "tomorrow": 1, "yesterday": -1}[word] * one
        return first, first + one
    if word in {"this", "next", "within", "in"}:
        return _span(word, rest, today)
    found = _day(rest, today)
    if found is None:
        return None
    day: date = found
    windows: Mapping[str, tuple[date | None, date | None]] = {
        "before": (None, day),
        "by": (None, day + one),
        "until": (None, day + one),
        "after": (day + one, None),
        "since": (day, None),
    }
    return windows.get(word, (day, day + one))


def _span(word: str, rest: str, today: date) -> tuple[date, date] | None:
    found = _SPAN.match(rest)
    number, unit = (found[1] or "", found[2] or "") if found else ("", "")
    if number.isdecimal() and unit:
        days = int(number) * {"d": 1, "w": 7, "m": 30}[unit[0]]
        return today, today + timedelta(days=days + 1)
    monday = today - timedelta(days=today.weekday())
    named = number or unit
    if named.startswith("week"):
        start = monday + timedelta(days=7 * (word == "next"))
        return start, start + timedelta(days=7)
    if named.startswith("month"):
        start = today.replace(day=1)
        if word == "next":
            start += timedelta(days=monthrange(start.year, start.month)[1])
        return start, start + timedelta(days=monthrange(start.year, start.month)[1])
    month = next((n for n, each in enumerate(_MONTHS, 1) if rest.startswith(each)), None)
    if month is not None:
        start = date(today.year, month, 1)
        return start, start + timedelta(days=monthrange(start.year, month)[1])
    return None


def _day(text: str, today: date) -> date | None:
    found = _DAY.match(text)
    if found is None:
        return None
    weekday, iso, now, tomorrow, yesterday, month, day, year, day2, month2, year2 = found.groups()
    if weekday:  # the next one, or today
        return today + timedelta(days=(_WEEKDAYS.index(weekday) - today.weekday()) % 7)
    if now or tomorrow or yesterday:
        return today + timedelta(days=bool(tomorrow) - bool(yesterday))
    try:
        if iso:
            return date.fromisoformat(iso)
        number = 1 + next(n for n, each in enumerate(_MONTHS) if each.startswith(month or month2))
        return date(int(year or year2 or today.year), number, int(day or day2))
    except ValueError:
        return None


def _due_in(first: date | None, end: date | None) -> Test:
    def holds(known: Mapping[str, Any]) -> bool:
        day = _due(known)
        return day is not None and (first is None or day >= first) and (end is None or day < end)

    return holds


def _due(known: Mapping[str, Any]) -> date | None:
    return next(
        (
            day
            for name, each in known.items()
            if _plain(name) in _DUE and (day := written_day(each))
        ),
        None,
    )


def written_day(value: object) -> date | None:
    """The day that a property says: as ISO 8601, or as Notion writes it."""
    found = _WRITTEN.match(value) if isinstance(value, str) else None
    if found is None:
        return None
    try:
        if found[1]:
            return date(int(found[1]), int(found[2]), int(found[3]))
        month = 1 + next(n for n, each in enumerate(_MONTHS) if each.startswith(found[4].lower()))
        return date(int(found[6]), month, int(found[5]))
    except (ValueError, StopIteration):
        return None


def _is_closed(known: Mapping[str, Any]) -> bool:
    return any(
        value is True or (isinstance(value, str) and value.strip().casefold() in _CLOSED)
        for name, value in known.items()
        if _plain(name) in _DONE
    )


def _says_overdue(known: Mapping[str, Any]) -> bool:
    """Whether somebody keeps a status for it."""
    return any(
        isinstance(value, str) and value.strip().casefold() == "overdue"
        for name, value in known.items()
        if _plain(name) in _DONE
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())


def _values(
    text: str, documents: Sequence[Document], user: str, *, has_noun: bool
) -> Iterable[Condition]:
    """Conditions on properties whose values the query names: "high priority tasks", "tasks of Ann"."""
    if not has_noun:
        return
    for name, values in _known_values(documents).items():
        label = re.sub(r"[_-]+", " ", name.casefold())
        for value in sorted(values, key=len, reverse=True):
            if _names(text, label, value):
                yield Condition(f"{label} {value}", _equals(name, value))
                break
        else:
            mine = user.casefold()
            if mine in values and re.search(
                rf"\bmy\s+{_BEFORE_NOUN}{_NOUN}\b|\bassigned to me\b|\bi\s+working on\b", text
            ):
                yield Condition(f"{label} {mine}", _equals(name, mine))


def _known_values(documents: Sequence[Document]) -> dict[str, set[str]]:
    """The short texts of each property that few blocks differ in."""
    known: dict[str, set[str]] = {}
    for each in documents:
        for name, value in each.metadata.items():
            if (
                isinstance(value, str)
                and 0 < len(value) <= _LONGEST_VALUE
                and not written_day(value)
            ):
                known.setdefault(name, set()).add(" ".join(value.casefold().split()))
    return {name: values for name, values in known.items() if len(values) <= _MOST_VALUES}


def _names(text: str, label: str, value: str) -> bool:
    """Whether a query names a value of a property, next to its name, its noun, or as a person's."""
    said, name = re.escape(value.replace("_", " ")), re.escape(label)
    first = re.escape(value.split(" ", maxsplit=1)[0])
    plain = text.replace("_", " ")
    if re.search(rf"\b{name}\s*(?:is|are|=|:|of)?\s*{said}\b|\b{said}\s+{name}\b", plain):
        return True
    if re.search(
        rf"\b(?:of|for|by|with|assigned to|owned by)\s+{first}\b|\b{first}'s?\s+(?!working)"
        rf"|\bis\s+{first}\s+(?:\w+\s+)?working on\b",
        plain,
    ):
        return _plain(label) in {
            "assignee",
            "owner",
            "assigned",
            "assignedto",
            "responsible",
            "person",
            "author",
        }
    if _plain(label) in _DONE and value not in _CLOSED and value != "open":
        return bool(
            re.search(
                rf"\b{said}\s+{_BEFORE_NOUN}{_NOUN}\b|\b{_NOUN}\s+(?:(?:that|which)\s+)?(?:is|are)?\s*(?:in\s+)?{said}\b",
                plain,
            )
        )
    return False


def _equals(name: str, value: str) -> Test:
    def holds(known: Mapping[str, Any]) -> bool:
        found = known.get(name)
        return isinstance(found, str) and " ".join(found.casefold().split()) == value

    return holds
