"""Jinja2 in a sandbox that reads values, calls nothing, and does a bounded amount of work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial, wraps
from traceback import walk_tb
from typing import Any, Final, NamedTuple, TypeAlias

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, UndefinedError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from biblicus_context.errors import TemplateError
from biblicus_context.text.templates.filters import (
    PRICES,
    RefusedNumberError,
    compared,
    formatted,
    priced,
    searched,
)
from biblicus_context.text.templates.jinja_metered import METERED, metered
from biblicus_context.text.templates.placeholders import PLACEHOLDER, located, unknown_name
from biblicus_context.text.templates.render_limits import (
    TooMuchWorkError,
    bounded_work,
    spend,
    spend_on,
    spend_on_items,
)
from biblicus_context.text.templates.syntax_wording import syntax_problem
from biblicus_context.text.templates.values import (
    MISSING,
    NoSuchPartError,
    as_text,
    known_parts,
    part_of,
)

Names: TypeAlias = Mapping[str, object]
Paths: TypeAlias = frozenset[str]

_WORDS: Final = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"}
)
_LOADING: Final = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_LONGEST_DETAIL: Final = 200

_LARGEST_FACTOR: Final = 10**18


def compiled_text(source: str, place: str | None) -> tuple[Paths, Callable[[Names], str]]:
    """The dotted paths that a template uses, and the function that renders it."""
    try:
        rewritten = _with_expressions(source)
        tree = sandbox().parse(rewritten)
        _refuse_calls(tree)
        with bounded_work():
            template = sandbox().from_string(rewritten)
        paths = _used_paths(tree)
    except Exception as error:  # Jinja2 evaluates constants while it compiles
        raise _explained(error, source, place, {}) from None

    def write(names: Names) -> str:
        try:
            with bounded_work():
                return template.render(_public(names))
        except Exception as error:  # filters may raise any error
            raise _explained(error, source, place, names) from None

    return paths, write


def writes_once(source: str, name: str) -> bool:
    """Whether a template writes this value once, unchanged, and else asks only whether it is empty."""
    tree = sandbox().parse(_with_expressions(source))
    used = sum(node.name == name for node in tree.find_all(nodes.Name))
    asked = sum(
        isinstance(node.test, nodes.Name) and node.test.name == name
        for node in tree.find_all(nodes.If)
    )
    return used - asked == 1 == sum(node.name == name for node in _written_names(tree))


def _written_names(node: nodes.Node) -> Iterator[nodes.Name]:
    """The names that are written as they are, at most once each; loops repeat what is in them."""
    for child in node.iter_child_nodes():
        if isinstance(node, nodes.Output) and isinstance(child, nodes.Name):
            yield child
        elif isinstance(child, nodes.Output | nodes.If | nodes.With):
            yield from _written_names(child)


def compiled_expression(source: str, place: str | None) -> tuple[Paths, Callable[[Names], bool]]:
    """The dotted paths that an expression uses, and the function that evaluates it."""
    try:
        with bounded_work():
            expression = sandbox().compile_expression(source, undefined_to_none=False)
        tree = sandbox().parse(f"{{{{ ({source}) }}}}")
        _refuse_calls(tree)
        paths = _used_paths(tree)
    except Exception as error:  # Jinja2 evaluates constants while it compiles
        raise _explained(error, source, place, {}) from None

    def decide(names: Names) -> bool:
        try:
            with bounded_work():
                return bool(expression(_public(names)))
        except Exception as error:  # filters may raise any error
            raise _explained(error, source, place, names) from None

    return paths, decide


class _UnknownNameError(UndefinedError):
    def __init__(self, owner: object, name: str, message: str | None = None) -> None:
        super().__init__(message)
        self.owner = owner
        self.name = name


class _RefusedError(Exception):
    """A template does what it must not; `line` is set if known at compile time."""

    def __init__(self, problem: str, *, line: int | None = None, fix: str | None = None) -> None:
        super().__init__(problem)
        self.line = line
        self.fix = fix


class _Missing(StrictUndefined):
    """Remembers the name that was looked up, so that the error can list the known names."""

    __slots__ = ()

    def __init__(
        self, hint: str | None = None, obj: Any = missing, name: Any = None, exc: Any = None
    ) -> None:
        if exc is None:
            exc = UndefinedError if hint else partial(_UnknownNameError, obj, str(name))
        super().__init__(hint, obj, name, exc)


def _default(value: Any, default_value: Any = "", boolean: Any = None) -> Any:
    """A default for an input that was not passed as well: it is null, which Jinja's own keeps."""
    missing_value = value is None or value is MISSING or isinstance(value, Undefined)
    return default_value if missing_value or (boolean and not value) else value


class _Sandbox(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "-", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            undefined=_Missing, autoescape=False, keep_trailing_newline=True, finalize=_written
        )
        self.globals.clear()
        own = {**self.filters, "format": formatted, "attr": self.getattr}
        own["default"] = own["d"] = _default
        # `random` has no price: the same inputs have to give the same text.
        self.filters = {name: priced(name, own[name]) for name in PRICES} | {**METERED}
        tests: Mapping[str, Any] = self.tests
        self.tests = {name: _priced_test(name, test) for name, test in tests.items()}

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        return super()._generate(metered(source), *args, **kwargs)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)
        if attribute.startswith("_"):
            return self.undefined(obj=obj, name=attribute)
        if isinstance(obj, LoopContext):
            return super().getattr(obj, attribute)
        try:
            return part_of(obj, attribute)
        except NoSuchPartError:
            return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(argument, str):
            return self.getattr(obj, argument)
        try:
            if isinstance(obj, Mapping | Sequence):
                return obj[argument]
        except (TypeError, LookupError):
            pass
        return self.undefined(obj=obj, name=argument)

    def is_safe_callable(self, obj: Any) -> bool:
        return False

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "%" and isinstance(left, str):
            return _FORMAT(left, *(right if isinstance(right, tuple) else (right,)))
        if operator in "+-" and not (_is_number(left) and _is_number(right)):
            spend_on_items(left)
            spend_on_items(right)
        if operator == "**":
            raise _RefusedError("templates cannot raise to a power")
        if operator == "*" and not (_is_small(left) and _is_small(right)):
            raise _RefusedError("templates can only multiply numbers of ordinary size")
        return super().call_binop(context, operator, left, right)


sandbox = cache(_Sandbox)


_FORMAT: Final = priced("format", formatted)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _is_small(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < _LARGEST_FACTOR


def _written(value: object) -> str:
    spend_on(value)
    text = as_text(value)
    if text is not value:
        spend(len(text))
    return text


def _priced_test(name: str, test: Callable[..., Any]) -> Callable[..., Any]:
    price = searched if name == "in" else compared

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> Any:
        match args:
            case (left, right) if not hasattr(test, "jinja_pass_arg"):
                price(left, right)
            case _:
                spend_on(args[-1])
        return test(*args, **kwargs)

    return run


def _with_expressions(source: str) -> str:
    """The template with its placeholders as Jinja2 expressions, on the same lines."""
    source = _LINE_END.sub("\n", source)
    pieces: list[str] = []
    position, raw = 0, False
    for _, kind, value in sandbox().lex(source):
        start = source.index(value, position)  # the tokens lack the white space that "-" strips
        pieces.append(source[position:start])
        raw = kind == "raw_begin" or (raw and kind != "raw_end")
        pieces.append(PLACEHOLDER.sub(_expression, value) if kind == "data" and not raw else value)
        position = start + len(value)
    return "".join([*pieces, source[position:]])


def _expression(placeholder: re.Match[str]) -> str:
    first, *rest = placeholder[1].split(".")
    if first in _WORDS:
        raise _RefusedError(f"'{first}' is a word of the template language and cannot be a name")
    parts = (f"[{int(part)}]" if part.isdecimal() else f'["{part}"]' for part in rest)
    return f"{{{{ {first}{''.join(parts)} }}}}"


def _refuse_calls(tree: nodes.Template) -> None:
    for call in tree.find_all(nodes.Call):
        called = _dotted(call.node) or "what an expression gives"
        raise _RefusedError(
            f"templates cannot call {called}",
            line=call.lineno,
            fix="Use a filter, as in {{ name | upper }}.",
        )
    for statement in tree.find_all(_LOADING):
        raise _RefusedError("templates cannot load other templates", line=statement.lineno)


def _used_paths(tree: nodes.Template) -> Paths:
    given = meta.find_undeclared_variables(tree)
    return frozenset(path for path in _paths(tree) if path.split(".")[0] in given)


def _paths(node: nodes.Node) -> Iterator[str]:
    path = _dotted(node)
    if path is not None:
        yield path
        return
    for child in node.iter_child_nodes():
        yield from _paths(child)


def _dotted(node: nodes.Node) -> str | None:
    match node:
        case nodes.Name(name=name):
            return str(name)
        case nodes.Getattr(node=owner, attr=part):
            path = _dotted(owner)
        case nodes.Getitem(node=owner, arg=nodes.Const(value=str() | int() as part)):
            path = _dotted(owner)
        case _:
            return None
    return None if path is None else f"{path}.{part}"


def _public(names: Names) -> dict[str, object]:
    return {name: value for name, value in names.items() if not name.startswith("_")}


def _explained(error: Exception, source: str, place: str | None, names: Names) -> TemplateError:
    """The error for a failure, with its line in the template."""
    match error:
        case TemplateSyntaxError():
            lines = _LINE_END.split(source)
            said, fix = syntax_problem(_short(error.message or ""))
            return TemplateError(
                f"the template cannot be parsed: {said}",
                place=located(place, error.lineno),
                found=lines[min(error.lineno, len(lines)) - 1].strip(),
                fix=fix,
            )
        case _UnknownNameError():
            known = known_parts(names if error.owner is missing else error.owner)
            return unknown_name(error.name, known, place=_at(place, _line(error)))
        case RefusedNumberError() | TooMuchWorkError():
            return TemplateError(str(error), place=_at(place, _line(error)), fix=error.fix)
        case _RefusedError():
            at = _at(place, error.line or _line(error))
            return TemplateError(str(error), place=at, fix=error.fix)
        case SecurityError():
            return TemplateError("templates cannot call anything", place=_at(place, _line(error)))
    detail = f"{type(error).__name__}: {_short(str(error))}"
    return TemplateError(
        f"the template cannot be rendered: {detail}", place=_at(place, _line(error))
    )


def _line(error: Exception) -> int | None:
    lines = [
        line
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_code.co_filename == "<template>"
    ]
    return lines[-1] if lines else None


def _at(place: str | None, line: int | None) -> str | None:
    return place if line is None else located(place, line)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_DETAIL else f"{text[: _LONGEST_DETAIL - 1]}…"


class JinjaCompilers(NamedTuple):
    """What a plan needs of Jinja2, loaded together when the first text or condition needs it."""

    text: Callable[[str, str | None], tuple[Paths, Callable[[Names], str]]] = compiled_text
    condition: Callable[[str, str | None], tuple[Paths, Callable[[Names], bool]]] = (
        compiled_expression
    )
    writes_once: Callable[[str, str], bool] = writes_once
