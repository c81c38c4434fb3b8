"""Public names whose failures are looked into: a wrong argument is an InputError that names it.

A door does not check what works: that would cost each call, copy what is the caller's own, and refuse
objects that only resemble the documented type. Only where a call failed with an error that is not ours
are its arguments compared with their annotations. If one does not fit, that is the error; if all fit,
the failure is ours, and stays what it is.
"""

from __future__ import annotations

import ast
import inspect
import math
import os
import types
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from contextlib import suppress
from datetime import datetime
from functools import lru_cache, wraps
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Final,
    ForwardRef,
    Literal,
    NoReturn,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    is_typeddict,
)

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import ContextError, InputError

T = TypeVar("T")

_LARGEST: Final = 2**63
_WORDS: Final[Mapping[object, str]] = {
    str: "a text",
    int: f"a whole number between -2**{63} and 2**{63}",
    float: "a finite number",
    bool: "True or False",
    bytes: "bytes",
    datetime: "a datetime",
    None: "None",
    type(None): "None",
    Path: "a Path",
    os.PathLike: "a path",
}
_HOLDERS: Final[Mapping[object, str]] = {
    list: "a list",
    tuple: "a tuple",
    set: "a set",
    frozenset: "a frozenset",
    dict: "a mapping",
    Sequence: "a list",
    Collection: "a list",
    Iterable: "a list",
    Iterator: "an iterator",
    Set: "a set",
    Mapping: "a mapping",
}


def door(target: T) -> T:
    """A public function, or a class whose constructor and public methods are doors.

    >>> @door
    ... def half(number: int) -> int: return number // 2
    >>> half(4)
    2
    >>> half("4")
    Traceback (most recent call last):
    biblicus_context.errors.InputError: number: a whole number between -2**63 and 2**63 is expected: found '4'
    """
    if not callable(target):
        raise InputError("a function or a class is expected", place="target", found=target)
    if not isinstance(target, type):
        opened: Any = _opened(target)
        return opened  # type: ignore[no-any-return]
    for name, method in [*vars(target).items()]:
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(method, classmethod | staticmethod):
            setattr(target, name, type(method)(_opened(method.__func__)))
        elif inspect.isfunction(method):
            setattr(target, name, _opened(method))
    return target


def _opened(function: Any) -> Any:  # noqa: C901 - three kinds of functions
    """The function as a door, of the same kind."""
    watches = _takes_iterables(function)
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def wait(*values: Any, **options: Any) -> Any:
            if watches:
                values, options = _watched(function, values, options)
            try:
                return await function(*values, **options)
            except ContextError:
                raise
            except Exception as error:
                _look_into(error, function, values, options)

        return wait
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def each(*values: Any, **options: Any) -> Any:
            if watches:
                values, options = _watched(function, values, options)
            try:
                return (yield from function(*values, **options))
            except ContextError:
                raise
            except Exception as error:
                _look_into(error, function, values, options)

        return each

    @wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        if watches:
            values, options = _watched(function, values, options)
        try:
            return function(*values, **options)
        except ContextError:
            raise
        except Exception as error:
            _look_into(error, function, values, options)

    return call


class _WatchedItems(Iterator[Any]):
    """An iterator that notes the first of its items that does not fit: once read, they are gone."""

    def __init__(self, items: Iterator[Any], held: Any) -> None:
        self._items, self._held, self._read = items, held, 0
        self.wrong: tuple[int, Any] | None = None

    def __next__(self) -> Any:
        item = next(self._items)
        if self.wrong is None and not fits(item, self._held):
            self.wrong = self._read, item
        self._read += 1
        return item


def _takes_iterables(function: Any) -> bool:
    """Whether a caller may pass something to it that can be read once only."""
    # Not its signature, which takes as long as the rest of a module to make.
    said = (str(each) for name, each in function.__annotations__.items() if name != "return")
    return any("Iterable[" in each or "Iterator[" in each for each in said)


def _watched(
    function: Any, values: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, in which iterators are watched while the function reads them."""
    if not any(isinstance(each, Iterator) for each in (*values, *options.values())):
        return values, options
    try:
        bound = inspect.signature(function).bind(*values, **options)
    except TypeError:
        return values, options
    for name, value in bound.arguments.items():
        held = _item_of(_annotations(function).get(name, Any))
        if held is not Any and isinstance(value, Iterator):
            bound.arguments[name] = _WatchedItems(value, held)
    return bound.args, bound.kwargs


def _item_of(annotation: Any) -> Any:
    """The type of the items of an iterable; Any where it is none, or they may be anything."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Iterable, Iterator):
        return arguments[0]
    if origin in (Union, types.UnionType):
        return next((held for each in arguments if (held := _item_of(each)) is not Any), Any)
    return Any


def _look_into(
    error: Exception,
    function: Callable[..., Any],
    values: Sequence[Any],
    options: Mapping[str, Any],
) -> NoReturn:
    """Raise an InputError if an argument does not fit its annotation, else the error itself."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*values, **options)
    except TypeError:
        raise error from None  # an argument too many or too few: as everywhere in Python
    annotations = _annotations(function)
    for name, value in bound.arguments.items():
        kind, annotation = signature.parameters[name].kind, annotations.get(name, Any)
        if kind is inspect.Parameter.VAR_POSITIONAL:
            given = [(f"{name}[{at}]", each) for at, each in enumerate(value)]
        elif kind is inspect.Parameter.VAR_KEYWORD:
            given = [*value.items()]
        else:
            given = [(name, value)]
        for place, each in given:
            if not fits(each, annotation):
                raise InputError(
                    f"{worded(annotation)} is expected", place=place, found=each
                ) from error
            if isinstance(each, _WatchedItems) and each.wrong is not None:
                number, item = each.wrong
                problem = f"{worded(_item_of(annotation))} is expected"
                raise InputError(problem, place=f"{place}[{number}]", found=item) from error
    _raise_refused_value(error, bound.arguments)
    raise error


def _raise_refused_value(error: Exception, arguments: Mapping[str, Any]) -> None:
    """Where a model of ours refuses a value of an argument, as too small, say that of the argument."""
    from pydantic import ValidationError  # whoever raised it has loaded it

    if isinstance(error, ValidationError):
        invalid = first_invalid(error)
        if invalid.is_missing and len(invalid.path) == 1:
            raise InputError("a value is required", place=invalid.place) from error
        for name, value in arguments.items():
            if invalid.value is value or invalid.path[:1] == (name,):
                raise InputError(invalid.problem, place=name, found=invalid.value) from error


@lru_cache(maxsize=1024)
def _annotations(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The annotations of the parameters; one that is for type checkers alone is Any."""
    return {
        name: _evaluated(each.annotation, function)
        for name, each in inspect.signature(function).parameters.items()
    }


def _evaluated(annotation: object, function: Callable[..., Any]) -> Any:
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    module = inspect.getmodule(function)
    assert module is not None
    # An alias that is a text is for type checkers, as what they import is.
    names = {name: Any if isinstance(each, str) else each for name, each in vars(module).items()}
    names["Self"] = _owner(function, names)
    with suppress(NameError):
        return eval(annotation, names)  # noqa: S307 - our own annotation
    try:
        exec(_for_checkers(module), names)  # noqa: S102 - our own imports
        return eval(annotation, names)  # noqa: S307
    except Exception:  # what cannot be told fits: the failure that is looked into stays as it is
        return Any


def _owner(function: Callable[..., Any], names: Mapping[str, Any]) -> Any:
    """The class of a method."""
    return names.get(function.__qualname__.partition(".")[0], Any)


@lru_cache(maxsize=256)
def _for_checkers(module: types.ModuleType) -> types.CodeType:
    """What a module imports for type checkers alone: to import it is slow, or goes around in a circle."""
    tree = ast.parse(inspect.getsource(module))
    guarded = (
        each
        for each in tree.body
        if isinstance(each, ast.If)
        and isinstance(each.test, ast.Name)
        and each.test.id == "TYPE_CHECKING"
    )
    body = [statement for each in guarded for statement in each.body]
    return compile(ast.Module(body, []), module.__name__, "exec")


def fits(value: object, annotation: Any) -> bool:  # noqa: C901, PLR0911, PLR0912 - one line for each kind
    """Whether a value is of an annotated type; whatever cannot be told fits.

    >>> fits(["a"], Sequence[str]), fits("a", Sequence[str]), fits(None, int | None), fits(True, int)
    (True, False, True, False)
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is types.NoneType:
        return value is None
    if origin is Annotated:
        return fits(value, arguments[0])
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if annotation in (int, float):
        return _is_number(value, annotation)
    if origin is type:
        return isinstance(value, type) and _is_subclass(value, arguments[0])
    if (origin or annotation) is Callable:
        # Of what a class returns, nothing has to be guessed.
        made = arguments[-1] if isinstance(value, type) and arguments else Any
        return callable(value) and (made is Any or _is_subclass(value, made))
    if isinstance(annotation, TypeVar):
        return annotation.__bound__ is None or fits(value, annotation.__bound__)
    if isinstance(annotation, str | ForwardRef | ParamSpec):
        return True
    if is_typeddict(annotation):
        return isinstance(value, Mapping)
    if origin is not None:
        return _holds(value, origin, arguments)
    if not isinstance(annotation, type) or annotation in (Any, object):
        return True
    if getattr(annotation, "_is_protocol", False):
        return all(hasattr(value, each) for each in _members(annotation))
    return isinstance(value, annotation)


def _is_subclass(kind: Any, wanted: Any) -> bool:
    """Whether a class is one of those that are wanted; whatever cannot be told is."""
    if isinstance(wanted, TypeVar):
        return wanted.__bound__ is None or _is_subclass(kind, wanted.__bound__)
    if wanted is None or wanted is types.NoneType:
        return False
    if get_origin(wanted) in (Union, types.UnionType):
        return any(_is_subclass(kind, each) for each in get_args(wanted))
    wanted = get_origin(wanted) or wanted
    if not isinstance(wanted, type) or wanted is object or getattr(wanted, "_is_protocol", False):
        return True
    return issubclass(kind, wanted)


def _is_number(value: object, kind: type) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, float):
        return kind is float and not math.isnan(value)
    return -_LARGEST < value < _LARGEST


def _holds(value: object, origin: Any, arguments: Sequence[Any]) -> bool:  # noqa: PLR0911
    """Whether it is a holder of that kind, and what it holds fits; an iterator is not used up."""
    if not isinstance(origin, type) or not isinstance(value, origin):
        return not isinstance(origin, type)
    if isinstance(value, str | bytes) and origin not in (str, bytes):
        return False
    if isinstance(value, Mapping) and issubclass(origin, Mapping) and len(arguments) == 2:
        keys, values = arguments
        return all(fits(key, keys) and fits(each, values) for key, each in value.items())
    if isinstance(value, Mapping):
        return False
    if not isinstance(value, list | tuple | set | frozenset) or not arguments:
        return True
    if origin is tuple and arguments[-1] is not ...:
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    return all(fits(each, arguments[0]) for each in value)


@lru_cache(maxsize=256)
def _members(protocol: type) -> frozenset[str]:
    """What an object needs to keep a protocol."""
    kinds = [each for each in protocol.__mro__ if getattr(each, "_is_protocol", False)]
    return frozenset(
        name
        for each in kinds
        for name in (*vars(each), *vars(each).get("__annotations__", {}))
        if not name.startswith("_") or name == "__call__"
    )


def worded(annotation: Any) -> str:  # noqa: PLR0911
    """An annotated type in words.

    >>> worded(Sequence[str]), worded(int | None), worded(Literal["a", "b"])
    ('a list (each: a text)', 'a whole number between -2**63 and 2**63 or None', "'a' or 'b'")
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in _WORDS:
        return _WORDS[annotation]
    if origin is Annotated:
        return worded(arguments[0])
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(worded, arguments)))
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin is type:
        return f"a class of {_name_of(arguments[0])}"
    if (origin or annotation) is Callable:
        return "a callable" + (f" (it returns: {worded(arguments[-1])})" if arguments else "")
    if (origin or annotation) in _HOLDERS:
        held = [worded(each) for each in arguments if each is not ...]
        inner = f" (each: {': '.join(dict.fromkeys(held))})" if held else ""
        return _HOLDERS[origin or annotation] + inner
    if origin is not None and origin in _WORDS:
        return _WORDS[origin]
    name = _name_of(annotation)
    return f"an object of {name}" if name else str(annotation)


def _name_of(annotation: Any) -> str:
    bound = annotation.__bound__ if isinstance(annotation, TypeVar) else None
    name: str = getattr(bound or annotation, "__name__", "")
    return name
