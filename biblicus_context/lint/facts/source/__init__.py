"""The document as written: places, keys, values and what to remove."""
