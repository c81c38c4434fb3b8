"""`python -m benchmarks.changes before.json after.json`: the figures of two runs side by side."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.report import figure, table

COLUMNS: Final = ("", "before", "after", "after / before", "")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.changes", description=__doc__)
    parser.add_argument("before", type=Path, help="written by `python -m benchmarks --json`")
    parser.add_argument("after", type=Path)
    parser.add_argument(
        "--by", type=float, default=0.0, metavar="PART", help="only changes larger than this: 0.1"
    )
    options = parser.parse_args()
    before, after = _targets(options.before), _targets(options.after)
    print(table([COLUMNS, *_changes(before, after, options.by)]))


def _targets(file: Path) -> dict[str, Any]:
    told = json.loads(file.read_text(encoding="utf-8"))
    return {target["name"]: target for target in told["targets"]}


def _changes(
    before: dict[str, Any], after: dict[str, Any], least: float
) -> Iterator[tuple[str, ...]]:
    """Every figure that both runs have, then what only one of them has."""
    for name in (name for name in before if name in after):
        old, new = before[name], after[name]
        ratio = new["measured"] / old["measured"] if old["measured"] else None
        if ratio is None or abs(ratio - 1) >= least:
            shown = "" if ratio is None else f"{ratio:.2f}"
            yield name, _shown(old), _shown(new), shown, _verdict(old, new)
    yield from ((name, _shown(before[name]), "") for name in before if name not in after)
    yield from ((name, "", _shown(after[name])) for name in after if name not in before)


def _shown(target: dict[str, Any]) -> str:
    return figure(target["measured"], target["unit"])


def _verdict(old: dict[str, Any], new: dict[str, Any]) -> str:
    if old["holds"] == new["holds"]:
        return ""
    return "now holds" if new["holds"] else "now MISSED"


if __name__ == "__main__":
    main()
