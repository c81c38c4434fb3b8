"""The pages about procedures are true: everything on them runs, against a model on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.reader import PAGES, ROOT, in_lua
from tests.integrations.tactus.fake_openai import fake_openai
from tests.integrations.tactus.page_reader import TactusReader

MINE = [page for page in PAGES if in_lua(page)]


def test_there_are_such_pages():
    assert ROOT / "docs" / "tactus.md" in MINE
    assert ROOT / "docs" / "recipes" / "tactus.md" in MINE


@pytest.mark.enable_socket
@pytest.mark.parametrize("page", MINE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    with fake_openai() as openai:
        for name, value in openai.environment.items():
            monkeypatch.setenv(name, value)
        TactusReader(page, tmp_path).try_all()
    assert openai.requests
