"""A parsed template in which loops, joined texts, slices and comparisons are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from jinja2 import nodes, pass_eval_context
from jinja2.nodes import EvalContext
from jinja2.runtime import markup_join, str_join
from jinja2.visitor import NodeTransformer

from biblicus_context.text.templates.filters import compared, searched
from biblicus_context.text.templates.render_limits import ITEM, spend, spend_on, spending

_N = TypeVar("_N", bound=nodes.Node)

_TURNS, _JOINED, _SLICED, _COMPARED = "a turn", "a joined text", "a slice", "a comparison"
"""Filters that no template can name, as names have no spaces."""


def metered(tree: nodes.Template) -> nodes.Template:
    """The same template; whatever repeats or multiplies is counted when it runs."""
    changed = _Metering().visit(tree)
    assert isinstance(changed, nodes.Template)
    return changed


class _Metering(NodeTransformer):
    def visit_For(self, loop: nodes.For) -> nodes.For:  # noqa: N802 - a name of Jinja2
        turn = sum(_size(node) for node in loop.find_all(nodes.Node))
        self.generic_visit(loop)
        loop.iter = _filter(_TURNS, loop.iter, nodes.Const(turn))
        return loop

    def visit_Concat(self, joined: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(joined)
        return _filter(_JOINED, _at(nodes.List(joined.nodes), joined))

    def visit_Getitem(self, item: nodes.Getitem) -> nodes.Node:  # noqa: N802
        self.generic_visit(item)
        if not isinstance(item.arg, nodes.Slice):
            return item
        ends = (item.arg.start, item.arg.stop, item.arg.step)
        return _filter(_SLICED, item.node, *(end or nodes.Const(None) for end in ends))

    def visit_Compare(self, compare: nodes.Compare) -> nodes.Node:  # noqa: N802
        self.generic_visit(compare)
        left, pairs = compare.expr, []
        for operand in compare.ops:
            pairs.append(_filter(_COMPARED, left, nodes.Const(operand.op), operand.expr))
            left = operand.expr
        first, *others = pairs
        whole: nodes.Expr = first
        for pair in others:
            whole = _at(nodes.And(whole, pair), compare)
        return whole


def _filter(name: str, value: nodes.Node, *args: nodes.Expr) -> nodes.Filter:
    known = [_at(arg, value) if isinstance(arg, nodes.Const) else arg for arg in args]
    return _at(nodes.Filter(value, name, known, [], None, None), value)


def _at(node: _N, where: nodes.Node) -> _N:
    node.set_lineno(where.lineno)
    return node.set_environment(where.environment)  # type: ignore[arg-type,return-value] # Jinja2's own


def _size(node: nodes.Node) -> int:
    """What one turn of a loop costs for this part of its body."""
    match node:
        case nodes.TemplateData(data=text) | nodes.Const(value=str(text)):
            return ITEM + len(text)
    return ITEM


@pass_eval_context
def _joined(context: EvalContext, parts: list[Any]) -> str:
    spend_on(parts)
    return markup_join(parts) if context.autoescape else str_join(parts)


def _sliced(value: Any, start: Any, stop: Any, step: Any) -> Any:
    part = value[start:stop:step]
    spend(ITEM + (len(part) if isinstance(part, str) else ITEM * len(part)))
    return part


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "lteq": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "gteq": lambda left, right: left >= right,
    "in": lambda left, right: left in right,
    "notin": lambda left, right: left not in right,
}


def _compared(left: Any, operator: str, right: Any) -> bool:
    if operator in ("in", "notin"):
        searched(left, right)
    else:
        compared(left, right)
    return _COMPARISONS[operator](left, right)


METERED: Final[Mapping[str, Callable[..., Any]]] = {
    _TURNS: spending,
    _JOINED: _joined,
    _SLICED: _sliced,
    _COMPARED: _compared,
}
