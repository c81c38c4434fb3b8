"""Several budgets in one option."""

from __future__ import annotations

from collections.abc import Sequence

import typer


def budgets_of(written: Sequence[str]) -> list[int]:
    """The budgets in all values of `--budget`, each of which may have several with commas between."""
    words = [word.strip() for each in written for word in each.split(",")]
    for word in words:
        if not word.isdecimal() or int(word) < 1:
            raise typer.BadParameter(
                f"{word!r} is not a whole number above 0.", param_hint="'--budget'"
            )
    return [int(word) for word in words]
