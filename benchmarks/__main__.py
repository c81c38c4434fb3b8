"""`python -m benchmarks`: the engine next to its peers, and next to its own targets."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

try:
    from benchmarks.comparison import OURS, Row, compare, peers
    from benchmarks.prefixes import prefixes_against_peers
    from benchmarks.profiles import ALONE, PROFILES
    from benchmarks.recall import beside_plain, recall_text, recalled
    from benchmarks.report import as_json, comparison_text, targets_text
    from benchmarks.side_by_side import EXTENTS, ahead, compared, figures_json, figures_text
    from benchmarks.targets.against_peers import against_peers
    from benchmarks.workloads import WORKLOADS
except ModuleNotFoundError as missing:
    sys.exit(
        f"error: {(missing.name or '').partition('.')[0]} is not installed. The benchmarks need what the tests do. In the checkout: "
        "uv run --group dev --extra corpus python -m benchmarks"
    )

RECALL = "recall"
PARTS = (*ALONE, RECALL)
"""What can be measured by itself."""


def main() -> int:
    options = _options()
    alone = [ALONE[name] for name in options.only if name in ALONE]
    is_alone = options.only[0] in PARTS
    rows = [] if is_alone else _rows(options)
    print(comparison_text(rows), end="\n\n" if rows else "", flush=True)
    extent = EXTENTS[options.profile]
    searched = [*compared(options.collections, extent)] if _searches(options) else []
    print(figures_text(searched), end="\n\n" if searched else "", flush=True)
    systems = (
        [*recalled(options.collections, queries=options.queries)] if RECALL in options.only else []
    )
    print(recall_text(systems), end="\n\n" if systems else "", flush=True)
    targets = [*against_peers(rows), *ahead(searched, extent), *beside_plain(systems)]
    for profiles in alone if is_alone else [PROFILES]:
        targets += profiles[options.profile]()
    if options.profile == "full" and not (is_alone or options.no_peers):
        targets += prefixes_against_peers()
    print(targets_text(targets))
    if options.json:
        told = as_json(rows, targets) | {"retrieval": figures_json(searched)}
        told |= {"recall": [asdict(row) for row in systems]}
        options.json.write_text(f"{json.dumps(told, indent=2)}\n", encoding="utf-8")
    return 0 if all(target.holds for target in targets) else 1


def _rows(options: argparse.Namespace) -> list[Row]:
    if options.profile == "quick":
        return []
    contestants = [OURS] if options.no_peers else [OURS, *peers()]
    return list(compare(options.only, contestants))


def _searches(options: argparse.Namespace) -> bool:
    """Whether corpora are measured, and with what others have."""
    return options.only in (["corpora"], [*WORKLOADS]) and not options.no_peers


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="full")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as well")
    parser.add_argument(
        "--only",
        type=_workloads,
        default=list(WORKLOADS),
        metavar="NAMES",
        help=f"workloads to compare on, with commas: {', '.join(WORKLOADS)}; or some of {', '.join(PARTS)} alone",
    )
    parser.add_argument(
        "--collections",
        type=Path,
        metavar="FOLDER",
        help="collections with gold evidence to search; without it one is made of docstrings",
    )
    parser.add_argument(
        "--queries", type=int, default=60, metavar="N", help="of each collection, for recall"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure this engine alone")
    return parser.parse_args()


def _workloads(names: str) -> list[str]:
    chosen = names.split(",")
    if all(name in PARTS for name in chosen):
        return chosen
    unknown = [name for name in chosen if name not in WORKLOADS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(WORKLOADS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
