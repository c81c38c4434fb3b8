"""What the project declares, and which declarations use each other."""
