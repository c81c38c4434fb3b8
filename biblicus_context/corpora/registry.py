"""The retrievers by the word under `retriever_id`, and their settings typed at the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, get_args

from pydantic import TypeAdapter, ValidationError

from biblicus_context.corpora.evidence import Found
from biblicus_context.corpora.question import Question
from biblicus_context.corpora.rankers.hybrid import hybrid
from biblicus_context.corpora.rankers.single import fuzzy, keyword, recent, vector
from biblicus_context.errors import PlanError
from biblicus_context.spec.retriever_settings import RetrieverSpec, SearchSpec

Ranker: TypeAlias = Callable[[Question, Any, int], list[Found]]
"""Ranks for a question, by typed settings, at least so many blocks if there are so many.

Whoever asks for more gets the same blocks first, in the same order.
"""

RANKERS: Final[Mapping[str, Ranker]] = {
    "hybrid": hybrid,
    "keyword": keyword,
    "vector": vector,
    "fuzzy": fuzzy,
    "recent": recent,
}
_MODELS: Final[Mapping[str, type[SearchSpec]]] = {
    get_args(model.model_fields["retriever_id"].annotation)[0]: model
    for model in get_args(get_args(RetrieverSpec)[0])
}
_ADAPTER: Final[TypeAdapter[SearchSpec]] = TypeAdapter(RetrieverSpec)


def retriever_spec(config: Mapping[str, Any], *, place: str) -> tuple[SearchSpec, Ranker]:
    """The typed settings of a retriever, and what ranks by them."""
    name = config.get("retriever_id", "hybrid")
    if not isinstance(name, str) or name not in RANKERS:
        raise PlanError(
            "unknown retriever_id",
            place=place,
            found=name,
            valid=RANKERS,
            fix="A retriever of another library is handed in from Python, under this name.",
        )
    try:
        spec = _ADAPTER.validate_python({**config, "retriever_id": name})
    except ValidationError as error:
        raise _told(error, _MODELS[name], place) from None
    return spec, RANKERS[name]


def _told(error: ValidationError, model: type[SearchSpec], place: str) -> PlanError:
    first = error.errors(include_url=False)[0]
    setting = ".".join(map(str, first["loc"][1:]))
    if first["type"] == "extra_forbidden":
        return PlanError("unknown setting", place=place, found=setting, valid=model.model_fields)
    return PlanError(f"{setting}: {first['msg']}", place=place, found=first["input"])
