"""The inputs that a context takes: those it declares, else those that its texts use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from biblicus_context.assembly.registries import Registries
from biblicus_context.retrieval.requests.settings import RequestSettings
from biblicus_context.spec.context import ContextDeclaration, InputSpec
from biblicus_context.spec.directive import TextDirective
from biblicus_context.text.templates.placeholders import names_in
from biblicus_context.text.templates.template import compile_condition, compile_template

_INPUT = "input."


def wanted_inputs(name: str, registries: Registries) -> dict[str, InputSpec]:
    """The inputs of a context by name; what nothing declares is known by its use alone."""
    return _inputs_of(registries.context(name), registries)


def _inputs_of(context: ContextDeclaration, registries: Registries) -> dict[str, InputSpec]:
    if context.inputs is not None:
        return dict(context.inputs)
    found: dict[str, InputSpec] = {}
    for path in (*_paths_of(context), *_paths_in_formats(context, registries)):
        if path.startswith(_INPUT):
            found.setdefault(path.split(".")[1], InputSpec())
    for insert in context.inserts:
        if insert.name in registries.contexts:
            found |= _inputs_of(registries.contexts[insert.name], registries)
            continue
        for name in registries.asked_by(insert.name):
            for used in _names_in_settings(registries.retriever_settings(name)):
                if used.startswith(_INPUT):
                    found.setdefault(used.split(".")[1], InputSpec())
    return found


def _names_in_settings(settings: RequestSettings) -> Iterator[str]:
    for text in (settings.query_spec.template or "", str(dict(settings.templates))):
        yield from sorted(names_in(text))


def _paths_of(context: ContextDeclaration) -> Iterator[str]:
    """The dotted names that the texts and conditions of a context use."""
    for directive in (*(context.messages or ()), *context.directives):
        if directive.when is not None:
            yield from sorted(compile_condition(directive.when).names)
        if isinstance(directive, TextDirective):
            yield from _free(_names_of(directive), directive.vars)


def _paths_in_formats(context: ContextDeclaration, registries: Registries) -> Iterator[str]:
    """The names of the call that the formats of its packs use."""
    for insert in context.inserts:
        spec = registries.format(insert, f"pack '{insert.name}'")
        texts = [insert.title or "", *(text for _, text in (spec.templates() if spec else ()))]
        for text in texts:
            paths = sorted(compile_template(text).names)
            yield from (path.removeprefix("vars.") for path in paths if path.startswith("vars."))


def _names_of(directive: TextDirective) -> Iterable[str]:
    if directive.template is not None:
        return sorted(compile_template(directive.template).names)
    return sorted(names_in(directive.content or ""))


def _free(paths: Iterable[str], own: Iterable[str]) -> Iterator[str]:
    """The paths whose first name is not a variable of the text itself."""
    names = {*own}
    return (path for path in paths if path.split(".")[0] not in names)
