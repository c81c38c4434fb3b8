"""What the engine asks of a retriever, and what it makes of the answer."""
