"""Doors for other programs: HTTP, agents and editors, over the same plans and stores."""
