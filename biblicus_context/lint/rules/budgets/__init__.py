"""Rules about token limits."""
