"""Which operation a path and a method mean."""

from __future__ import annotations

from collections.abc import Iterable
from re import Pattern
from typing import Final

from starlette.routing import compile_path
from starlette.types import ASGIApp, Scope

from biblicus_context.service.operations import Operation
from biblicus_context.service.problems import refusal

_OF_GET: Final = {"HEAD": "GET"}


class Routes:
    """The paths of the service. Most have no name in them, and cost one look-up however many there are."""

    def __init__(self, served: Iterable[tuple[Operation, ASGIApp]]) -> None:
        by_path: dict[str, dict[str, ASGIApp]] = {}
        for operation, application in served:
            by_path.setdefault(operation.path, {})[operation.method] = application
        self._fixed = {path: each for path, each in by_path.items() if "{" not in path}
        self._with_names: list[tuple[Pattern[str], dict[str, ASGIApp]]] = [
            (compile_path(path)[0], each) for path, each in by_path.items() if "{" in path
        ]

    def application(self, scope: Scope) -> ASGIApp | None:
        """Who answers, with the names of the path in the scope; None if the path is not ours."""
        path: str = scope["path"]
        methods = self._fixed.get(path)
        if methods is None:
            methods = self._named(path, scope)
        if methods is None:
            return None
        method: str = scope["method"]
        found = methods.get(_OF_GET.get(method, method))
        if found is None:
            valid = {"allow": ", ".join(sorted(methods))}
            raise refusal(405, "this path does not have this method", headers=valid)
        return found

    def _named(self, path: str, scope: Scope) -> dict[str, ASGIApp] | None:
        for pattern, methods in self._with_names:
            if found := pattern.match(path):
                scope["path_params"] = found.groupdict()
                return methods
        return None
