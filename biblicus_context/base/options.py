"""Options of a call, which come together, by name, or both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.base.validation import input_error
from biblicus_context.errors import ContextError, InputError, UnknownNameError

if TYPE_CHECKING:
    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")
T = TypeVar("T")


def options_of(model: type[M], given: object, more: Mapping[str, Any]) -> M:
    """The options as their model has them; those by name take precedence over those that come together.

    A mistake is an InputError with the name of the option, and the nearest valid one. Of options of
    a richer model those are taken that this one has.

    >>> from pydantic import BaseModel, ConfigDict
    >>> class Paging(BaseModel, extra="forbid"): limit: int = 10
    >>> options_of(Paging, {"limit": 2}, {}).limit
    2
    """
    from pydantic import BaseModel, ValidationError  # the models of callers have loaded it

    if isinstance(given, BaseModel):
        said = given.model_fields_set
        given = {
            name: value for name, value in given if name in said and name in model.model_fields
        }
    elif given is not None and not isinstance(given, Mapping):
        valid = (model.__name__, "a mapping")
        raise InputError("these are not options", found=type(given).__name__, valid=valid)
    try:
        return model.model_validate({**(given or {}), **more})
    except ValidationError as error:
        raise input_error(error, model, noun="option") from None


def options_named(noun: str, model: type[M], given: object, known: Mapping[str, M]) -> M:
    """The options that a name stands for, or that are passed themselves.

    >>> from pydantic import BaseModel
    >>> class Paging(BaseModel): limit: int = 10
    >>> options_named("paging", Paging, "short", {"short": Paging(limit=3)}).limit
    3
    """
    if not isinstance(given, str):
        return options_of(model, given, {})
    if given not in known:
        raise UnknownNameError(noun, given, known)
    return known[given]


def also_named(
    method: Callable[..., Awaitable[T]], **arguments: str
) -> Callable[..., Coroutine[Any, Any, T]]:
    """The same async function, whose arguments have a second name for callers by keyword.

    >>> import asyncio
    >>> async def find(query): return query
    >>> asyncio.run(also_named(find, vector="query")(vector=3))
    3
    """

    @wraps(method)
    async def call(*values: Any, **options: Any) -> T:
        for other, name in arguments.items():
            if other in options and name in options:
                raise InputError("the same argument twice", found=[other, name])
        return await method(
            *values, **{arguments.get(name, name): each for name, each in options.items()}
        )

    return call


def require(kind: type, fix: str, **values: object) -> None:
    """Refuse what is not of a type, or lacks the methods of a Protocol; the names are those of the arguments.

    >>> require(int, "Pass a number.", limit=3)
    """
    for name, value in values.items():
        if not isinstance(value, kind):
            raise InputError(f"{kind.__name__} expected", place=name, found=value, fix=fix)


def require_counts(error: type[ContextError] = InputError, /, **values: object) -> None:
    """Refuse what is not a whole number from 1 on; the names are those of the arguments.

    >>> require_counts(limit=3)
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise error("a whole number from 1 on is expected", place=name, found=value)


@door
def require_one_of(valid: Iterable[str], /, **values: object) -> None:
    """Refuse what is not one of these names; the names of the values are those of the arguments.

    >>> require_one_of(["up", "down"], direction="up")
    """
    known = [*valid]
    for name, value in values.items():
        if not isinstance(value, str) or value not in known:
            raise InputError("unknown name", place=name, found=value, valid=known)


def require_text(**values: object) -> None:
    """Refuse what is not a text, or blank; the names are those of the arguments.

    >>> require_text(query="tea")
    """
    for name, value in values.items():
        if not isinstance(value, str) or not value.strip():
            raise InputError("a text that is not empty is expected", place=name, found=value)
