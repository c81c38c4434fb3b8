"""The small project that `init` writes: files that work at once, and are meant to be changed."""
