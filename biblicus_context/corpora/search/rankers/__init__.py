"""How blocks are ranked for a query: one file for each family of retrievers."""
