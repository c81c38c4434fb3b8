"""The one place where numpy is imported; `open_store` has seen that it is there."""

from __future__ import annotations

import numpy as np

__all__ = ["np"]
