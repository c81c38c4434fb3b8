"""The peak memory of one assembly above its inputs, in a fresh process.

On Linux the kernel's own high-water mark of resident memory, which sees native code as well;
elsewhere what Python itself allocates, by `tracemalloc`.
"""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.child import ROOT
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
RESET_PEAK = "5"
MEGABYTE = 1_000_000


def memory(workload: str, *, at_most: float) -> Iterator[Target]:
    """Runs this module in a process of its own."""
    command = [sys.executable, "-m", __name__, workload]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    how = "resident" if CLEAR.exists() else "tracemalloc"
    name = f"{workload}: peak memory above inputs ({how})"
    yield Target(name, float(done.stdout), "MB", at_most=at_most)


def main(workload: str) -> None:
    """Print the megabytes of one assembly, after another one has loaded all that stays loaded."""
    from benchmarks.ours import VARIANTS
    from benchmarks.workloads import WORKLOADS

    (ours,) = VARIANTS.values()
    ours.ready(WORKLOADS["small"](0)[0])()
    call = ours.ready(WORKLOADS[workload](0)[0])
    measure = resident_peak if CLEAR.exists() else traced_peak
    print(measure(call) / MEGABYTE)


def resident_peak(call: Callable[[], Any]) -> int:
    """Bytes of resident memory at the highest point of a call, above those before it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text(RESET_PEAK, encoding="ascii")
    before = _status("VmRSS")
    result = call()
    after = _status("VmHWM")
    del result
    return after - before


def traced_peak(call: Callable[[], Any]) -> int:
    """Bytes that Python allocates at the highest point of a call."""
    tracemalloc.start()
    result = call()
    _, peak = tracemalloc.get_traced_memory()
    del result
    return peak


def _status(field: str) -> int:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise LookupError(field)


if __name__ == "__main__":
    main(sys.argv[1])
