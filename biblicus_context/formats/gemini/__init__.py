"""Gemini's generate_content."""
