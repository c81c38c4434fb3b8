"""What the tests of golden tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.projects import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A project with a support context, a retriever, and contexts inside each other."""
    return Folder(tmp_path)
