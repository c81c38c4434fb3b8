"""The two sets of targets: `full` with the promised bounds, `quick` to catch a wrong complexity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.attack import full_attack, quick_attack
from benchmarks.combined import full_combined, quick_combined
from benchmarks.corpora import Bounds, corpora
from benchmarks.formats import full_formats, quick_formats
from benchmarks.git_history import full_git, quick_git
from benchmarks.ingest import ingesting
from benchmarks.learning import full_learning, quick_learning
from benchmarks.lint import lint
from benchmarks.memory_system import full_remembering, quick_remembering
from benchmarks.places import full_places, quick_places
from benchmarks.prefixes import full_prefixes, prefixes, quick_prefixes
from benchmarks.prime import full_prime, quick_prime
from benchmarks.replayed_day import full_day, quick_day
from benchmarks.served import full_served, quick_served
from benchmarks.shapes import (
    deep_nesting,
    long_history,
    many_blocks,
    many_packs,
    marked_history,
    summarised_history,
)
from benchmarks.shelf import SHAPES
from benchmarks.talk import TURNS
from benchmarks.targets.against_tokenising import against_tokenising
from benchmarks.targets.growth import growth, order_of_growth
from benchmarks.targets.memory import memory
from benchmarks.targets.start_up import start_up
from benchmarks.workspace_system import full_workspace, quick_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.targets import Target


def full() -> Iterator[Target]:
    """Every target as the project states it."""
    yield from against_tokenising("large", rounds=7, cold_at_most=2.0, warm_at_most=0.25)
    yield from growth("history", long_history, (1_000, 10_000, 100_000), at_most=1.2, rounds=9)
    sizes = (1_000, 10_000, 100_000)
    yield from growth("history summarised", summarised_history, sizes, at_most=1.2, rounds=9)
    yield from growth("history with a mark", marked_history, sizes, at_most=1.2, rounds=9)
    yield from growth("packs in one plan", many_packs, (250, 500), at_most=2.5, rounds=5)
    yield from growth("nesting depth", deep_nesting, (10, 20), at_most=2.5, rounds=9)
    yield from growth("blocks in a pack", many_blocks, (5_000, 10_000), at_most=2.5, rounds=5)
    yield from start_up(rounds=15, import_at_most=1.5, seconds_at_most=0.3)
    yield from memory("large", at_most=50)
    yield from prefixes(TURNS, share_at_least=0.8)
    yield from full_lint()
    yield from full_ingest()
    yield from full_git()
    yield from full_corpora()
    yield from full_combined()
    yield from full_formats()
    yield from full_prime()
    yield from full_remembering()
    yield from full_workspace()
    yield from full_learning()
    yield from full_places()
    yield from full_day()


def quick() -> Iterator[Target]:
    """Fourfold sizes with a bound between four times and sixteen; the rest with room for noise."""
    yield from against_tokenising("overflow", rounds=3, cold_at_most=25, warm_at_most=15)
    yield from order_of_growth("history", long_history, (500, 5_000), at_most=4, rounds=4)
    yield from order_of_growth(
        "history summarised", summarised_history, (500, 5_000), at_most=4, rounds=4
    )
    yield from order_of_growth(
        "history with a mark", marked_history, (500, 5_000), at_most=4, rounds=4
    )
    yield from order_of_growth("packs in one plan", many_packs, (25, 100), at_most=9, rounds=4)
    yield from order_of_growth("nesting depth", deep_nesting, (5, 20), at_most=9, rounds=9)
    yield from order_of_growth("blocks in a pack", many_blocks, (250, 1_000), at_most=9, rounds=4)
    yield from start_up(rounds=3, import_at_most=4, seconds_at_most=2)
    yield from memory("overflow", at_most=100)
    yield from quick_prefixes()
    yield from quick_lint()
    yield from quick_ingest()
    yield from quick_git()
    yield from quick_corpora()
    yield from quick_combined()
    yield from quick_formats()
    yield from quick_prime()
    yield from quick_remembering()
    yield from quick_workspace()
    yield from quick_learning()
    yield from quick_places()
    yield from quick_day()


def full_lint() -> Iterator[Target]:
    """A thousand files, as the project states it."""
    yield from lint(1_000, rounds=5, cold_at_most=250, rules_at_most=1.0, schema_check_at_most=1.0)


def quick_lint() -> Iterator[Target]:
    """So few files that both programs mostly start; the rest with room for noise."""
    yield from lint(100, rounds=1, cold_at_most=600, rules_at_most=5, schema_check_at_most=2)


def full_ingest() -> Iterator[Target]:
    """Ten megabytes, as the project states it."""
    yield from ingesting(
        10, rounds=3, on_the_clock=3.0, megabytes_per_second=5.0, ratio_at_most=4.5
    )


def quick_ingest() -> Iterator[Target]:
    """So little that starting weighs; with room for noise, and no bound on the clock."""
    yield from ingesting(
        1, rounds=1, on_the_clock=None, megabytes_per_second=1.0, ratio_at_most=10.0
    )


def full_corpora() -> Iterator[Target]:
    """A hundred thousand blocks, as the project states it."""
    bounds = Bounds(50, parts=2, opening_ms=50, memory=2, twins_s=1)
    yield from corpora(100_000, questions=150, bounds=bounds)


def quick_corpora() -> Iterator[Target]:
    """So few blocks of one shape that what every query costs weighs most; with room for noise."""
    room = Bounds(100, parts=10, opening_ms=100, memory=6, twins_s=5)
    yield from corpora(2_000, questions=10, shapes=SHAPES[:1], bounds=room)


PROFILES = {"full": full, "quick": quick}
ALONE = {
    "lint": {"full": full_lint, "quick": quick_lint},
    "prefixes": {"full": full_prefixes, "quick": quick_prefixes},
    "ingest": {"full": full_ingest, "quick": quick_ingest},
    "learning": {"full": full_learning, "quick": quick_learning},
    "git": {"full": full_git, "quick": quick_git},
    "corpora": {"full": full_corpora, "quick": quick_corpora},
    "combined": {"full": full_combined, "quick": quick_combined},
    "places": {"full": full_places, "quick": quick_places},
    "formats": {"full": full_formats, "quick": quick_formats},
    "prime": {"full": full_prime, "quick": quick_prime},
    "memory": {"full": full_remembering, "quick": quick_remembering},
    "workspace": {"full": full_workspace, "quick": quick_workspace},
    "day": {"full": full_day, "quick": quick_day},
    "attack": {"full": full_attack, "quick": quick_attack},
    "service": {"full": full_served, "quick": quick_served},
}
"""Parts that can be measured by themselves, named under --only."""
