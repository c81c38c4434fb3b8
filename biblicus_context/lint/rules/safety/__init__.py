"""Rules about untrusted text, secrets and paths."""
