"""Where Tactus is not installed the integration can be imported, and says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context import MissingExtraError
from biblicus_context.integrations.tactus import install, is_installed


def test_installing_the_engine_says_how_to_install_tactus(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tactus", None)
    monkeypatch.setitem(sys.modules, "tactus.core.context_assembler", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[tactus\]"):
        install()
    assert not is_installed()


def test_importing_the_integration_does_not_import_tactus():
    program = "import sys, biblicus_context.integrations.tactus\nprint('tactus' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
