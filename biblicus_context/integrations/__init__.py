"""Where other programs use this package; each integration knows its public names alone."""
