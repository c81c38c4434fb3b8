"""A policy in numbers, for one assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from biblicus_context.assembly.shortener import Shortener
from biblicus_context.base.ratios import part_of
from biblicus_context.errors import BudgetError, PlanError, UnknownNameError
from biblicus_context.spec.budget import ContextBudgetSpec, ContextPackBudgetSpec
from biblicus_context.spec.dedupe import SAME_TEXT_IN_PACKS, PackDedupeSpec, dedupe_spec
from biblicus_context.spec.policy import ContextExpansionSpec, ContextPolicySpec, FramingSpec
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import Counter, Counters
from biblicus_context.text.counters.estimate import EstimatingCounter
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.messages.framing import UNSTATED_FRAMING, Framing, framing_named
from biblicus_context.text.messages.meter import MessageMeter
from biblicus_context.text.models.model import Model
from biblicus_context.text.models.table import ModelTable

if TYPE_CHECKING:
    from biblicus_context.text.compactors import BaseCompactor


SMALLEST_REMNANT: Final = 12
"""Tokens below which a remnant of a block says too little to be placed."""
_USUAL_COUNTER: Final = "o200k_base"


class Limits(NamedTuple):
    """Budgets in tokens and the tools to keep them."""

    budget: int | None
    pack_total: int | None
    overflow: Literal["compact", "error", "none"]
    counter: Counter
    meter: MessageMeter
    framing: Framing
    compactor: Callable[[], BaseCompactor]
    names_compactor: bool = False
    """Whether the plan names it: it then shortens what is over a share, and no retriever does."""
    max_iterations: int = 2
    expansion: ContextExpansionSpec | None = None
    """None: one page."""
    model: str | None = None
    knows_model: bool = True
    """Whether the model is in the table, where one is named."""
    window: int | None = None
    reserve: int = 0
    tools: int = 0
    each_tool: tuple[tuple[str, int], ...] = ()
    """The names of the tools, and the tokens of their definitions."""
    total: int | None = None
    """The input budget of the outermost context."""
    most: int | None = None
    """Of a nested context: what everything around it leaves, where that is less than its budget."""
    around: int = 0
    """Of a nested context: what its format takes off the budget for what is written around it."""
    dedupe: PackDedupeSpec | None = SAME_TEXT_IN_PACKS
    """Which blocks of several packs count as duplicates, of which one stays; None: all stay."""

    @property
    def whole(self) -> int | None:
        """What everything in the context has together."""
        known = [each for each in (self.budget, self.most) if each is not None]
        return min(known, default=None)

    @property
    def packs_at_most(self) -> int | None:
        """What packs can have together: the pack budget, or without one all that the rest leaves.

        None where nothing divides tokens among them.
        """
        if self.pack_total is not None or self.overflow != "compact":
            return self.pack_total
        return self.budget

    def shortener(self, query: str) -> Shortener:
        """Shortens text for this context, keeping what matters for `query`."""
        return Shortener(self.compactor(), self.counter, query)

    def part_of_budget(self, spec: ContextBudgetSpec | None) -> int | None:
        """A directive's own budget in tokens; its ratio is of the input budget."""
        if spec is None:
            return None
        if spec.ratio and spec.max_tokens is None and self.budget is None:
            raise PlanError(
                "a ratio needs an input budget to be a part of",
                place="budget",
                fix="Give the policy an input_budget or a model, or the directive max_tokens.",
            )
        if spec.ratio == 0:
            return 0
        return _smaller(spec.max_tokens, _part(spec.ratio, self.budget))


class Yardsticks(NamedTuple):
    """The registries that names in a policy are looked up in."""

    counters: Counters
    models: ModelTable
    compactors: Compaction
    conversation: Conversation
    """The history that was measured last."""


def _tool_name(tool: Mapping[str, Any], at: int) -> str:
    """In whatever provider's form it is: OpenAI's chat nests it, and a provider's own tool has a type alone."""
    nested = tool.get("function") or tool.get("custom")
    named = (nested if isinstance(nested, Mapping) else tool).get("name") or tool.get("type")
    return named if isinstance(named, str) else f"tools[{at}]"


def with_model(policy: ContextPolicySpec, model: str) -> ContextPolicySpec:
    """The policy with a model in place of its own, and of what its own model decided."""
    framing = policy.framing if policy.framing == "none" else None  # that is of no model
    update = {"model": model, "counter": None, "window": None, "framing": framing}
    return policy.model_copy(update=update)


def limits_of(
    policy: ContextPolicySpec, known: Yardsticks, tools: Sequence[Mapping[str, Any]]
) -> Limits:
    """The limits of a top-level context."""
    model = _model(policy, known.models)
    counter = _counter(policy, model, known.counters)
    framing = _framing(policy, model)
    images = model.images if model else None
    meter = MessageMeter(counter, framing, images, known.conversation)
    window = policy.window or (model.window if model else None)
    reserve = policy.reserve.output_tokens if policy.reserve else 0
    sizes = meter.measure_each_tool(tools) if tools else ()
    tool_tokens = meter.all_tools(sizes)
    usable = _usable(window, reserve, tool_tokens)
    budget = _input_budget(policy.input_budget, usable, tool_tokens)
    return Limits(
        budget=budget,
        total=budget,
        pack_total=_pack_total(policy.pack_budget, budget),
        overflow=policy.overflow or "compact",
        counter=counter,
        meter=meter,
        framing=framing,
        compactor=known.compactors.building(policy.compactor),
        names_compactor=policy.compactor is not None,
        max_iterations=policy.max_iterations,
        expansion=policy.expansion,
        model=policy.model,
        knows_model=policy.model is None or model is not None,
        window=window,
        reserve=reserve,
        tools=tool_tokens,
        each_tool=tuple(zip(map(_tool_name, tools, count()), sizes, strict=True)),
        dedupe=dedupe_spec(policy.dedupe, usual=SAME_TEXT_IN_PACKS),
    )


def nested_limits(
    policy: ContextPolicySpec | None, outer: Limits, cap: int | None, known: Yardsticks
) -> Limits:
    """The limits of a context placed as a pack: its own where it has them, within the outer share.

    Tokens are counted as the outer context counts them, since it is the outer share that is used up.
    What the nested policy leaves open is as in the outer one; packs may use the whole share unless
    the nested policy divides it.
    """
    own = policy or ContextPolicySpec()
    spec = own.input_budget
    budget = cap
    if spec is not None:
        budget = _smaller(cap, spec.max_tokens, _part(spec.ratio, cap or outer.budget))
    return outer._replace(
        budget=budget,
        most=None,
        around=0,
        pack_total=_pack_total(own.pack_budget, budget),
        overflow=own.overflow or outer.overflow,
        compactor=known.compactors.building(own.compactor) if own.compactor else outer.compactor,
        names_compactor=own.compactor is not None or outer.names_compactor,
        max_iterations=own.max_iterations if policy else outer.max_iterations,
        expansion=own.expansion or outer.expansion,
        dedupe=outer.dedupe
        if own.dedupe is None
        else dedupe_spec(own.dedupe, usual=SAME_TEXT_IN_PACKS),
    )


def without_around(limits: Limits, around: int) -> Limits:
    """The limits of a nested context whose format writes this much around what it holds."""
    if limits.budget is None or not around:
        return limits
    left = max(0, limits.budget - around)
    total = None if limits.pack_total is None else min(limits.pack_total, left)
    taken = limits.around + limits.budget - left
    return limits._replace(budget=left, around=taken, pack_total=total)


def _model(policy: ContextPolicySpec, models: ModelTable) -> Model | None:
    """The model of the table; None also where it is not there and the policy says how to count."""
    if policy.model is None:
        return None
    try:
        return models.find(policy.model)
    except UnknownNameError:
        if policy.fallback_counter is None or not policy.model.strip():
            raise
        return None


def _counter(policy: ContextPolicySpec, model: Model | None, counters: Counters) -> Counter:
    """That of the policy, else of the model; an unknown model may have one that Python passed."""
    name = policy.counter or policy.model or _USUAL_COUNTER
    fallback = policy.fallback_counter
    if fallback is None or policy.counter or model or policy.model in (None, *counters.names()):
        return counters.get(name)
    return EstimatingCounter(fallback, counters.get(fallback), margin=1.0)


def _usable(window: int | None, reserve: int, tools: int) -> int | None:
    if window is None:
        return None
    left = window - reserve - tools
    if left <= 0:
        raise BudgetError(
            f"the window of {window} tokens leaves nothing for the input",
            budget=window,
            needed=reserve + tools,
            parts={"reserve.output_tokens": reserve, "tools": tools},
            fix="Reserve less, pass fewer tools, or name a model with a larger window.",
        )
    return left


def _input_budget(spec: ContextBudgetSpec | None, usable: int | None, tools: int) -> int | None:
    if spec is None:
        return usable
    if spec.ratio is not None and usable is None:
        raise PlanError(
            "input_budget.ratio needs a window",
            found=spec.ratio,
            fix="Name a model, set window, or use input_budget.max_tokens.",
        )
    return _smaller(usable, _without_tools(tools, spec.max_tokens), _part(spec.ratio, usable))


def _without_tools(tools: int, limit: int | None) -> int | None:
    """What a limit on everything sent leaves once tool definitions are taken off, as they are sent too."""
    if limit is None or not tools:
        return limit
    if limit <= tools:
        raise BudgetError(
            f"the input budget of {limit} tokens leaves nothing besides the tool definitions",
            budget=limit,
            needed=tools,
            parts={"tools": tools},
            fix="Raise the budget, or pass fewer or shorter tools.",
        )
    return limit - tools


def _pack_total(spec: ContextPackBudgetSpec | None, budget: int | None) -> int | None:
    if spec is None:
        return None
    if spec.default_max_tokens is None and budget is None:
        raise PlanError(
            "pack_budget.default_ratio needs an input budget",
            found=spec.default_ratio,
            fix="Set input_budget, name a model, or use pack_budget.default_max_tokens.",
        )
    return _smaller(budget, spec.default_max_tokens, _part(spec.default_ratio, budget))


def _framing(policy: ContextPolicySpec, model: Model | None) -> Framing:
    if isinstance(policy.framing, FramingSpec):
        return Framing(**policy.framing.model_dump())
    if policy.framing is not None:
        return framing_named(policy.framing)
    return model.framing if model else UNSTATED_FRAMING


def _part(ratio: float | None, whole: int | None) -> int | None:
    return None if ratio is None or whole is None else part_of(whole, ratio)


def _smaller(*limits: int | None) -> int | None:
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None
