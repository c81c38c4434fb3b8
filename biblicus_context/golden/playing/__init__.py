"""Golden tests are run and judged."""
