"""Which retriever an object is: known by the methods that its library documents."""

from __future__ import annotations


def is_foreign_retriever(value: object) -> bool:
    """Whether it is a retriever of another library."""
    return is_langchain(value) or is_llama_index(value) or is_haystack(value)


def is_langchain(value: object) -> bool:
    """Whether it is a retriever of LangChain."""
    return _has_methods(value, "invoke", "ainvoke")


def is_llama_index(value: object) -> bool:
    """Whether it is a retriever of LlamaIndex."""
    return _has_methods(value, "retrieve", "aretrieve")


def is_haystack(value: object) -> bool:
    """Whether it is a retriever component of Haystack."""
    return _has_methods(value, "run") and hasattr(value, "__haystack_input__")


def _has_methods(value: object, *names: str) -> bool:
    """Whether its class has these methods: an object may pretend to have any attribute."""
    return all(callable(getattr(type(value), name, None)) for name in names)
