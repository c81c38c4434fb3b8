"""The branch coverage of each room, from the report of `coverage json`; fails below what a room has to have.

Usage: python .github/room_coverage.py coverage.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

PACKAGE = "biblicus_context"
USUAL = 90
OTHER = {"assembly": 95, "base": 95, "text": 95, "spec": 95, "service": 80}
"""Much of the last one runs in processes of servers, which nothing traces."""
NONE = {"testing", "starter"}
"""Tests that ship, and files for new projects."""


def percents(report: str) -> dict[str, float]:
    """The part of the lines and branches of each room that some test ran."""
    total: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    for file, found in json.loads(Path(report).read_text(encoding="utf-8"))["files"].items():
        _, room, *within = file.split("/")
        if within:
            summary = found["summary"]
            total[room] += summary["num_statements"] + summary["num_branches"]
            covered[room] += summary["covered_lines"] + summary["covered_branches"]
    return {room: 100 * covered[room] / total[room] for room in sorted(total) if total[room]}


found = percents(sys.argv[1])
rooms = {each.parent.name for each in Path(PACKAGE).glob("*/__init__.py")}
low = sorted(rooms - found.keys() - NONE)  # no line of these was ever run
for room, percent in found.items():
    if room not in NONE:
        sys.stdout.write(f"branch coverage of {room}, percent: {percent:.0f}\n")
        if round(percent) < OTHER.get(room, USUAL):
            low.append(room)
if low:
    sys.exit(f"branch coverage is too low in: {', '.join(low)}")
