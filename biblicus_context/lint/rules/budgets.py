"""Budgets: token limits, and settings that never take effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from biblicus_context.assembly.limits import SMALLEST_REMNANT, Limits
from biblicus_context.errors import BudgetError, PlanError, UnknownNameError
from biblicus_context.lint.engine.finding import Severity, Violation, Violations
from biblicus_context.lint.engine.rule import rule
from biblicus_context.lint.facts.budgets.pack_shares import (
    PackShare,
    oversized_inserts,
    pack_shares,
)
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.budgets.policies import (
    WrittenPolicy,
    asks_no_retriever,
    is_called,
    is_inserted,
    is_overridden_below,
    lacks_shares,
    limits_in,
    obeying,
    policy_error,
    policy_in,
    shrinks_nothing,
)
from biblicus_context.lint.facts.budgets.sizes import pinned_text
from biblicus_context.lint.facts.project.builtin_retrievers import fills_share
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal, without_effect
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.reading.compactor_settings import compactors_of
from biblicus_context.retrieval.requests.request import DEFAULT_LIMIT
from biblicus_context.spec.budget import ContextBudgetSpec
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec, SystemMessageSpec
from biblicus_context.spec.retriever import RetrieverDeclaration

# Texts and reserves that leave nothing.


@rule("BC301", "pinned-text-over-budget", Severity.ERROR)
def pinned_text_over_budget(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    if context is None or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if limits is None or limits.budget is None:
        return
    size = pinned_text(context, limits, declared)
    if size is not None and size.tokens > limits.budget:
        yield plan.violation(
            size.largest,
            f"the text that every call places needs {size.tokens:,} tokens, "
            f"but the input budget is {limits.budget:,}",
            advice=f"This text has {size.largest_tokens:,} tokens: shorten it, mark system text "
            "with shrink: true, or raise the budget.",
        )


@rule("BC302", "reserve-exceeds-window", Severity.ERROR)
def reserve_exceeds_window(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if policy is None or policy.spec.reserve is None or limits_in(plan, declared) is not None:
        return
    error = policy_error(policy.spec, declared)
    if isinstance(error, BudgetError):
        reserved = policy.spec.reserve.output_tokens
        yield plan.violation(
            policy.at("reserve", "output_tokens"),
            f"the reserve of {reserved:,} tokens uses the whole window of {error.budget:,} tokens, "
            "so nothing is left for the input",
            advice="Reserve fewer tokens, or use a model with a larger window.",
        )


# Shares of packs.


@rule("BC303", "pack-share-too-small", Severity.WARNING)
def pack_share_too_small(plan: Plan, declared: Declarations) -> Violations:
    for share in pack_shares(plan, declared):
        if share.tokens is None or not share.claim.elastic:
            continue
        left = share.tokens - share.claim.needs
        if left < SMALLEST_REMNANT:
            plural = "" if share.tokens == 1 else "s"
            is_capped = share.own is not None and share.own == share.tokens
            yield plan.violation(
                (*share.insert.path, "name"),
                f"the share of pack '{share.insert.name}' is {share.tokens} token{plural}, "
                f"{_what_is_left(share, left)}",
                advice="Raise the budget of the pack."
                if is_capped
                else "Raise the pack budget, or insert fewer packs.",
            )


def _what_is_left(share: PackShare, left: int) -> str:
    if share.claim.needs:
        return f"of which its own texts leave {max(0, left)} for evidence"
    return "which is too few for a sentence" if share.tokens else "so it is never fetched"


@rule("BC304", "unreachable-pack-budget", Severity.WARNING)
def unreachable_pack_budget(plan: Plan, declared: Declarations) -> Violations:
    shares = pack_shares(plan, declared)
    for share in shares:
        if share.own is not None and share.most is not None and share.own > share.most:
            yield plan.violation(
                (*share.insert.path, "budget"),
                f"the budget of pack '{share.insert.name}' is {share.own:,} tokens, "
                f"but it can get at most {share.most:,}",
                advice="Lower it, or raise the pack budget.",
            )
    yield from _more_than_the_input(plan, declared, shares)


def _more_than_the_input(
    plan: Plan, declared: Declarations, shares: tuple[PackShare, ...]
) -> Violations:
    """Where nothing divides the input budget, the budgets of the packs add up."""
    limits = declared.limits(plan.context) if plan.context and shares else None
    if limits is None or limits.budget is None or limits.packs_at_most is not None:
        return
    together = 0
    for share in shares:
        together += (share.own or 0) if share.insert.always else 0
        if together > limits.budget:
            yield plan.violation(
                (*share.insert.path, "budget"),
                f"the budgets of the packs add up to {together:,} tokens, "
                f"but the input budget is {limits.budget:,}",
                advice="Lower them, or divide the input budget with pack_budget and weights.",
            )
            return


@rule("BC305", "unresolvable-ratio", Severity.ERROR)
def unresolvable_ratio(plan: Plan, declared: Declarations) -> Violations:
    yield from _unresolvable_in_policy(plan, declared)
    context = plan.context
    if context is None or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if limits is None or limits.budget is not None:
        return
    for path, budget in _own_budgets(plan, declared):
        if budget.ratio is not None and budget.max_tokens is None:
            yield plan.violation(
                (*path, "budget", "ratio"),
                "the ratio refers to the input budget, but none is set",
                advice="Set input_budget or model in the policy, or write max_tokens here.",
            )


def _unresolvable_in_policy(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if policy is None or limits_in(plan, declared) is not None or not is_called(plan, declared):
        return
    error = policy_error(policy.spec, declared)
    if not isinstance(error, PlanError) or isinstance(error, UnknownNameError):
        return
    for key in ("input_budget.ratio", "pack_budget.default_ratio"):
        if error.problem.startswith(key):
            yield plan.violation(policy.at(*key.split(".")), error.problem, advice=error.fix)


def _own_budgets(plan: Plan, declared: Declarations) -> Iterator[tuple[Steps, ContextBudgetSpec]]:
    for insert in inserts(plan, declared):
        if insert.options.budget:
            yield insert.path, insert.options.budget
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.budget:
            yield path, history.budget


# Settings of a directive or a policy that never take effect.

_LIMITS: Final = ("keep_last", "max_turns", "budget", "start_on", "compactor", "low_mark")


@rule("BC306", "pinned-history-with-limits", Severity.WARNING)
def pinned_history_with_limits(plan: Plan, _: Declarations) -> Violations:
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        for key in _LIMITS if history.pin else ():
            if key in history.model_fields_set:
                # A ratio without an input budget is an error, which a fix must not hide.
                has_ratio = history.budget is not None and history.budget.ratio is not None
                yield without_effect(
                    plan,
                    (*path, key),
                    "the history is pinned, so no turn is ever dropped",
                    f"Remove {key}, or remove pin.",
                    is_removed=not (key == "budget" and has_ratio),
                )


@rule("BC307", "ineffective-expansion", Severity.WARNING)
def ineffective_expansion(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    expansion = policy.spec.expansion if policy else None
    if policy is None or expansion is None:
        return
    pages, ratio = policy.at("expansion", "max_pages"), policy.at("expansion", "min_fill_ratio")
    if expansion.max_pages == 1:
        if expansion.min_fill_ratio is not None:
            advice = "Set max_pages to 2 or more, or remove min_fill_ratio."
            yield without_effect(plan, ratio, "max_pages is 1", advice)
    elif expansion.min_fill_ratio == 0:
        problem = "no second page is ever fetched: min_fill_ratio is 0"
        yield plan.violation(ratio, problem, advice="Set min_fill_ratio above 0, or remove it.")
    elif lacks_shares(plan, declared):
        problem = "no second page is ever fetched: no pack has a share"
        advice = "Set input_budget or pack_budget, or give the packs their own budget."
        yield plan.violation(pages, problem, advice=advice)
    elif asks_no_retriever(plan, declared):
        problem = "'expansion' has no effect: this context has no retriever"
        yield plan.violation(pages, problem, advice="Remove expansion.")


@rule("BC308", "ineffective-max-iterations", Severity.WARNING)
def ineffective_max_iterations(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if policy is None or "max_iterations" not in policy.spec.model_fields_set:
        return
    because = _no_second_pass(policy, plan, declared)
    if because:
        yield without_effect(plan, policy.at("max_iterations"), because)


def _no_second_pass(policy: WrittenPolicy, plan: Plan, declared: Declarations) -> str | None:
    overflow = policy.spec.overflow
    if overflow in ("error", "none"):
        return f"with overflow: {overflow} no retriever is called again"
    if asks_no_retriever(plan, declared):
        return "this context has no retriever"
    if lacks_shares(plan, declared):
        return "no pack has a share"
    return None


@rule("BC309", "unreachable-compactor", Severity.WARNING)
def unreachable_compactor(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if policy is not None and policy.spec.compactor is not None:
        yield from _unused_compactor_of_policy(policy, plan, declared)
    yield from _unused_compactor_of_history(plan, declared)


def _unused_compactor_of_policy(
    policy: WrittenPolicy, plan: Plan, declared: Declarations
) -> Violations:
    path, overflow = policy.at("compactor"), policy.spec.overflow
    if overflow in ("error", "none"):
        if not any(is_overridden_below(each, declared) for each in obeying(plan, declared)):
            yield plan.violation(
                path,
                f"the compactor is never used: with overflow: {overflow} nothing is shortened",
                advice="Remove it, or set overflow: compact.",
                edits=removal(plan, path),
            )
        return
    context = plan.context
    if context is None or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if shrinks_nothing(context, declared):
        yield plan.violation(
            path,
            "the compactor is never used: the plan has no packs and no texts with shrink: true",
            advice="Remove it. Turns of the history are dropped whole; to summarize them, set "
            "a compactor on the history.",
        )
    elif limits is not None and limits.budget is None and lacks_shares(plan, declared):
        problem = "the compactor is never used: no budget is set"
        yield plan.violation(path, problem, advice="Set input_budget or pack_budget.")


def _unused_compactor_of_history(plan: Plan, declared: Declarations) -> Violations:
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.compactor is None:
            continue
        limits = declared.limits(plan.context) if plan.context else None
        if limits is None or history.pin:
            return
        if limits.overflow != "compact":
            reason = f"with overflow: {limits.overflow} no turn is dropped"
        elif limits.budget is None:
            reason = "without an input budget no turn is dropped"
        else:
            return
        problem = f"the compactor of the history is never used: {reason}"
        advice = "Remove it, or change the policy."
        yield plan.violation((*path, "compactor"), problem, advice=advice)


# Numbers that contradict each other.


@rule("BC310", "budget-exceeds-limit", Severity.WARNING)
def budget_exceeds_limit(plan: Plan, declared: Declarations) -> Violations:
    yield from _ratios_above_one(plan, declared)
    policy = policy_in(plan)
    limits = limits_in(plan, declared) if policy else None
    if policy is not None and limits is not None:
        yield from _tokens_above_limits(plan, policy, limits)
    context_limits = declared.limits(plan.context) if plan.context else None
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if context_limits is not None and context_limits.budget is not None and history.budget:
            own = (*path, "budget", "max_tokens")
            yield from _above_input(plan, own, history.budget.max_tokens, context_limits.budget)


def _ratios_above_one(plan: Plan, declared: Declarations) -> Violations:
    for path, ratio in _ratios(plan, declared):
        if ratio is not None and ratio > 1:
            is_percent = 2 <= ratio <= 100
            yield plan.violation(
                path,
                f"the ratio {ratio:g} is greater than 1",
                advice=f"Write {ratio / 100:g} for {ratio:g} %."
                if is_percent
                else "Write a number from 0 to 1.",
            )


def _ratios(plan: Plan, declared: Declarations) -> Iterator[tuple[Steps, float | None]]:
    policy = policy_in(plan)
    if policy and policy.spec.input_budget:
        yield policy.at("input_budget", "ratio"), policy.spec.input_budget.ratio
    if policy and policy.spec.pack_budget:
        yield policy.at("pack_budget", "default_ratio"), policy.spec.pack_budget.default_ratio
    for path, budget in _own_budgets(plan, declared):
        yield (*path, "budget", "ratio"), budget.ratio


def _tokens_above_limits(plan: Plan, policy: WrittenPolicy, limits: Limits) -> Violations:
    whole, packs = policy.spec.input_budget, policy.spec.pack_budget
    if whole and limits.window is not None:
        path = policy.at("input_budget", "max_tokens")
        left = limits.window - limits.reserve
        limit = f"the {left:,} tokens that the window leaves after the reserve"
        yield from _above(plan, path, whole.max_tokens, left, limit)
    if packs and limits.budget is not None:
        path = policy.at("pack_budget", "default_max_tokens")
        yield from _above_input(plan, path, packs.default_max_tokens, limits.budget)


def _above_input(plan: Plan, path: Steps, tokens: int | None, budget: int) -> Violations:
    return _above(plan, path, tokens, budget, f"the input budget of {budget:,} tokens")


def _above(plan: Plan, path: Steps, tokens: int | None, most: int, limit: str) -> Violations:
    if tokens is not None and tokens > most:
        problem = f"{tokens:,} tokens exceed {limit}"
        yield plan.violation(path, problem, advice="Lower this number: the smaller one applies.")


@rule("BC311", "contradictory-history-limits", Severity.WARNING)
def contradictory_history_limits(plan: Plan, declared: Declarations) -> Violations:
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        if history.pin:
            continue
        keep, most = history.keep_last, history.max_turns
        if most is not None and most < keep:
            yield plan.violation(
                (*path, "max_turns"),
                f"'max_turns' is {most}, but 'keep_last' always keeps {keep} turns",
                advice="Set max_turns to at least keep_last, or lower keep_last.",
            )
        elif most == 0:
            problem = "'max_turns' is 0, so the history is never placed"
            yield plan.violation((*path, "max_turns"), problem, advice="Remove this directive.")
        budget = _history_budget(plan, declared, history)
        if budget is not None and budget.tokens < keep * budget.least_per_turn:
            yield plan.violation(
                (*path, "keep_last"),
                f"'keep_last' keeps {keep} turns, which never fit into the budget of "
                f"{budget.tokens} tokens",
                advice="Lower keep_last, or raise the budget of the history.",
            )


class _HistoryBudget(NamedTuple):
    tokens: int
    least_per_turn: int
    """One token, and what the message format adds."""


def _history_budget(
    plan: Plan, declared: Declarations, history: HistoryInsertSpec
) -> _HistoryBudget | None:
    limits = declared.limits(plan.context) if plan.context else None
    if limits is None or history.budget is None:
        return None
    try:
        tokens = limits.part_of_budget(history.budget)
    except PlanError:  # BC305 reports a ratio that cannot be resolved
        return None
    return None if tokens is None else _HistoryBudget(tokens, limits.framing.per_message + 1)


@rule("BC312", "ineffective-shrink", Severity.WARNING)
def ineffective_shrink(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    texts = directives_of(plan.declaration, SystemMessageSpec)
    shrinking = [(*path, "shrink") for path, text in texts if text.shrink]
    if context is None or not shrinking or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if limits is None:
        return
    for path in shrinking:
        if limits.overflow != "compact":
            because = f"with overflow: {limits.overflow} nothing is shortened"
            yield without_effect(plan, path, because, "Remove shrink, or set overflow: compact.")
        elif limits.budget is None:
            because, advice = "no input budget is set", "Set input_budget or model in the policy."
            yield without_effect(plan, path, because, advice, is_removed=False)


@rule("BC313", "priority-without-shrink", Severity.WARNING)
def priority_without_shrink(plan: Plan, _: Declarations) -> Violations:
    for path, text in directives_of(plan.declaration, SystemMessageSpec):
        if not text.shrink and "priority" in text.model_fields_set:
            key = (*path, "priority")
            because, advice = "this text never shrinks", "Remove it, or set shrink: true."
            yield without_effect(plan, key, because, advice)


@rule("BC314", "ineffective-weight", Severity.NOTE)
def ineffective_weight(plan: Plan, declared: Declarations) -> Violations:
    found = inserts(plan, declared)
    for only in found if len(found) == 1 else ():
        for key in ("weight", "priority"):
            if key in only.options.model_fields_set:
                because = f"'{only.name}' is the only pack of this context"
                yield without_effect(plan, (*only.path, key), because)


@rule("BC315", "reserve-without-window", Severity.WARNING)
def reserve_without_window(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if policy is None or policy.spec.reserve is None:
        return
    limits = limits_in(plan, declared)
    if limits is not None and limits.window is None and limits.reserve:
        yield plan.violation(
            policy.at("reserve"),
            f"{limits.reserve:,} tokens are reserved, but the window of the model is not known",
            advice="Set model or window; the reserve is not subtracted from input_budget.max_tokens.",
        )


@rule("BC316", "pack-budget-without-packs", Severity.WARNING)
def pack_budget_without_packs(plan: Plan, declared: Declarations) -> Violations:
    policy = policy_in(plan)
    if plan.kind != "context" or policy is None or policy.spec.pack_budget is None:
        return
    if not inserts(plan, declared):
        because = "this context inserts no pack"
        advice = "Remove it, or insert a pack: {type: context, name: ...}."
        yield without_effect(plan, policy.at("pack_budget"), because, advice, is_removed=False)


# Budgets of nested contexts, chains of compactors, and minimums.


@rule("BC318", "nested-budget-over-share", Severity.NOTE)
def nested_budget_over_share(plan: Plan, declared: Declarations) -> Violations:
    for share in pack_shares(plan, declared):
        nested = share.insert.nested
        policy = declared.policy(nested) if nested and share.most else None
        budget = policy.input_budget.max_tokens if policy and policy.input_budget else None
        if budget is not None and share.most is not None and budget > share.most:
            yield plan.violation(
                (*share.insert.path, "name"),
                f"context '{share.insert.name}' has an input budget of {budget:,} tokens, "
                f"but it can get at most {share.most:,} here",
                advice="Raise the budget of the pack or pack_budget.",
            )


_ALWAYS_FIT: Final = frozenset({"truncate", "tail", "head_tail"})


@rule("BC319", "unreachable-chain-step", Severity.WARNING)
def unreachable_chain_step(plan: Plan, declared: Declarations) -> Violations:
    for path, settings in compactors_of(plan.declaration):
        kinds = [_compactor_type(step, declared) for step in settings.get("steps", ())]
        fitting = next((at for at, kind in enumerate(kinds[:-1]) if kind in _ALWAYS_FIT), None)
        if fitting is not None:
            kind = kinds[fitting]
            yield plan.violation(
                (*path, "steps", fitting + 1),
                f"the step is never reached: the result of '{kind}' before it always fits",
                advice=f"Put '{kind}' last, or remove the steps after it.",
            )


def _compactor_type(step: object, declared: Declarations) -> object:
    if isinstance(step, Mapping):
        return step.get("type")
    entry = declared.by_name.get(("compactor", str(step)))
    if entry is not None and isinstance(entry.declaration, CompactorDeclaration):
        return entry.declaration.config.get("type")
    return step


@rule("BC320", "nested-text-cannot-fit", Severity.ERROR)
def nested_text_cannot_fit(plan: Plan, declared: Declarations) -> Violations:
    for found in oversized_inserts(plan, declared):
        yield plan.violation(
            (*found.insert.path, "name"),
            found.problem,
            advice="Raise the budget, shorten the text, or mark system text with shrink: true.",
        )


@rule("BC321", "minimums-over-budget", Severity.WARNING)
def minimums_over_budget(plan: Plan, declared: Declarations) -> Violations:
    shares = pack_shares(plan, declared)
    for share in shares:
        if share.own is not None and share.claim.minimum > share.own:
            problem = (
                f"min_tokens is {share.claim.minimum:,}, but the pack can get at most "
                f"{share.own:,} by its own budget"
            )
            yield _minimum(plan, share, problem)
    limits = declared.limits(plan.context) if plan.context else None
    if limits is not None and limits.overflow != "none":
        yield from _minimums_together(plan, shares, limits)


def _minimums_together(plan: Plan, shares: tuple[PackShare, ...], limits: Limits) -> Violations:
    total, name = limits.pack_total, "pack budget"
    if total is None:
        total, name = limits.budget, "input budget"
    together = 0
    for share in shares:
        together += share.claim.floor if share.insert.always else 0
        if total is not None and together > total and share.claim.minimum:
            problem = (
                f"the packs are guaranteed {together:,} tokens up to here, "
                f"but the {name} is {total:,}"
            )
            yield _minimum(plan, share, problem)
            return


def _minimum(plan: Plan, share: PackShare, problem: str) -> Violation:
    path = (*share.insert.path, "budget", "min_tokens")
    return plan.violation(path, problem, advice="Lower min_tokens, or raise the budget.")


# What a default decides.


@rule("BC322", "default-limit", Severity.NOTE)
def default_limit(plan: Plan, declared: Declarations) -> Violations:
    context = plan.context
    limits = declared.limits(context) if context else None
    if context is None or limits is None or is_inserted(context, declared):
        return
    if limits.packs_at_most is not None:
        return
    for insert in inserts(plan, declared):
        entry = declared.by_name.get(("retriever", insert.name))
        retriever = entry.declaration if entry else None
        if not isinstance(retriever, RetrieverDeclaration) or insert.options.budget is not None:
            continue
        if fills_share(retriever, declared) and "limit" not in retriever.config:
            yield plan.violation(
                (*insert.path, "name"),
                f"no budget gives pack '{insert.name}' a share, so it gets the {DEFAULT_LIMIT} best "
                "blocks",
                advice="Set input_budget or pack_budget in the policy, or limit in the config of the "
                "retriever.",
            )
