"""Rules about keys, values and YAML."""
