"""What can be typed after each command: one dataclass for each command, in light modules.

An error of usage and `--help` load these and typer, and nothing of the engine.
"""
