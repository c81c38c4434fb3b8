"""Some campaigns alone: `python -m benchmarks.attacks server_kills server_stores --part 0.1`."""

from __future__ import annotations

import argparse

from benchmarks.attack import CAMPAIGNS
from benchmarks.attacks import Extent


def main() -> int:
    """Print each figure as soon as it is known; 1 if a promise was broken."""
    known = {each.__name__: each for each in CAMPAIGNS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=known, metavar="NAME", help=", ".join(known))
    parser.add_argument("--part", type=float, default=1.0, help="of the full number of attempts")
    options = parser.parse_args()
    failed = 0
    for name in options.names:
        for target in known[name](Extent(options.part)):
            failed += not target.holds
            print(f"{target.name}: {target.measured:,} {target.unit}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
