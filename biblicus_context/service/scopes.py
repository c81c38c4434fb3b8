"""What keys allow."""

from __future__ import annotations

from enum import StrEnum


class KeyScope(StrEnum):
    """What a key allows; none includes another one, except `admin`, which allows all."""

    READ = "read"
    WRITE = "write"
    INSPECT = "inspect"
    ADMIN = "admin"
