"""The order of messages, and the prefix that a provider can cache."""
