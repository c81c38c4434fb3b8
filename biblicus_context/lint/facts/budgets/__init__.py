"""Policies, shares and sizes in tokens."""
