"""Rules about the linter's own comments and rules."""
