"""What the service adds to the engine, and what it does when too many ask: `python -m benchmarks.service_figures [DOCUMENTS]`.

Everything is measured in one run on loopback: processor time of the server (from `/proc`) next to that of the
engine called directly, then 64 clients at once. Figures of one run can be compared with each other, not with
those of another machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import mkdtemp

import httpx

from benchmarks.sentences import sentences
from biblicus_context import ContextAssembler, Record
from biblicus_context.corpora import Corpus
from biblicus_context.embedders import build_embedder

PLANS = """
kind: context
name: plain
policy: {{input_budget: {{max_tokens: 2000}}}}
inputs: [question]
messages:
  - {{type: system, content: You are a support agent.}}
  - {{type: history}}
  - {{type: user, content: "{{input.question}}"}}
---
kind: context
name: searches
policy: {{input_budget: {{max_tokens: 4000}}}}
inputs: [question]
messages:
  - {{type: system, content: You are a support agent.}}
  - {{type: context, name: kb}}
  - {{type: user, content: "{{input.question}}"}}
---
kind: retriever
name: kb
corpus: notes
config: {{retriever_id: hybrid, query: "{{input.question}}", limit: 10}}
---
kind: corpus
name: notes
config: {{store: {store}, embedder: wordllama}}
"""
DOCUMENTS = int(sys.argv[1]) if sys.argv[1:] else 10_000
TICKS = os.sysconf("SC_CLK_TCK")
"""Ticks of a second in `/proc`."""


def main() -> None:
    place = Path(mkdtemp())
    (place / "contexts").mkdir()
    plans = place / "contexts" / "plans.yaml"
    plans.write_text(PLANS.format(store=place / "store"), "utf-8")
    texts = fill(place / "store")
    questions = [" ".join(each.split()[:8]) for each in texts[:: max(1, len(texts) // 200)]][:200]
    with served(place / "contexts") as (process, address):
        for name in ("plain", "searches"):
            write(name, compared(name, plans, process, address, questions))
        write("64 clients, 10 s", crowd(process, address, questions, clients=64, seconds=10.0))


def fill(store: Path) -> list[str]:
    known = sentences()
    texts = [f"{known[at % len(known)]} (note {at})" for at in range(DOCUMENTS)]
    with Corpus.open_records(store, name="notes", embedder=build_embedder("wordllama")) as notes:
        notes.put_many(
            (Record(id=f"d{at}", text=each) for at, each in enumerate(texts)), at_once=None
        )
    return texts


@contextmanager
def served(contexts: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    log = contexts.parent / "log.txt"
    command = [
        sys.executable,
        "-m",
        "biblicus_context",
        "serve",
        "--path",
        str(contexts),
        "--port=0",
    ]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stderr=errors)
    try:
        while not (found := re.search(r"listening on (\S+)", log.read_text("utf-8"))):
            time.sleep(0.05)
        for _ in range(600):
            try:
                httpx.get(f"{found[1]}/healthz").raise_for_status()
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield process, found[1]
    finally:
        process.terminate()
        process.wait()


def processor(process: subprocess.Popen[bytes]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def compared(
    name: str, plans: Path, process: subprocess.Popen[bytes], address: str, questions: list[str]
) -> dict[str, float]:
    """Milliseconds of processor a request: direct and over HTTP, in turns of the same questions."""
    assembler = ContextAssembler.from_path(plans)
    times = 4 if name == "plain" else 1
    with httpx.Client(base_url=address, timeout=60) as client:

        def direct(question: str) -> None:
            result = assembler.assemble(name, inputs={"question": question})
            json.dumps(result.messages)
            _ = result.receipt

        def over_http(question: str) -> None:
            body = {"inputs": {"question": question}}
            client.post(f"/v1/contexts/{name}/assemble", json=body).raise_for_status()

        for each in questions[:20]:
            direct(each)
            over_http(each)
        own = theirs = 0.0
        for start in range(0, len(questions), 50):
            part = questions[start : start + 50] * times
            own += timed(time.process_time, lambda part=part: [direct(each) for each in part])
            theirs += timed(
                lambda: processor(process), lambda part=part: [over_http(each) for each in part]
            )
    count = len(questions) * times
    return {
        "direct_ms": 1000 * own / count,
        "http_ms": 1000 * theirs / count,
        "ratio": theirs / own,
        "added_ms": 1000 * (theirs - own) / count,
    }


def timed(clock: Callable[[], float], work: Callable[[], object]) -> float:
    began = clock()
    work()
    return clock() - began


def crowd(
    process: subprocess.Popen[bytes],
    address: str,
    questions: list[str],
    *,
    clients: int,
    seconds: float,
) -> dict[str, object]:
    """What many clients get, and what one gets before and right after; the client costs next to nothing."""
    before, at_first = asyncio.run(alone(address, questions)), memory(process)
    statuses: Counter[str] = Counter()
    accepted: list[float] = []

    async def ask(number: int, until: float) -> None:
        async with connection(address) as send:
            at = number
            while time.monotonic() < until:
                at += 1
                began = time.perf_counter()
                status = await send(questions[at % len(questions)])
                statuses[status] += 1
                if status == "200":
                    accepted.append(time.perf_counter() - began)
                else:
                    await asyncio.sleep(0.1)

    async def all_of_them() -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(ask(number, until) for number in range(clients)))

    asyncio.run(all_of_them())
    after = asyncio.run(alone(address, questions))
    return {
        "statuses": dict(statuses),
        "alone_p50_ms": 1000 * median(before),
        "alone_p99_ms": 1000 * quantiles(before, n=100)[98],
        "accepted_p50_ms": 1000 * median(accepted),
        "accepted_p99_ms": 1000 * quantiles(accepted, n=100)[98],
        "right_after_p50_ms": 1000 * median(after),
        "memory_mb": [round(at_first), round(memory(process))],
    }


@asynccontextmanager
async def connection(address: str) -> AsyncIterator[Callable[[str], Awaitable[str]]]:
    """One connection that stays open: what sends a question and returns the status of its answer."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))

    async def send(question: str) -> str:
        body = json.dumps({"inputs": {"question": question}}).encode()
        head = (
            "POST /v1/contexts/searches/assemble HTTP/1.1\r\nhost: localhost\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length is not None
        await reader.readexactly(int(length[1]))
        return answer.split()[1].decode()

    try:
        yield send
    finally:
        writer.close()


async def alone(address: str, questions: list[str]) -> list[float]:
    times = []
    async with connection(address) as send:
        for each in questions[:100]:
            began = time.perf_counter()
            assert await send(each) == "200"
            times.append(time.perf_counter() - began)
    return times


def write(name: str, figures: dict[str, object] | dict[str, float]) -> None:
    shown = {
        key: round(value, 3) if isinstance(value, float) else value
        for key, value in figures.items()
    }
    print(f"{name}: {json.dumps(shown)}", flush=True)


if __name__ == "__main__":
    main()
