"""These tests run where Tactus is installed: the environment `.venv-tactus` that `check` makes."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from biblicus_context.integrations.tactus import is_installed, uninstall

collect_ignore_glob = [] if find_spec("tactus") else ["test_*.py"]

# Without it litellm asks a server for prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"


def pytest_collection_modifyitems(items: list[pytest.Item]):
    """What Tactus and the libraries below it warn of is theirs to mend."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(autouse=True)
def _leaves_tactus_as_it_was():
    """Every test ends with Tactus' own assembler in its place."""
    yield
    uninstall()
    assert not is_installed()


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Runs procedures in an empty folder, with a language model that answers from a list."""
    from tests.integrations.tactus.procedures import Stage

    monkeypatch.chdir(tmp_path)
    return Stage(monkeypatch, tmp_path)
