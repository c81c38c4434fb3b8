"""The linter without its rules: files in, findings out."""
