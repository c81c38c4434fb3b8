"""How blocks are ranked for a question: one file for each family of retrievers."""
