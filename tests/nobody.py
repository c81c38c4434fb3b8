"""Files that may not be read or written, also where the tests run as the superuser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Permissions keep nothing from the superuser, so where that is us, be nobody for a while.

    The folder has to be one that everybody may enter, as that of TemporaryDirectory with mode 755
    is and that of `tmp_path` is not.
    """
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
