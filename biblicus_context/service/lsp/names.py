"""Names of a project: where each is declared, where it is used, and all the places that a new name needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from biblicus_context.errors import InputError
from biblicus_context.lint import place_of, texts
from biblicus_context.reading import DECLARED_BY, NOUN_OF, Noun, Place
from biblicus_context.service.lsp.places import Spot, spot_of_name
from biblicus_context.service.lsp.project import CheckedProject

_VALID: Final = re.compile(r"[^\W\d][\w.-]*")
_TEST: Final = r"^(?P<before>\s*(?:- )?context:\s*)(?P<quote>['\"]?){}(?P=quote)\s*(?:#.*)?$"
_TESTS: Final = "*.test.yaml"


class Name(NamedTuple):
    """What a noun means in a project, and a place where it is written."""

    noun: Noun
    name: str
    spot: Spot


def name_at(checked: CheckedProject, file: str, place: Place) -> Name | None:
    """The name at a place, be it declared or used there."""
    every = (*_declared(checked), *_used(checked))
    return next((each for each in every if each.spot.file == file and each.spot.has(place)), None)


def declarations_named(checked: CheckedProject, noun: Noun, name: str) -> list[Spot]:
    """Where a name is declared."""
    return [each.spot for each in _declared(checked) if (each.noun, each.name) == (noun, name)]


def places_of(checked: CheckedProject, noun: Noun, name: str) -> list[Spot]:
    """Every place where a name is written: in declarations, uses, quotes in texts, and golden tests."""
    written = (*_declared(checked), *_used(checked))
    spots = [each.spot for each in written if (each.noun, each.name) == (noun, name)]
    if noun == "pack":
        spots += [*_quoted(checked, name), *_in_tests(checked, name)]
    return [*dict.fromkeys(spots)]


def require_new_name(checked: CheckedProject, noun: Noun, name: str) -> None:
    """An InputError unless nothing has this name, and texts can quote it."""
    if not _VALID.fullmatch(name):
        fix = "Begin with a letter; letters, digits, '_', '-' and '.' may follow."
        raise InputError("this cannot be a name", found=name, fix=fix)
    if declarations_named(checked, noun, name):
        raise InputError(f"a {noun} of this name is declared already", found=name)


def known_names(checked: CheckedProject, noun: Noun) -> list[str]:
    """All names of a noun, in order."""
    kinds = DECLARED_BY[noun]
    return sorted({each.name for each in checked.outlines if each.kind in kinds})


def _declared(checked: CheckedProject) -> Iterator[Name]:
    for each in checked.outlines:
        spot = spot_of_name(each.file, _lines(checked, each.file), each.place, each.name)
        yield Name(NOUN_OF[each.kind], each.name, spot)


def _used(checked: CheckedProject) -> Iterator[Name]:
    for each in checked.outlines:
        for use in each.uses:
            spot = spot_of_name(each.file, _lines(checked, each.file), use.place, use.name)
            yield Name(use.noun, use.name, spot)


def _quoted(checked: CheckedProject, name: str) -> Iterator[Spot]:
    """`{context.NAME}` in the texts of messages."""
    for file in checked.files:
        for plan in checked.plans(file):
            for text in texts(plan.declaration):
                if text.path in plan.document.text_files:
                    continue  # in a file of its own, which an editor renames by search
                for use in text.parsed.uses:
                    if use.path.split(".")[:2] == ["context", name]:
                        start = place_of(plan, text, use.offset)
                        yield spot_of_name(file, _lines(checked, file), start, name)


def _in_tests(checked: CheckedProject, name: str) -> Iterator[Spot]:
    """`context: NAME` in golden tests, which no document of the project is."""
    pattern = re.compile(_TEST.format(re.escape(name)))
    for root in checked.report.roots:
        for file in sorted(root.rglob(_TESTS)) if root.is_dir() else ():
            lines = _read(file).splitlines()
            for number, line in enumerate(lines, 1):
                match = pattern.match(line)
                if match:
                    column = match.end("quote") + 1
                    end = Place(number, column + len(name))
                    yield Spot(str(file), Place(number, column), end)


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _lines(checked: CheckedProject, file: str) -> tuple[str, ...]:
    return tuple(checked.files[file].text.splitlines())
