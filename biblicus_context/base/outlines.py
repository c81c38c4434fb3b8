"""What receipts and logs say of errors that others raise: their texts may hold addresses, keys and data."""

from __future__ import annotations

from pathlib import PurePath
from types import TracebackType

_OWN = __name__.partition(".")[0]


def outline_of(error: BaseException) -> str:
    """The class of an error; with its text only where this package raised it.

    A caller's code may raise errors of this package, with texts of its own. Who catches the error that is raised finds the text of the other one as its cause.

    >>> outline_of(ConnectionError("redis://user:secret@cache"))
    'ConnectionError'
    """
    kind, trace = type(error), _last(error)
    is_own = kind.__module__.partition(".")[0] == _OWN and trace is not None
    if trace is not None and is_own:
        raised_in = str(trace.tb_frame.f_globals.get("__name__"))
        is_own = raised_in.partition(".")[0] == _OWN
    said = str(error) if is_own else ""
    return f"{kind.__name__}: {said}" if said else kind.__name__


def located_outline_of(error: BaseException) -> str:
    """The same for a log, with the line that raised it, as a log without tracebacks needs it."""
    where = line_of(error)
    return f"{outline_of(error)} ({where})" if where else outline_of(error)


def line_of(error: BaseException) -> str:
    """The file and line that raised an error; empty if it was never raised."""
    trace = _last(error)
    if trace is None:
        return ""
    return f"{PurePath(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"


def _last(error: BaseException) -> TracebackType | None:
    """Where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace
