"""Rules about declared and used names."""
