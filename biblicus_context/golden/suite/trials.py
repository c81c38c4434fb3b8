"""A suite's cases become trials: each case, for each budget and model of its matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from biblicus_context.golden.suite.layers import CallLayer, ExpectedResult, Path, laid_over, wanted
from biblicus_context.golden.suite.suite import Suite
from biblicus_context.reading.yaml.tree import Place
from biblicus_context.spec.contexts_test import CallSpec, CaseSpec, MatrixSpec
from biblicus_context.spec.recorded import MessageSpec


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call of a trial: its arguments, and what is expected of it."""

    given: CaseSpec
    added: tuple[MessageSpec, ...]
    """Messages that turns have added to the history by now."""
    wanted: ExpectedResult
    layers: tuple[CallLayer, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One case with one budget and one model."""

    name: str
    place: Place
    path: Path
    skip: str | None
    exchanges: tuple[Exchange, ...]


def trials(suite: Suite) -> Iterator[Trial]:
    """Every trial of a suite, in file order; raises LoadError for contradictory expectations."""
    for number, case in enumerate(suite.spec.cases):
        path: Path = ("cases", number)
        layers = [CallLayer(case, path)]
        if suite.spec.defaults is not None:
            layers.insert(0, CallLayer(suite.spec.defaults, ("defaults",)))
        for suffix, variant in _variants(laid_over(layers).matrix):
            exchanges = tuple(_exchanges(suite, case, [*layers, CallLayer(variant, path)]))
            _refuse_prefix_of_first(suite, exchanges)
            place = suite.tree.at((*path, "name")).place
            yield Trial(f"{case.name}{suffix}", place, path, case.skip, exchanges)


def _exchanges(suite: Suite, case: CaseSpec, layers: Sequence[CallLayer]) -> Iterator[Exchange]:
    if case.turns is None:
        yield _exchange(suite, layers, ())
        return
    added: tuple[MessageSpec, ...] = ()
    for number, turn in enumerate(case.turns):
        added += turn.messages
        path: Path = (*layers[-1].path, "turns", number)
        yield _exchange(suite, [*layers, CallLayer(turn, path)], added)


def _exchange(
    suite: Suite, layers: Sequence[CallLayer], added: tuple[MessageSpec, ...]
) -> Exchange:
    return Exchange(laid_over(layers), added, wanted(layers, suite.tree), tuple(layers))


def _refuse_prefix_of_first(suite: Suite, exchanges: Sequence[Exchange]) -> None:
    """Without an earlier call, `stable_prefix` would always hold."""
    path = exchanges[0].wanted.paths.get("stable_prefix", ("defaults",))
    of_this_call = "turns" in path or len(exchanges) == 1
    if path[0] != "defaults" and of_this_call:
        problem = "stable_prefix needs an earlier call to compare with"
        place = suite.tree.key_place((*path, "stable_prefix"))
        raise suite.tree.error(
            problem, place, fix="Add turns to the case, or move it to a later turn."
        )


def _variants(matrix: MatrixSpec | None) -> Iterator[tuple[str, CallSpec]]:
    """For each budget and model, the suffix of the name and the settings of the calls."""
    matrix = matrix or MatrixSpec()
    for budget, model in product(matrix.budget or (None,), matrix.model or (None,)):
        said = {"budget": budget, "model": model}
        given = {key: value for key, value in said.items() if value is not None}
        named = ", ".join(f"{key} {value}" for key, value in given.items())
        yield f" [{named}]" if named else "", CallSpec.model_validate(given)
