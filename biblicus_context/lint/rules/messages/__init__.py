"""Rules about the order of messages."""
