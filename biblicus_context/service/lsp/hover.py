"""What an editor shows at a place: what a key means, how long a text is, what a pack may use."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint import Plan, pack_shares, texts
from biblicus_context.reading import Place
from biblicus_context.service.lsp.names import name_at
from biblicus_context.service.lsp.places import FoundNode, found_at
from biblicus_context.service.lsp.project import CheckedProject
from biblicus_context.service.lsp.schema import setting_at
from biblicus_context.text import Counter, default_counter


def hover(checked: CheckedProject, file: str, place: Place) -> str | None:
    """Markdown about a place; None if there is nothing to say."""
    plan = checked.plan_at(file, place.line)
    found = plan and found_at(plan, place)
    if plan is None or not found:
        return None
    said = [*_of_name(checked, file, place), *_of_text(checked, plan, found)]
    said += [*_of_share(checked, plan, found)]
    if found.is_key or not said:
        setting = setting_at(plan.kind, found.path, plan.document.tree.root.value)
        said += [f"`{setting.key}`: {setting.description}"] if setting else []
    return "\n\n".join(said) or None


def _of_name(checked: CheckedProject, file: str, place: Place) -> Iterator[str]:
    name = name_at(checked, file, place)
    if name is None:
        return
    for each in checked.declared.entries:
        if each.name == name.name and name.noun in (each.kind, "pack"):
            described = getattr(each.declaration, "description", None)
            yield f"{each.kind} `{each.name}`" + (f": {described}" if described else "")


def _of_text(checked: CheckedProject, plan: Plan, found: FoundNode) -> Iterator[str]:
    counter = _counter(checked, plan)
    for text in texts(plan.declaration):
        if text.path == found.path:
            values = ", values not counted" if text.parsed.uses else ""
            yield f"{counter.count(text.parsed.fixed):,} tokens ({counter.name}{values})"


def _of_share(checked: CheckedProject, plan: Plan, found: FoundNode) -> Iterator[str]:
    for share in pack_shares(plan, checked.declared):
        at = tuple(share.insert.path)
        if found.path[: len(at)] != at or share.most is None:
            continue
        alone = "" if share.tokens is None else f"{share.tokens:,} tokens, and "
        yield f"pack `{share.insert.name}`: {alone}up to {share.most:,} of what others leave"


def _counter(checked: CheckedProject, plan: Plan) -> Counter:
    limits = plan.context and checked.declared.limits(plan.context)
    return limits.counter if limits else default_counter()
