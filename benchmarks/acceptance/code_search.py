"""`python -m benchmarks.acceptance.code_search`: definitions that questions about installed packages find.

An index of some of them takes minutes: `--folder` keeps it for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from benchmarks.acceptance.figures import HERE
from benchmarks.everyday.__main__ import EMBEDDERS
from biblicus_context.embedders import build_embedder
from biblicus_context.systems.learning import LearningStore

_FIVE, _TWENTY = 5, 20


async def _ranks(folder: Path, questions: list[dict[str, str]], embedder: str) -> list[int | None]:
    """The place of each definition among twenty; None: it is not there."""
    stores: dict[str, LearningStore] = {}
    ranks: list[int | None] = []
    for each in questions:
        name = each["package"]
        if name not in stores:
            spec = find_spec(name)
            assert spec is not None
            assert spec.origin is not None
            stores[name] = LearningStore.open(folder, name, embedder=build_embedder(embedder))
            await stores[name].index_code(Path(spec.origin).parent)
            await stores[name].embed_waiting()
        hits = await stores[name].search_code(each["ask"], _TWENTY)
        names = [hit.item.qualified_name for hit in hits]
        ranks.append(names.index(each["gold"]) + 1 if each["gold"] in names else None)
    for store in stores.values():
        store.close()
    return ranks


def main() -> None:
    """Print a line for each group of questions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.acceptance.code_search")
    parser.add_argument("--folder", type=Path, help="where the indexes are kept")
    parser.add_argument("--embedder", default="granite", choices=EMBEDDERS)
    given = parser.parse_args()
    groups = yaml.safe_load((HERE / "learning" / "code_questions.yaml").read_text("utf-8"))
    with TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        print(
            f"{'questions':12}{'first':>8}{'of five':>9}{'of twenty':>11}{'all':>6}{'mean 1/rank':>13}"
        )
        for name, questions in groups.items():
            ranks = asyncio.run(_ranks(folder, questions, given.embedder))
            found = [each for each in ranks if each is not None]
            first, five = found.count(1), sum(each <= _FIVE for each in found)
            mean = sum(1 / each for each in found) / len(ranks)
            print(f"{name:12}{first:8}{five:9}{len(found):11}{len(ranks):6}{mean:13.2f}")


if __name__ == "__main__":
    main()
