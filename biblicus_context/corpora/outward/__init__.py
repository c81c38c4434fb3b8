"""A corpus as a retriever of other libraries: LangChain, LlamaIndex, Haystack."""
