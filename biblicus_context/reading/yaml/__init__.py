"""YAML becomes a tree with positions."""
