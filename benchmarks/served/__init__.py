"""The service, measured from outside: a real process on loopback, and clients that cost next to nothing."""

from collections.abc import Iterator

from benchmarks.served.designs import full_designs, quick_designs
from benchmarks.served.requests import full_requests, quick_requests
from benchmarks.targets import Target


def full_served() -> Iterator[Target]:
    """Requests, and the figures of the designs."""
    yield from full_requests()
    yield from full_designs()


def quick_served() -> Iterator[Target]:
    """The same of little; not a part of the gate, as times on the clock need free cores."""
    yield from quick_requests()
    yield from quick_designs()
