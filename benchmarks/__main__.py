"""`python -m benchmarks`: the engine next to its peers, and next to its own targets."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.comparison import OURS, Row, compare, peers
from benchmarks.prefixes import prefixes_against_peers
from benchmarks.profiles import ALONE, PROFILES
from benchmarks.report import as_json, comparison_text, targets_text
from benchmarks.targets.against_peers import against_peers
from benchmarks.workloads import WORKLOADS


def main() -> int:
    options = _options()
    profiles = ALONE.get(",".join(options.only))
    rows = [] if profiles else _rows(options)
    print(comparison_text(rows), end="\n\n" if rows else "", flush=True)
    targets = [*against_peers(rows), *(profiles or PROFILES)[options.profile]()]
    if options.profile == "full" and not (profiles or options.no_peers):
        targets += prefixes_against_peers()
    print(targets_text(targets))
    if options.json:
        told = json.dumps(as_json(rows, targets), indent=2)
        options.json.write_text(f"{told}\n", encoding="utf-8")
    return 0 if all(target.holds for target in targets) else 1


def _rows(options: argparse.Namespace) -> list[Row]:
    if options.profile == "quick":
        return []
    contestants = [OURS] if options.no_peers else [OURS, *peers()]
    return list(compare(options.only, contestants))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="full")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as well")
    parser.add_argument(
        "--only",
        type=_workloads,
        default=list(WORKLOADS),
        metavar="NAMES",
        help=f"workloads to compare on, with commas: {', '.join(WORKLOADS)}; or one of {', '.join(ALONE)} alone",
    )
    parser.add_argument("--no-peers", action="store_true", help="measure this engine alone")
    return parser.parse_args()


def _workloads(names: str) -> list[str]:
    chosen = names.split(",")
    if names in ALONE:
        return chosen
    unknown = [name for name in chosen if name not in WORKLOADS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(WORKLOADS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
