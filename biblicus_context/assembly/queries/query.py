"""The query of one retriever: its template, what the conversation adds, what the rewriter made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from biblicus_context.assembly.call import Call
from biblicus_context.assembly.queries.recent import recent_messages
from biblicus_context.assembly.queries.rewriting import Rewritten
from biblicus_context.base.deferred import Deferred
from biblicus_context.spec.choosing import QuerySpec
from biblicus_context.text.templates.placeholders import fill
from biblicus_context.text.templates.template import compile_template, has_jinja

if TYPE_CHECKING:
    from biblicus_context.retrieval.analysis.follow_up import is_follow_up, with_last_question
else:  # what analyses queries is a tenth of the import, and few plans ask for it
    _HERE = "biblicus_context.retrieval.analysis.follow_up"
    is_follow_up = Deferred(f"{_HERE}:is_follow_up")
    with_last_question = Deferred(f"{_HERE}:with_last_question")

HISTORY: Final = "history"
"""The name of the conversation in query templates; a name that the caller passes goes before it."""

Names = Mapping[str, Any]


def plain_query(spec: QuerySpec, names: Names, call: Call, place: str) -> str:
    """The query without what is added to it: the template filled, else the caller's question."""
    template = spec.template
    if not template:
        return call.question
    if HISTORY in template and HISTORY not in names:
        names = {**names, HISTORY: recent_messages(call.history)}
    if has_jinja(template):
        query = compile_template(template, place=place).render(names)
    else:
        query = fill(template, names, place=place)
    return query if query.strip() else call.question


def asked_query(
    spec: QuerySpec, plain: str, rewrites: Mapping[str, Rewritten], history: Sequence[Any]
) -> str:
    """What the retriever is asked: the rewritten query, else the plain one with the last question."""
    rewritten = rewrites.get(plain) if spec.rewrite else None
    if rewritten is not None and rewritten.query is not None:
        return rewritten.query
    if not spec.follow_up:
        return plain
    if spec.follow_up == "auto" and not is_follow_up(plain):
        return plain
    return with_last_question(plain, recent_messages(history).before(plain).last_user)
