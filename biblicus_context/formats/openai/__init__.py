"""OpenAI's Chat Completions and Responses APIs."""
