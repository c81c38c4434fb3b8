"""The index of a corpus: where it is, whether it is sound and fresh."""
