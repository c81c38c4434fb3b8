"""Which turns of a conversation stay, and the summary of those that go."""
