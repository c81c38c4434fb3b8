"""The five steps of an assembly, one file each, and what they work on."""
