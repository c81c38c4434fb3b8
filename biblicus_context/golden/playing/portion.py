"""A portion of the work: one file of tests, or a stretch of its cases, played in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.golden.playing.handing import Handing
from biblicus_context.golden.playing.play import Player, snapshot_name
from biblicus_context.golden.playing.projects import Projects, contexts_of
from biblicus_context.golden.playing.report import Trouble, Verdict, troubles_of
from biblicus_context.golden.snapshots.files import read_snapshots
from biblicus_context.golden.snapshots.snapshot import key_of
from biblicus_context.golden.suite.options import Options
from biblicus_context.golden.suite.suite import Suite, read_suite
from biblicus_context.golden.suite.trials import Trial, trials
from biblicus_context.reading.files import read_plan


@dataclass(frozen=True, slots=True)
class Portion:
    """The cases of a file from one fraction to another: part `number` of so many."""

    file: Path
    number: int = 0
    of: int = 1

    def taken(self, trials: Sequence[Trial]) -> Sequence[Trial]:
        """The trials that are in it."""
        count = len(trials)
        return trials[count * self.number // self.of : count * (self.number + 1) // self.of]


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a portion."""

    verdicts: tuple[Verdict, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    deselected: int = 0
    snapshots: tuple[str, ...] = ()
    """Every snapshot the file asks for, by the line that names its section."""
    reads: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing in it is wrong."""
        fine = all(verdict.status in ("passed", "skipped") for verdict in self.verdicts)
        return fine and not self.troubles


def play_portion(
    portion: Portion,
    options: Options,
    projects: Projects | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Played:
    """Play one portion; what is wrong with the file itself is told by each portion of it.

    `is_over` is asked before each case: once nobody waits for the rest, it is not played.
    """
    reads: list[Path] = [portion.file]
    try:
        suite = read_suite(read_plan(portion.file), portion.file)
        reads += contexts_of(suite)
        project = (projects or Projects()).of(suite)
        stored = read_snapshots(portion.file).sections
        everything = list(trials(suite))
    except LoadError as error:
        return Played(troubles=troubles_of(error), reads=tuple(map(str, reads)))
    handing = Handing(suite, project)
    player = Player(handing, stored, options.update)
    mine = portion.taken(everything)
    chosen = [trial for trial in mine if _is_chosen(trial, suite, options.filter)]
    awaited = takewhile(lambda _: not is_over(), chosen)
    verdicts = tuple(_verdicts(player, awaited, options))
    return Played(
        verdicts,
        deselected=len(mine) - len(chosen),
        snapshots=tuple(_snapshots(everything)),
        reads=tuple(map(str, [*reads, *handing.files])),
    )


def _verdicts(player: Player, chosen: Iterable[Trial], options: Options) -> Iterator[Verdict]:
    for trial in chosen:
        verdict = player.play(trial)
        yield verdict
        if options.fail_fast and verdict.status in ("failed", "error"):
            return


def _is_chosen(trial: Trial, suite: Suite, text: str) -> bool:
    return text.casefold() in f"{suite.file}::{trial.name}".casefold()


def _snapshots(everything: Sequence[Trial]) -> Iterator[str]:
    for trial in everything:
        for number, exchange in enumerate(trial.exchanges):
            if exchange.wanted.expect.snapshot:
                yield key_of(snapshot_name(trial, number))
