"""Ways to find the nearest embeddings, side by side: `python -m benchmarks.stores_vectors`.

numpy over a matrix that is mapped from a file, against sqlite-vec, for 256 dimensions and the 200
nearest. sqlite-vec is an extension of SQLite, which Python's own sqlite3 can load only where it was
built so; it is measured through apsw (`pip install apsw sqlite-vec`), and left out without it.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 256
NEAREST = 200
QUERIES = 21
CHUNK = 10_000


class Figures(NamedTuple):
    """One way at one size, in milliseconds; `recall` is of the 200 that are truly nearest."""

    name: str
    rows: int
    open_ms: float
    first_ms: float
    wall_ms: float
    cpu_ms: float
    megabytes: float
    recall: float


Search = Callable[["NDArray[np.float32]"], "list[int]"]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000, 10_000, 100_000, 1_000_000])
    print("| way | rows | open ms | first ms | median ms | CPU ms | MB on disk | recall |")
    print("|---|---|---|---|---|---|---|---|")
    for rows in parser.parse_args().rows:
        for each in measured(rows):
            print(
                f"| {each.name} | {each.rows:,} | {each.open_ms:.1f} | {each.first_ms:.1f} |"
                f" {each.wall_ms:.2f} | {each.cpu_ms:.2f} | {each.megabytes:.0f} |"
                f" {each.recall:.3f} |",
                flush=True,
            )


def measured(rows: int) -> Iterator[Figures]:
    """Every way at one size, on the same random unit rows."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        matrix = written_matrix(place / "rows.f32", rows)
        queries = unit(np.random.default_rng(1).standard_normal((QUERIES, DIMENSIONS)))
        truth = [set(top(np.vecdot(matrix, query))) for query in queries]
        ways: dict[str, Callable[[], Search]] = {
            "numpy, vecdot": lambda: numpy_float(place, rows, np.vecdot),
            "numpy, product": lambda: numpy_float(place, rows, np.matmul),
            "numpy, bits first": lambda: numpy_bits(place, rows, matrix),
            "blobs out of SQLite": lambda: blobs(place, matrix),
        }
        if find_spec("apsw") and find_spec("sqlite_vec"):
            ways["sqlite-vec, float32"] = lambda: sqlite_vec_table(place, matrix, "float")
            ways["sqlite-vec, int8"] = lambda: sqlite_vec_table(place, matrix, "int8")
        for name, ready in ways.items():
            yield figures(name, rows, place, ready, queries, truth)


def figures(
    name: str,
    rows: int,
    place: Path,
    ready: Callable[[], Search],
    queries: NDArray[np.float32],
    truth: list[set[int]],
) -> Figures:
    """One way: made ready first, then opened anew and asked."""
    ready()  # writes its files
    start = time.perf_counter()
    search = ready()
    opened = time.perf_counter() - start
    walls, cpus, recalls = [], [], []
    for query, nearest in zip(queries, truth, strict=True):
        wall, cpu = time.perf_counter(), time.process_time()
        found = search(query)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        recalls.append(len(nearest.intersection(found)) / len(nearest))
    size = sum(each.stat().st_size for each in place.glob(f"{slug(name)}*")) / 1e6
    return Figures(
        name, rows, 1e3 * opened, 1e3 * walls[0], 1e3 * median(walls[1:]),
        1e3 * median(cpus[1:]), size, float(np.mean(recalls)),
    )  # fmt: skip


def slug(name: str) -> str:
    """The beginning of a way's file names."""
    files = {"numpy, vecdot": "rows", "numpy, product": "rows", "numpy, bits first": "bits"}
    return files.get(name, name)


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows of length one."""
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def top(scores: NDArray[np.float32]) -> list[int]:
    """The places of the best scores."""
    count = min(NEAREST, len(scores))
    return np.argpartition(scores, -count)[-count:].tolist()


def written_matrix(path: Path, rows: int) -> NDArray[np.float32]:
    """Random unit rows in a file, mapped."""
    random = np.random.default_rng(0)
    with path.open("wb") as stream:
        for start in range(0, rows, CHUNK):
            chunk = unit(random.standard_normal((min(CHUNK, rows - start), DIMENSIONS)))
            stream.write(chunk.tobytes())
    return np.memmap(path, "<f4", "r", shape=(rows, DIMENSIONS))


def numpy_float(place: Path, rows: int, product: Callable[..., Any]) -> Search:
    """The whole matrix, row by row or as one product."""
    matrix = np.memmap(place / "rows.f32", "<f4", "r", shape=(rows, DIMENSIONS))
    return lambda query: top(product(matrix, query))


def numpy_bits(place: Path, rows: int, matrix: NDArray[np.float32]) -> Search:
    """The signs choose ten times as many as are wanted; their exact products choose among them."""
    path = place / "bits.u64"
    if not path.exists():
        packed = np.vstack(
            [
                np.packbits(matrix[start : start + CHUNK] > 0, axis=1).view(np.uint64)
                for start in range(0, rows, CHUNK)
            ]
        )
        np.ascontiguousarray(packed.T).tofile(path)
    bits = np.memmap(path, np.uint64, "r", shape=(DIMENSIONS // 64, rows))

    def search(query: NDArray[np.float32]) -> list[int]:
        wanted = np.packbits(query > 0).view(np.uint64)
        apart = sum(np.bitwise_count(bits[n] ^ wanted[n]).astype(np.uint16) for n in range(4))
        count = min(10 * NEAREST, rows)
        near = np.sort(np.argpartition(apart, count - 1)[:count])
        return near[top(np.vecdot(matrix[near], query))].tolist()

    return search


def blobs(place: Path, matrix: NDArray[np.float32]) -> Search:
    """What every search would cost without a file: all rows read out of the database."""
    path = place / "blobs out of SQLite.db"
    fresh = not path.exists()
    connection = sqlite3.connect(path)
    if fresh:
        connection.execute("CREATE TABLE v (row INTEGER PRIMARY KEY, data BLOB)")
        rows = ((n, row.tobytes()) for n, row in enumerate(matrix))
        connection.executemany("INSERT INTO v VALUES (?, ?)", rows)
        connection.commit()

    def search(query: NDArray[np.float32]) -> list[int]:
        cursor = connection.execute("SELECT data FROM v ORDER BY row")
        scores = [
            np.frombuffer(b"".join(data for (data,) in chunk), "<f4").reshape(-1, DIMENSIONS)
            @ query
            for chunk in iter(lambda: cursor.fetchmany(CHUNK), [])
        ]
        return top(np.concatenate(scores))

    return search


def sqlite_vec_table(place: Path, matrix: NDArray[np.float32], kind: str) -> Search:
    """The virtual table of sqlite-vec, which goes through all rows as well."""
    import apsw  # type: ignore[import-not-found]
    import sqlite_vec  # type: ignore[import-not-found]

    name = "sqlite-vec, float32" if kind == "float" else "sqlite-vec, int8"
    path = place / f"{name}.db"
    fresh = not path.exists()
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    value = "?" if kind == "float" else "vec_int8(?)"
    metric = "cosine" if kind == "float" else "L2"
    if fresh:
        connection.execute(
            f"CREATE VIRTUAL TABLE v USING vec0 (e {kind}[{DIMENSIONS}] distance_metric={metric})"
        )
        with connection:
            rows = ((n, packed(row, kind)) for n, row in enumerate(matrix, start=1))
            connection.executemany(f"INSERT INTO v (rowid, e) VALUES (?, {value})", rows)

    def search(query: NDArray[np.float32]) -> list[int]:
        found = connection.execute(
            f"SELECT rowid - 1 FROM v WHERE e MATCH {value} ORDER BY distance LIMIT ?",
            (packed(query, kind), min(NEAREST, len(matrix))),
        )
        return [row for (row,) in found]

    return search


def packed(row: NDArray[np.float32], kind: str) -> bytes:
    """A row as sqlite-vec takes it; of unit rows of 256 numbers hardly any is above a quarter."""
    if kind == "float":
        return row.tobytes()
    return np.clip(np.round(row * 508), -127, 127).astype(np.int8).tobytes()


if __name__ == "__main__":
    main()
