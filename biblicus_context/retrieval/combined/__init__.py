"""Blocks of several retrievers as one ranking: merged, ranked, selected, and all accounted for."""
