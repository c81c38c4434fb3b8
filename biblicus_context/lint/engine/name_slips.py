"""What is wrong with names across the files of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from biblicus_context.lint.engine.scope import Group
from biblicus_context.lint.engine.settings import Known
from biblicus_context.lint.engine.slips import Slip, slip_of
from biblicus_context.lint.engine.survey import Survey
from biblicus_context.lint.facts.project.python_names import names_handed_in
from biblicus_context.reading.circles import circles
from biblicus_context.reading.names import declared_names, repeated_names, unknown_names
from biblicus_context.reading.outline import Outline
from biblicus_context.reading.uses import Noun


def name_slips(group: Group, surveys: Mapping[Path, Survey], known: Known) -> Iterator[Slip]:
    """Names of the given files that are repeated, unknown, or lead into a circle; each told once."""
    outlines = _outlines([*group.around, *group.given], surveys)
    rooms = (_outlines(room, surveys) for room in group.rooms)
    errors = chain(
        *map(repeated_names, rooms),
        unknown_names(outlines, _names(group, surveys, known)),
        circles(outlines),
    )
    given = frozenset(map(str, group.given))
    yield from dict.fromkeys(slip_of(error) for error in errors if error.file in given)


def _names(
    group: Group, surveys: Mapping[Path, Survey], known: Known
) -> Mapping[Noun, Collection[str]]:
    """Every name that may be used: declared, seemingly declared in a broken file, or handed in."""
    files = [*group.around, *group.given]
    claimed = {name for file in files for name in surveys[file].claims}
    handed_in = names_handed_in(known)
    declared = declared_names(_outlines(files, surveys))
    return {noun: names | claimed | handed_in[noun] for noun, names in declared.items()}


def _outlines(files: Sequence[Path], surveys: Mapping[Path, Survey]) -> list[Outline]:
    return [entry.outline for file in files for entry in surveys[file].entries]
