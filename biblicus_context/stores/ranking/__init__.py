"""The engine of ranking: BM25, cosines and neighbours over packed columns, above any source."""
