"""`python -m benchmarks.follow_ups`: the figures of docs/eval.md."""

from __future__ import annotations

from benchmarks.follow_ups.measuring import BUDGETS, measured


def main() -> None:
    head = "".join(f"{budget:>8,}" for budget in BUDGETS)
    print(f"{'':38}{head}    mean")
    for each in measured():
        row = f"{each.retriever}, {each.kind.replace('_', ' ')}, {each.query}"
        figures = "".join(f"{figure:8.1f}" for figure in each.by_budget)
        print(f"{row:38}{figures}{each.mean:8.1f}", flush=True)


if __name__ == "__main__":
    main()
