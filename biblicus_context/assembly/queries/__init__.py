"""What retrievers are asked: templates that see the conversation, and a rewriter of the program."""
