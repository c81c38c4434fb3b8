"""Where a text may be cut, and how it is cut to a number of tokens."""
