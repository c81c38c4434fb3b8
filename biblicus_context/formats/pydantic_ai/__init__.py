"""pydantic-ai's messages."""
