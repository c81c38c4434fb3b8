"""Golden tests are run: each case, its calls, its recorded answers."""
