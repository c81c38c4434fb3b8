"""Does before the first call what that call would otherwise wait for."""

from __future__ import annotations

from biblicus_context.assembly.registries import Registries
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.requests.abilities import CanWarmUp
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import TextDirective
from biblicus_context.text.templates.template import compile_condition, compile_template

_SOME_TEXT = "A first text. It loads the vocabulary."


def warm_up(registries: Registries) -> None:
    """Check every format and context, and load vocabularies, templates, compactors and retrievers."""
    for name, form in registries.formats.items():  # calls may name one that no context has
        PackFormat.of(form, None, f"format '{name}'")
    for name in registries.contexts:
        context = registries.context(name)
        limits = registries.limits(name)
        limits.counter.count(_SOME_TEXT)
        if limits.budget is not None:
            limits.compactor()
        _compile(context)
        for insert in context.inserts:
            place = f"context '{name}' pack '{insert.name}'"
            PackFormat.of(registries.format(insert, place), insert.title, place)
            if insert.name not in registries.contexts:
                for each in registries.asked_by(insert.name):
                    _warm_up_retriever(each, registries)


def _compile(context: ContextDeclaration) -> None:
    for directive in (*(context.messages or ()), *context.directives):
        if directive.when is not None:
            compile_condition(directive.when)
        if isinstance(directive, TextDirective) and directive.template is not None:
            compile_template(directive.template)


def _warm_up_retriever(name: str, registries: Registries) -> None:
    if registries.combinations.get(name) is not None:
        return
    retriever = registries.retriever_function(name)
    if isinstance(retriever, CanWarmUp):
        retriever.warm_up()
