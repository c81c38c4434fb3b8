"""One file of golden tests is read, and its chosen cases are run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.golden.report import Trouble, Verdict, troubles_of
from biblicus_context.golden.running.call_arguments import ArgumentReader
from biblicus_context.golden.running.projects import Projects, contexts_of
from biblicus_context.golden.running.trial_run import Player, snapshot_name
from biblicus_context.golden.snapshots.snapshot import key_of
from biblicus_context.golden.snapshots.snapshot_file import read_snapshots
from biblicus_context.golden.suite.suite import Suite, read_suite
from biblicus_context.golden.suite.trials import Trial, trials
from biblicus_context.reading.files import read_plan


@dataclass(frozen=True, slots=True)
class GoldenOptions:
    """Options of `run_tests`."""

    update: bool = False
    """Whether to write snapshots instead of comparing them."""
    filter: str = ""
    """Only cases with this text in their name or in their file's path, whatever its case."""
    fail_fast: bool = False
    """Whether to stop at the first case that does not pass."""


@dataclass(frozen=True, slots=True)
class PlayedFile:
    """The verdicts on one file's cases, and what its report needs besides."""

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


def play_file(file: Path, options: GoldenOptions, projects: Projects) -> PlayedFile:
    """Run the chosen cases of a file; an error of the file itself is a trouble."""
    reads: list[Path] = [file]
    try:
        suite = read_suite(read_plan(file), file)
        reads += contexts_of(suite)
        project = projects.of(suite)
        stored = read_snapshots(file).sections
        everything = list(trials(suite))
    except LoadError as error:
        return PlayedFile(troubles=troubles_of(error), reads=tuple(map(str, reads)))
    handing = ArgumentReader(suite, project)
    player = Player(handing, stored, options.update)
    chosen = [trial for trial in everything if _is_chosen(trial, suite, options.filter)]
    verdicts = tuple(_verdicts(player, chosen, options))
    return PlayedFile(
        verdicts,
        deselected=len(everything) - len(chosen),
        snapshots=tuple(_snapshots(everything)),
        reads=tuple(map(str, [*reads, *handing.files])),
    )


def _verdicts(player: Player, chosen: Iterable[Trial], options: GoldenOptions) -> Iterator[Verdict]:
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
