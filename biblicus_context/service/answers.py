"""Types of answers: what our own code returns, as models that JSON can be written of."""

from __future__ import annotations

from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

_READ: Final = ConfigDict(from_attributes=True, arbitrary_types_allowed=True)


def answer_type(annotation: Any) -> Any:
    """The type that an annotated answer is written as: a named tuple is a model, so an object in JSON.

    >>> from typing import NamedTuple
    >>> class Pair(NamedTuple):
    ...     left: int
    ...     right: int = 0
    >>> list(answer_type(Pair).model_fields)
    ['left', 'right']
    >>> answer_type(list[int])
    list[int]
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if is_named_tuple(origin or annotation):
        kind = origin or annotation
        names = getattr(kind, "__parameters__", ())
        return _model_of(kind, tuple(zip(names, arguments, strict=False)))
    if origin is None or annotation is NoneType:
        return annotation
    made = tuple(each if each is ... else answer_type(each) for each in arguments)
    if origin in (Union, UnionType):
        return Union[made]  # noqa: UP007 - made of values
    return (
        origin[made] if made != arguments and hasattr(origin, "__class_getitem__") else annotation
    )


def is_named_tuple(kind: Any) -> bool:
    """Whether this is a class of named tuples."""
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


@lru_cache(maxsize=256)
def _model_of(kind: Any, of: tuple[tuple[TypeVar, Any], ...]) -> type[BaseModel]:
    """The model of a named tuple, for these values of its type variables."""
    given, hints = dict(of), get_type_hints(kind, include_extras=True)
    fields: dict[str, Any] = {
        name: (
            answer_type(given.get(hints[name], hints[name])),
            kind._field_defaults.get(name, ...),
        )
        for name in kind._fields
    }
    of_what = "".join(getattr(each, "__name__", "") for each in given.values())
    name = f"{kind.__name__}{f'Of{of_what}' if of_what else ''}"
    return create_model(name, __config__=_READ, __doc__=kind.__doc__, **fields)
