"""Where other programs use this package; each integration knows public names alone."""
