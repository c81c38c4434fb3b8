"""What docs/generate.py writes, one generator a file."""
