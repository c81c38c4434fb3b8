"""Which retriever an object is: known by the methods that its library documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.retrieval.foreign.adapter import ForeignRetriever

_RETRIEVERS: Final = (
    "a callable",
    "a retriever of LangChain or LlamaIndex",
    "a retriever component of Haystack",
)


def is_foreign_retriever(value: object) -> bool:
    """Whether it is a retriever of another library."""
    return _is_langchain(value) or _is_llama_index(value) or _is_haystack(value)


def adapted(value: object, *, place: str) -> ForeignRetriever:
    """The adapter around a retriever of another library; anything else is an InputError."""
    if not is_foreign_retriever(value):
        raise InputError(
            "this is not a retriever",
            place=place,
            found=type(value).__name__,
            valid=_RETRIEVERS,
            fix="Pass its as_retriever()." if hasattr(value, "as_retriever") else None,
        )
    from biblicus_context.retrieval.foreign import adapters  # few programs use another library

    try:
        if _is_langchain(value):
            return adapters.LangChainAdapter(value)
        if _is_llama_index(value):
            return adapters.LlamaIndexAdapter(value)
        return adapters.HaystackAdapter(value)
    except InputError as error:
        raise error.at(place) from None


def _is_langchain(value: object) -> bool:
    return _has_methods(value, "invoke", "ainvoke")


def _is_llama_index(value: object) -> bool:
    return _has_methods(value, "retrieve", "aretrieve")


def _is_haystack(value: object) -> bool:
    return _has_methods(value, "run") and hasattr(value, "__haystack_input__")


def _has_methods(value: object, *names: str) -> bool:
    """Whether its class has these methods: an object may pretend to have any attribute."""
    return all(callable(getattr(type(value), name, None)) for name in names)
