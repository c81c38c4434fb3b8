"""Plain tables for a terminal, and the same figures as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from benchmarks.comparison import OURS, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.targets import Target

COMPARED = ("", "median ms", "min ms", "x ours", "fill", "sent", "budget", "over", "orphans")
TARGETED = ("", "measured", "target", "")


def comparison_text(rows: Sequence[Row]) -> str:
    """One table a workload, in the order measured."""
    tables = []
    for workload, group in groupby(rows, key=lambda row: row.workload):
        mine = list(group)
        ours = next((row.measurement for row in mine if row.contestant == OURS), None)
        base = ours.fastest if ours else None
        tables.append(f"{workload}\n{table([COMPARED, *(_cells(row, base) for row in mine)])}")
    return "\n\n".join(tables)


def targets_text(targets: Iterable[Target]) -> str:
    """Every target with its figure, and whether it holds."""
    some = [*targets]
    lines = [TARGETED, *map(_target_cells, some)]
    if any(target.design for target in some):
        designs = ("design", *(target.design for target in some))
        lines = [(*line, design) for line, design in zip(lines, designs, strict=True)]
    return table(lines)


def as_json(rows: Iterable[Row], targets: Iterable[Target]) -> dict[str, Any]:
    """Everything measured, for machines."""
    return {
        "comparison": [_row_as_json(row) for row in rows],
        "targets": [_target_as_json(target) for target in targets],
    }


def _cells(row: Row, base: float | None) -> tuple[str, ...]:
    measured = row.measurement
    if measured is None:
        return (row.contestant.label, row.trouble or "")
    fullest = max(measured.sent, key=lambda sent: sent.tokens / sent.budget)
    return (
        row.contestant.label,
        f"{measured.median * 1000:,.2f}",
        f"{measured.fastest * 1000:,.2f}",
        f"{measured.fastest / base:,.1f}" if base else "",
        f"{measured.fill:.1%}",
        f"{fullest.tokens:,}",
        f"{fullest.budget:,}",
        "OVER" if measured.over_budget else "",
        str(measured.orphans or ""),
    )


def _target_cells(target: Target) -> tuple[str, ...]:
    verdict = "" if _bound(target) is None else ("holds" if target.holds else "MISSED")
    return (target.name, figure(target.measured, target.unit), _bound_text(target), verdict)


def _bound(target: Target) -> float | None:
    return target.at_most if target.at_most is not None else target.at_least


def _bound_text(target: Target) -> str:
    bound = _bound(target)
    if bound is None:
        return ""
    sign = "<=" if target.at_most is not None else ">="
    return f"{sign} {figure(bound, target.unit)}"


def figure(value: float, unit: str) -> str:
    """A measured value with its unit."""
    if unit == "%":
        return f"{value:.2%}"
    if unit == "":
        return f"{value:.0f}"
    return f"{value:,.3f} {unit}"


def table(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells, the first one left-aligned and as wide as it needs."""
    width = max(len(line[0]) for line in lines)
    return "\n".join(
        "  ".join([line[0].ljust(width), *(cell.rjust(11) for cell in line[1:])]).rstrip()
        for line in lines
    )


def _row_as_json(row: Row) -> dict[str, Any]:
    measured = row.measurement
    told: dict[str, Any] = {
        "workload": row.workload,
        "library": row.contestant.label,
        "counter": row.contestant.counter.value,
        "trouble": row.trouble,
    }
    if measured:
        told |= {
            "median_seconds": measured.median,
            "min_seconds": measured.fastest,
            "rounds": len(measured.seconds),
            "fill": measured.fill,
            "over_budget": measured.over_budget,
            "orphans": measured.orphans,
            "sent": [[sent.tokens, sent.budget] for sent in measured.sent],
        }
    return told


def _target_as_json(target: Target) -> dict[str, Any]:
    return {
        "name": target.name,
        "measured": target.measured,
        "unit": target.unit,
        "at_most": target.at_most,
        "at_least": target.at_least,
        "holds": target.holds,
        "design": target.design,
    }
