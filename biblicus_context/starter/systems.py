"""The systems that `init --system` writes: a plan of the package, and data that it finds at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os.path import commonpath
from pathlib import Path
from typing import Final, NamedTuple

from biblicus_context.corpora import Corpus
from biblicus_context.reading import load_project
from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.shipped import shipped, shipped_plan
from biblicus_context.starter.files import schema_files, texts_below
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus

_SYSTEMS: Final = Path(__file__).with_name("systems")
_DATA: Final = "data"
_USERS: Final = {"prime": "ann"}
"""Whose data it is in systems that keep a workspace for each user; the tenant is called as the system."""
_DEEPER: Final = "../../", "../"
"""Plans of systems are one folder deeper in the package than in a project."""


class Filled(NamedTuple):
    """A corpus whose documents were written."""

    corpus: str
    records: int
    workspaces: tuple[str, ...]


def system_names() -> list[str]:
    """The systems of the package."""
    plans = sorted(shipped("contexts").glob("systems/*.yaml"))
    return [each.stem for each in plans if not each.stem.endswith(".test")]


def system_files(system: str) -> Mapping[str, str]:
    """The plan of a system with its golden tests, its data, the ignored folder, and the schemas."""
    plan = shipped_plan(system)
    plans = [each for each in (plan, plan.with_suffix(".test.yaml")) if each.is_file()]
    return {
        **{f"contexts/{each.name}": _moved(each.read_text(encoding="utf-8")) for each in plans},
        **texts_below(_SYSTEMS / system),
        ".gitignore": _ignored(plan),
        **schema_files(),
    }


def declarations(system: str) -> Iterator[Declaration]:
    """All that the plan of a system declares."""
    project = load_project(shipped_plan(system))
    kinds = project.contexts, project.policies, project.formats, project.retrievers
    for kind in (*kinds, project.corpora, project.compactors):
        yield from kind.values()


def first_context(folder: Path, system: str) -> str:
    """The context that shows what a system does."""
    return next(iter(load_project(folder / "contexts" / f"{system}.yaml").contexts))


def fill(folder: Path, system: str) -> Iterator[Filled]:
    """Write the data of a system into its corpora; what they hold already stays."""
    declared = load_project(folder / "contexts" / f"{system}.yaml").corpora
    for file in sorted((_SYSTEMS / system / _DATA).glob("*.jsonl")):
        with Corpus.open(declared[file.stem]) as corpus:
            if not corpus.index.exists:
                yield _filled(corpus, file.read_text(encoding="utf-8").splitlines(), system)


def _filled(corpus: Corpus, lines: Sequence[str], system: str) -> Filled:
    """Written for the command line, and for a user, as the program of the system reads it."""
    views = [corpus]
    if system in _USERS:
        views.append(UserCorpus(corpus, system).of(_USERS[system]))
    written = [each.import_lines(lines).records for each in views]
    return Filled(corpus.name, written[0], tuple(each.principal.workspace for each in views))


def _ignored(plan: Path) -> str:
    """The lines that keep what programs record out of version control."""
    stores = [str(each.config["store"]) for each in load_project(plan).corpora.values()]
    folder = Path(commonpath(stores)).relative_to(shipped("contexts").parent)
    return f"# Records that programs write.\n/{folder.as_posix()}/\n"


def _moved(text: str) -> str:
    return text.replace(*_DEEPER)
