"""What an assembly returns: the result, its receipt and what is derived from both."""
