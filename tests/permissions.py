"""Files that may not be read or written, also where the tests run as the superuser."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_VERSION: Final = 0x20080522
_OVERRIDING: Final = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets the superuser pass by permissions."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def permissions_hold() -> Iterator[None]:
    """Nothing is opened in this thread that its permissions forbid."""
    if os.geteuid() != 0:
        yield
        return
    system, header = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0)
    ours = (_Capabilities * 2)()
    assert system.capget(ctypes.byref(header), ctypes.byref(ours)) == 0, ctypes.get_errno()
    effective = ours[0].effective
    ours[0].effective = effective & ~_OVERRIDING
    assert system.capset(ctypes.byref(header), ctypes.byref(ours)) == 0, ctypes.get_errno()
    try:
        yield
    finally:
        ours[0].effective = effective
        assert system.capset(ctypes.byref(header), ctypes.byref(ours)) == 0, ctypes.get_errno()
