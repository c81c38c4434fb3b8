"""The texts of settings, in which a key, a token or a password may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.memoize import once_per_document
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import Steps


class SettingText(NamedTuple):
    """A text and its path."""

    path: Steps
    value: str


@once_per_document
def setting_texts(plan: Plan, declared: Declarations) -> tuple[SettingText, ...]:
    """The texts in the settings of a document."""
    del declared
    config = plan.document.tree.root.part("config")
    found = list(_within(config.value, ("config",))) if config else []
    policy = policy_in(plan)
    if policy is not None:
        named = {"counter": policy.spec.counter, "fallback_counter": policy.spec.fallback_counter}
        found += [SettingText(policy.at(key), name) for key, name in named.items() if name]
    return tuple(found)


def _within(value: object, path: Steps) -> Iterator[SettingText]:
    if isinstance(value, str):
        yield SettingText(path, value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _within(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _within(inner, (*path, index))
