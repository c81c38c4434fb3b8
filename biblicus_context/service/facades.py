"""Operations made of the typed methods of a facade: one for each, none of them written by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PydanticUserError,
    TypeAdapter,
    create_model,
)

from biblicus_context.service.answers import answer_type
from biblicus_context.service.callers import Caller
from biblicus_context.service.operations import Operation, OperationCall
from biblicus_context.service.scopes import KeyScope

Injected = Callable[[Caller], Any]

_COUNT: Final = Annotated[int, Field(ge=1, le=1_000)]
_BOUNDS: Final[Mapping[str, Any]] = {
    "limit": _COUNT,
    "most": Annotated[int, Field(ge=1, le=100_000)],
    "max_tokens": Annotated[int, Field(ge=1, le=1_000_000)],
    "timeout": Annotated[float, Field(gt=0, le=600)],
}
"""What numbers of these names may be, when they come from anybody."""
_NONE: Final = Parameter.empty


@dataclass(frozen=True, kw_only=True)
class Facade:
    """A class whose methods are served.

    Who asks is never in a body: the parameters that name a workspace or a user are `injected`.
    """

    kind: type
    group: str
    path: str
    instance: Callable[[Caller], Any]
    """The object as this caller uses it."""
    scopes: Mapping[str, KeyScope]
    """What a key has to allow for each method; for one that is not named here, everything."""
    leaves_out: Mapping[str, str] = field(default_factory=dict)
    """Methods that are not served, and why. Those that take a path never are: it would be one of the server."""
    injected: Mapping[str, Injected]
    types: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """For each method the types of parameters that are others in a body; None leaves one out."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """For each method the type of its answer, where its annotation does not say it."""
    finish: Callable[[Any], Any] = lambda value: value
    """Makes of what a method returned what is written."""
    returned: Callable[[Any], Any] = lambda annotation: annotation
    """Makes of the annotated type of an answer the type that `finish` returns."""

    def operations(self) -> list[Operation]:
        """An operation for each method."""
        own = [self._operation(name, scope) for name, scope in self.scopes.items()]
        return [*own, *self._others()]

    def _others(self) -> Iterator[Operation]:
        """The methods that nobody has decided about, such as new ones, as far as JSON can be written of them."""
        for name in sorted({*dir(self.kind)} - {*self.scopes} - {*self.leaves_out}):
            method = getattr(self.kind, name)
            if name.startswith("_") or not inspect.iscoroutinefunction(inspect.unwrap(method)):
                continue
            if any(_takes_path(each) for each in get_type_hints(method).values()):
                continue
            with suppress(PydanticUserError):
                made = self._operation(name, KeyScope.ADMIN)
                kinds: list[Any] = [made.body, made.answer]
                for kind in kinds:
                    TypeAdapter[Any](kind).json_schema()
                yield made

    def _operation(self, name: str, scope: KeyScope) -> Operation:
        method = getattr(self.kind, name)
        hints = get_type_hints(method, include_extras=True)
        taken = self._parameters(name, method)
        summary, _, notes = inspect.cleandoc(method.__doc__ or name).partition("\n")
        returned = self.answers.get(name, self.returned(hints.get("return")))
        has_answer = returned not in (None, type(None))
        answer = answer_type(returned) if has_answer else None
        return Operation(
            name=f"{self.group.lower()}_{name}",
            method="POST",
            path=f"{self.path}/{name.replace('_', '-')}",
            summary=summary,
            notes=notes.strip(),
            group=self.group,
            scope=scope,
            body=self._body(name, taken, hints),
            answer=answer,
            work=self._work(name, taken, answer),
            is_write=scope is not KeyScope.READ,
            problems=(409,) if scope is not KeyScope.READ else (),
        )

    def _parameters(self, name: str, method: Any) -> Sequence[Parameter]:
        given = inspect.signature(method).parameters.values()
        own = self.types.get(name, {})
        hints = get_type_hints(method)
        known = (each for each in given if each.name != "self")
        wanted = [each for each in known if own.get(each.name, each) is not None]
        # A function cannot be in a body: a caller over HTTP gets what happens without it.
        return [
            e for e in wanted if e.name in own or e.default is _NONE or not _is_code(hints[e.name])
        ]

    def _body(
        self, name: str, taken: Sequence[Parameter], hints: Mapping[str, Any]
    ) -> type[BaseModel]:
        own = self.types.get(name, {})
        fields: dict[str, Any] = {}
        for each in taken:
            if each.name in self.injected:
                continue
            kind = own.get(each.name, hints[each.name])
            default = ... if each.default is _NONE else each.default
            if each.kind is Parameter.VAR_POSITIONAL:
                kind, default = GenericAlias(list, (kind,)), Field(min_length=1, max_length=1_000)
            elif each.kind is Parameter.VAR_KEYWORD:
                kind, default = dict[str, own.get(each.name, JsonValue)], ...  # type: ignore[misc]
            elif kind in (int, int | None, float) and each.name in _BOUNDS:
                kind = _BOUNDS[each.name] if default is not None else _BOUNDS[each.name] | None
            fields[each.name] = (kind, default)
        words = "".join(word.capitalize() for word in name.split("_"))
        return create_model(
            f"{self.group}{words}Body", __config__=ConfigDict(extra="forbid", frozen=True), **fields
        )

    def _work(
        self, name: str, taken: Sequence[Parameter], answer: Any
    ) -> Callable[[OperationCall], Any]:
        instance, finish, injected = self.instance, self.finish, self.injected
        written = None if answer is None else TypeAdapter[Any](answer)

        async def work(call: OperationCall) -> Any:
            positional: list[Any] = []
            named: dict[str, Any] = {}
            for each in taken:
                is_own = each.name in injected
                value = (
                    injected[each.name](call.caller) if is_own else getattr(call.body, each.name)
                )
                if each.kind is Parameter.VAR_POSITIONAL:
                    positional += value
                elif each.kind is Parameter.VAR_KEYWORD:
                    named |= value
                elif each.kind is Parameter.KEYWORD_ONLY or _follows_many(each, taken):
                    named[each.name] = value
                else:
                    positional.append(value)
            found = getattr(instance(call.caller), name)(*positional, **named)
            value = finish(await found if inspect.isawaitable(found) else found)
            # A named tuple becomes its model; everything else is checked by its type alone.
            return (
                value if written is None else written.validate_python(value, from_attributes=True)
            )

        return work


def _is_code(annotation: Any) -> bool:
    return get_origin(annotation) is Callable or any(map(_is_code, get_args(annotation)))


def _takes_path(annotation: Any) -> bool:
    return annotation is Path or any(map(_takes_path, get_args(annotation)))


def _follows_many(parameter: Parameter, taken: Sequence[Parameter]) -> bool:
    """Whether a parameter is after `*these`, so that it has to be named."""
    before = taken[: list(taken).index(parameter)]
    return any(each.kind is Parameter.VAR_POSITIONAL for each in before)
