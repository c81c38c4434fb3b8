"""Every public name with one wrong argument at a time: a result, or an error of this package."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import inspect
import os
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from threading import Lock
from types import FrameType, ModuleType
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError

import biblicus_context
from benchmarks.attacks import Extent
from benchmarks.attacks.door_samples import Samples
from benchmarks.targets import Target
from biblicus_context.errors import ContextError

DOORS: Final = 40_000
_SECONDS: Final = 60
"""Longer than the first import of a large library takes on a busy machine."""
_ROOMS: Final = (
    *("assembly", "retrieval", "spec", "text"),
    *("corpora", "embedders", "evaluation", "formats", "golden", "ingest", "ingest.imports"),
    *("ingest.readers", "ingest.records", "reading", "stores", "stores.sqlite", "text.compactors"),
    *("text.counters", "systems.learning", "systems.memory", "systems.prime", "systems.workspace"),
)


class Odd:
    """Nothing that is done to it ends well."""

    __hash__ = None  # type: ignore[assignment]

    def _raise(self, *_: object) -> Any:
        raise ZeroDivisionError

    __eq__ = __str__ = __repr__ = __bool__ = __len__ = __iter__ = __call__ = __index__ = _raise
    __float__ = __int__ = __getitem__ = __contains__ = __lt__ = __fspath__ = __enter__ = _raise


def _nested(levels: int, *, mapping: bool) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value} if mapping else [value]
    return value


async def _async_none(*_: object, **__: object) -> None:
    return None


WRONG: Final[dict[str, Callable[[], Any]]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "5": lambda: 5,
    "-1": lambda: -1,
    "2.5": lambda: 2.5,
    "True": lambda: True,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "2**63": lambda: 2**63,
    "empty": lambda: "",
    "blank": lambda: " ",
    "x": lambda: "x",
    "nul": lambda: "a\0b",
    "surrogate": lambda: "a\ud800",
    "long": lambda: "x" * 200_000,
    "bytes": lambda: b"x",
    "list": list,
    "dict": dict,
    "tuple": tuple,
    "set": lambda: {1},
    "[None]": lambda: [None],
    "[5]": lambda: [5],
    "[[]]": lambda: [[]],
    "[{}]": lambda: [{}],
    "['']": lambda: [""],
    "[odd]": lambda: [Odd()],
    "{'x': None}": lambda: {"x": None},
    "{'x': []}": lambda: {"x": [1]},
    "{1: 2}": lambda: {1: 2},
    "{None: {}}": lambda: {None: {}},
    "object": object,
    "type": lambda: dict,
    "odd": Odd,
    "lock": Lock,
    "function": lambda: lambda *_, **__: None,
    "async": lambda: _async_none,
    "deep list": lambda: _nested(500, mapping=False),
    "deep dict": lambda: _nested(500, mapping=True),
    "generator": lambda: (each for each in [None]),
    "naive": lambda: datetime(2026, 1, 1),  # noqa: DTZ001 - it is wrong
    "first day": lambda: datetime.min.replace(tzinfo=UTC),
    "path": lambda: Path("nowhere"),
    "principal": lambda: biblicus_context.Principal("x"),
}


class Door(NamedTuple):
    """A parameter of a public name."""

    name: str
    parameter: str

    @property
    def owner(self) -> str:
        """The class, for a method."""
        return self.name.partition(".")[0]


class Call(NamedTuple):
    """What came out of a door."""

    door: Door
    wrong: str
    error: str
    """What is not of this package; empty if nothing is."""

    def __str__(self) -> str:
        return f"{self.door.name}({self.door.parameter}={self.wrong}): {self.error}"


def public_names() -> dict[str, Any]:
    """What the package and its rooms export, by name."""
    found = {name: getattr(biblicus_context, name) for name in biblicus_context.__all__}
    for room in _ROOMS:
        module = import_module(f"biblicus_context.{room}")
        for name, value in _exported(module).items():
            key = name if found.get(name, value) is value else f"{name} of {room}"
            found.setdefault(key, value)
    return found


def _exported(module: ModuleType) -> dict[str, Any]:
    names = getattr(module, "__all__", None) or [*vars(module)]
    values = {name: getattr(module, name) for name in names if not name.startswith("_")}
    return {
        name: value
        for name, value in values.items()
        if str(getattr(value, "__module__", "")).startswith("biblicus_context")
    }


def doors() -> dict[Door, Callable[..., Any]]:
    """Every parameter of every public function, constructor and method, with how it is reached."""
    return {
        Door(name, parameter): value
        for name, value in _callables()
        for parameter in _parameters(value)
    }


def _callables() -> Iterator[tuple[str, Any]]:
    for name, value in public_names().items():
        if inspect.isclass(value):
            if _is_data(value):
                continue
            if not getattr(value, "_is_protocol", False) and "__init__" in _own(value):
                yield name, value
            for method in _own(value):
                if not method.startswith("_") and callable(getattr(value, method)):
                    yield f"{name}.{method}", getattr(value, method)
        elif inspect.isfunction(value):
            yield name, value


def _is_data(value: type) -> bool:
    """Whether it holds values, which are checked where they are used, or is an error."""
    if issubclass(value, BaseException | enum.Enum) or getattr(value, "_is_protocol", False):
        return True
    return issubclass(value, tuple | dict)


def _own(value: type) -> set[str]:
    """What this package defines in a class or in its bases."""
    return {
        name
        for each in value.__mro__
        if each.__module__.startswith("biblicus_context")
        for name, attribute in vars(each).items()
        if callable(attribute) or isinstance(attribute, classmethod | staticmethod)
        if not (dataclasses.is_dataclass(each) and name in ("__init__", "__eq__"))
        if not (issubclass(each, BaseModel) and name in vars(BaseModel))
    }


def _parameters(value: Any) -> list[str]:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return []
    variable = inspect.Parameter.VAR_KEYWORD
    return [
        name
        for name, each in signature.parameters.items()
        if name != "self" and each.kind != variable
    ]


class Attack:
    """Calls doors in a folder of its own, with valid arguments but one."""

    def __init__(self, folder: Path) -> None:
        self.samples = Samples(folder)
        self.unreached: set[str] = set()

    def call(self, door: Door, value: Any, wrong: str) -> Call | None:
        """What comes out; None if no other argument is known."""
        try:
            target, owner = self._bound(door, value)
            arguments = self._arguments(target, door)
        except LookupError:
            self.unreached.add(door.name)
            return None
        error = ""
        try:
            with _limited():
                _exhaust(_called(target, arguments, door, WRONG[wrong]()))
        except (ContextError, NotImplementedError):
            pass
        except ValidationError as found:
            # Models of pydantic say so as pydantic does; nothing else may.
            if not (inspect.isclass(value) and issubclass(value, BaseModel)):
                error = _said(found)
        except BaseException as found:
            if isinstance(found, KeyboardInterrupt | MemoryError):
                raise
            error = "" if _is_callers(found) else _said(found)
        finally:
            with contextlib.suppress(Exception):
                self.samples.done(owner)
        return Call(door, wrong, error)

    def reaches(self, door: Door, value: Any) -> bool:
        """Whether its object and its other arguments are known."""
        try:
            target, _owner = self._bound(door, value)
            self._arguments(target, door)
        except LookupError:
            return False
        return True

    def _bound(self, door: Door, value: Any) -> tuple[Any, Any]:
        owner, _, method = door.name.partition(".")
        if not method or not inspect.isfunction(value):
            return value, None  # a function, a class, or a method of one
        found = public_names()[owner]
        if isinstance(inspect.getattr_static(found, method), staticmethod | classmethod):
            return value, None
        instance = self.samples.instance(owner)
        return getattr(instance, method), instance

    def _arguments(self, target: Any, door: Door) -> dict[str, Any]:
        owner = door.owner
        known = {}
        for name, each in inspect.signature(target).parameters.items():
            required = each.default is inspect.Parameter.empty
            if name != door.parameter and required and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL):  # fmt: skip
                known[name] = self.samples.argument(door.name, owner, name)
        return known


def _called(target: Any, arguments: dict[str, Any], door: Door, wrong: Any) -> Any:
    signature = inspect.signature(target)
    bound = signature.bind_partial()
    for name, each in signature.parameters.items():
        if name == door.parameter:
            bound.arguments[name] = (wrong,) if each.kind is each.VAR_POSITIONAL else wrong
        elif name in arguments:
            bound.arguments[name] = arguments[name]
    return target(*bound.args, **bound.kwargs)


def _exhaust(result: Any) -> None:
    if inspect.isawaitable(result):

        async def wait() -> None:
            _exhaust(await result)

        asyncio.run(wait())
    elif isinstance(result, Iterator):
        for _ in islice(result, 20):
            pass
    elif isinstance(result, AsyncIterator):

        async def read() -> None:
            async for _ in result:
                break

        asyncio.run(read())
    elif isinstance(result, contextlib.AbstractContextManager) and hasattr(result, "gen"):
        with result:
            pass


class _TooLongError(BaseException):
    """Nobody may catch it."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(_: int, frame: FrameType | None) -> None:
        raise _TooLongError(f"more than {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _is_callers(error: BaseException) -> bool:
    """Whether an object of the caller raised it while it was gone through: then it is the caller's."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return isinstance(error, ZeroDivisionError) and last.name == "_raise"


def _said(error: BaseException) -> str:
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if "biblicus_context/" in each.filename
    ]
    where = ""
    if frames:
        where = f" at {frames[-1].filename.rpartition('biblicus_context/')[2]}:{frames[-1].lineno}"
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text:.80}{where}".replace("\n", " ")


def attack(extent: Extent, seed: int = 1) -> Iterator[Call]:
    """Doors and wrong arguments in any order, each pair at most once."""
    known = doors()
    pairs = [(door, wrong) for door in known for wrong in WRONG]
    Random(seed).shuffle(pairs)
    wanted = extent.of(DOORS)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            attacker, made = Attack(Path(folder)), 0
            for door, wrong in pairs:
                if made >= wanted:
                    break
                found = attacker.call(door, known[door], wrong)
                if found is not None:
                    made += 1
                    yield found
        finally:
            os.chdir(here)


def doors_campaign(extent: Extent) -> Iterator[Target]:
    """All wrong arguments of all doors."""
    tried, raw = 0, Counter[str]()
    for call in attack(extent):
        tried += 1
        if call.error:
            raw[f"{call.door.name} {call.door.parameter}"] += 1
            if sum(raw.values()) <= 40:
                print(f"  {call}", flush=True)
    yield Target("attack: calls with a wrong argument", tried, "calls")
    yield Target(
        "attack: calls that end with a foreign error", sum(raw.values()), "calls", at_most=0
    )
