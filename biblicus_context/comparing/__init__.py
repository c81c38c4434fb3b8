"""Assemblies side by side: what budgets, models and changes do to a context."""
