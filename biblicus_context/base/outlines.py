"""What receipts and logs say of errors that others raise: their texts may hold addresses, keys and data."""

from __future__ import annotations

from pathlib import PurePath

_OWN = __name__.partition(".")[0]


def outline_of(error: BaseException) -> str:
    """The class of an error; with its text only where this package wrote it.

    Who catches the error that is raised finds the text of the other one as its cause.

    >>> outline_of(ConnectionError("redis://user:secret@cache"))
    'ConnectionError'
    """
    kind = type(error)
    said = str(error) if kind.__module__.partition(".")[0] == _OWN else ""
    return f"{kind.__name__}: {said}" if said else kind.__name__


def located_outline_of(error: BaseException) -> str:
    """The same for a log, with the line that raised it, as a log without tracebacks needs it."""
    trace = error.__traceback__
    if trace is None:
        return outline_of(error)
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = PurePath(trace.tb_frame.f_code.co_filename).name
    return f"{outline_of(error)} ({name}, line {trace.tb_lineno})"
