"""Putting the engine in the place where Tactus' agents look for one, and taking it out again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from biblicus_context import Principal
from biblicus_context.integrations.tactus.dependencies import preparing
from biblicus_context.integrations.tactus.engine import Engine, Observer
from biblicus_context.integrations.tactus.library import assembler_module, runtime_class


class _Place:
    """Where the engines are: one for the process, and those of `with` blocks, the latest first."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._process: Engine | None = None
        self._blocks: tuple[Engine, ...] = ()
        self._originals: tuple[Any, Callable[[Any, str], None]] | None = None

    @property
    def active(self) -> Engine | None:
        return self._blocks[-1] if self._blocks else self._process

    def set_process(self, engine: Engine | None) -> None:
        with self._lock:
            self._change(engine, self._blocks)

    def enter(self, engine: Engine) -> None:
        with self._lock:
            self._change(self._process, (*self._blocks, engine))

    def leave(self, engine: Engine) -> None:
        with self._lock:
            self._change(self._process, tuple(each for each in self._blocks if each is not engine))

    def _change(self, process: Engine | None, blocks: tuple[Engine, ...]) -> None:
        self._seat(blocks[-1] if blocks else process)
        self._process, self._blocks = process, blocks

    def _seat(self, engine: Engine | None) -> None:
        if engine is None and self._originals is None:
            return
        module, runtime = assembler_module(), runtime_class()
        if self._originals is None:
            self._originals = (module.ContextAssembler, runtime._ensure_retriever_dependencies)
        assembler, prepare = self._originals
        module.ContextAssembler = engine.for_registries if engine else assembler
        runtime._ensure_retriever_dependencies = preparing(engine, prepare) if engine else prepare
        if engine is None:
            self._originals = None


_place = _Place()


def install(
    *paths: str | Path, principal: Principal | None = None, on_assembled: Observer | None = None
) -> None:
    """Make every agent of the process assemble through this engine; once more changes how.

    `paths` are files and folders of YAML whose declarations procedures can use by name.
    """
    _place.set_process(Engine(paths, principal=principal, on_assembled=on_assembled))


def uninstall() -> None:
    """Undo `install`; nothing happens where nothing is installed."""
    _place.set_process(None)


def is_installed() -> bool:
    """Whether agents assemble through this engine now."""
    return _place.active is not None


@contextmanager
def installed(
    *paths: str | Path, principal: Principal | None = None, on_assembled: Observer | None = None
) -> Iterator[Engine]:
    """Install for a block; after it, what was in place before is back."""
    engine = Engine(paths, principal=principal, on_assembled=on_assembled)
    _place.enter(engine)
    try:
        yield engine
    finally:
        _place.leave(engine)
