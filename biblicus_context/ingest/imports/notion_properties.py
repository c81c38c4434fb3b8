"""The properties of a database row: lines of `Name: value` below its title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from biblicus_context.base.timestamps import moment

_PROPERTY: Final = re.compile(r"([^\s:][^:\n]{0,99}):(?:[ \t]+(.*))?$")
_LINK: Final = re.compile(r"\(([^()\s][^()]{0,999}\.(?:md|csv))\)", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"notion\.so/[^\s()]{0,300}?([0-9a-f]{32})")
_DATE: Final = re.compile(
    r"([A-Z][a-z]+) (\d{1,2}), (\d{4})(?: (?:at )?(\d{1,2}):(\d{2}) ?([AP]M))?"
)
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_CREATED: Final = frozenset({"created", "created time", "created at", "date created"})
_UPDATED: Final = frozenset({"last edited time", "last edited", "updated", "last updated"})
_TAGS: Final = frozenset({"tags", "labels"})
_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class RowProperties:
    """The properties of one row, by name."""

    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def created(self) -> datetime | None:
        """When the row was made."""
        return self._time(_CREATED)

    @property
    def updated(self) -> datetime | None:
        """When the row was edited last."""
        return self._time(_UPDATED)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        listed = (tag.strip() for text in self._of(_TAGS) for tag in text.split(","))
        return tuple(dict.fromkeys(filter(None, listed)))

    @property
    def links(self) -> tuple[str, ...]:
        """The files that its values lead to, as they are written."""
        return tuple(dict.fromkeys(link for each in self._texts for link in _LINK.findall(each)))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of pages whose addresses are among its values."""
        return tuple(dict.fromkeys(each for text in self._texts for each in _ADDRESS.findall(text)))

    @property
    def text(self) -> str:
        """The properties as lines; of a link only its words, and nothing for an empty value."""
        shown = {name: _without_targets(value) for name, value in self.values.items()}
        return "\n".join(f"{name}: {value}" for name, value in shown.items() if value)

    @property
    def _texts(self) -> Iterable[str]:
        return self.values.values()

    def _of(self, names: frozenset[str]) -> list[str]:
        return [value for name, value in self.values.items() if name.lower() in names]

    def _time(self, names: frozenset[str]) -> datetime | None:
        return next((found for each in self._of(names) if (found := notion_time(each))), None)


def leading_properties(lines: Sequence[str]) -> tuple[RowProperties, int]:
    """The properties at the beginning of a page, and the number of lines that they take.

    >>> leading_properties(["Status: Done", "Due: May 8, 2026", "", "Text"])[1]
    3
    """
    values: dict[str, str] = {}
    for number, line in enumerate(lines[:_MOST]):
        found = _PROPERTY.match(line)
        if found is None:
            ended = not line.strip()
            return (RowProperties(values), number + 1) if ended and values else (RowProperties(), 0)
        values[found[1].strip()] = (found[2] or "").strip()
    return RowProperties(values), min(len(lines), _MOST)


def notion_time(text: str) -> datetime | None:
    """A time as Notion writes it, or in ISO 8601; of a range, where it begins.

    >>> notion_time("May 8, 2026 4:05 PM").isoformat()
    '2026-05-08T16:05:00+00:00'
    """
    found = _DATE.match(text)
    if found is None or found[1] not in _MONTHS:
        return moment(text.partition(" → ")[0].strip())
    hour, minute = int(found[4] or 0), int(found[5] or 0)
    hour = hour % 12 + 12 * (found[6] == "PM") if found[6] else hour
    try:
        month = _MONTHS.index(found[1]) + 1
        return datetime(int(found[3]), month, int(found[2]), hour, minute, tzinfo=UTC)
    except ValueError:
        return None


def _without_targets(value: str) -> str:
    """The words of links without their paths and addresses."""
    value = _LINK.sub("", value)
    return re.sub(r"\s*\(https?://[^\s()]{1,1000}\)", "", value).strip()
