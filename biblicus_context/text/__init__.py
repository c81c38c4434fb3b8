"""Pure functions over text: counters, templates, compactors."""
