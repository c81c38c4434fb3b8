"""`--only attack`: the campaigns of an adversary, with figures. Add one: a file in `attacks/`, a line here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.attacks import Campaign, Extent
from benchmarks.attacks.assemblies import assemblies
from benchmarks.attacks.counts import counts
from benchmarks.attacks.doors import doors_campaign
from benchmarks.attacks.forgetting_kills import forgetting_kills
from benchmarks.attacks.growth import growth
from benchmarks.attacks.headings import headings
from benchmarks.attacks.history_kills import history_kills
from benchmarks.attacks.index_damages import index_damages
from benchmarks.attacks.kills import kills
from benchmarks.attacks.plans import plans
from benchmarks.attacks.reader_shapes import reader_shapes
from benchmarks.attacks.reasons import reasons
from benchmarks.attacks.record_kills import record_kills
from benchmarks.attacks.rights import rights
from benchmarks.attacks.server_kills import server_kills
from benchmarks.attacks.server_stores import server_stores
from benchmarks.attacks.structures import structures
from benchmarks.attacks.system_tenants import system_tenants
from benchmarks.attacks.tenants import tenants
from benchmarks.targets import Target

CAMPAIGNS: Final[tuple[Campaign, ...]] = (
    assemblies,
    plans,
    reasons,
    counts,
    tenants,
    system_tenants,
    rights,
    structures,
    headings,
    doors_campaign,
    kills,
    record_kills,
    forgetting_kills,
    history_kills,
    index_damages,
    reader_shapes,
    growth,
    server_kills,
    server_stores,
)


def full_attack() -> Iterator[Target]:
    """Every campaign as the project states it."""
    yield from attack(Extent(1.0))


def quick_attack() -> Iterator[Target]:
    """A hundredth of each campaign."""
    yield from attack(Extent(0.01))


def attack(extent: Extent) -> Iterator[Target]:
    """All campaigns, one after another."""
    for campaign in CAMPAIGNS:
        yield from campaign(extent)
