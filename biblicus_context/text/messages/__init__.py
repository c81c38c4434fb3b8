"""The tokens of messages, in the shapes of each provider."""
