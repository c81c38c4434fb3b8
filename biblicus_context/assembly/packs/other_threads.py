"""What to do about a retriever that cannot be called from another thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_OF_SQLITE: Final = "can only be used in that same thread"


def thread_advice(error: BaseException, timeout: float | None) -> str | None:
    """The fix for the error by which sqlite3 refuses another thread; None for any other error."""
    if not any(_OF_SQLITE in str(each) for each in _causes(error)):
        return None
    keep = (
        "Remove timeout_seconds of this pack: a call with a time limit is made in another thread"
        if timeout is not None
        else "Pass parallel=False to ContextAssembler: retrievers then stay in the thread of the caller"
    )
    return f"{keep}. Or open the connection inside the retriever."


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and the errors that it was raised from."""
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__
