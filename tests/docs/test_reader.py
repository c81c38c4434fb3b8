"""A page that says something wrong is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import reader as module
from tests.docs.reader import Reader

FENCE = "```"


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reads a page made of fenced parts."""
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)

    def reads(*parts: tuple[str, str]) -> Reader:
        page = tmp_path / "page.md"
        text = "\n".join(f"{FENCE}{kind}\n{body}\n{FENCE}\n" for kind, body in parts)
        page.write_text(text, encoding="utf-8")
        reader = Reader(page, tmp_path)
        reader.try_all()
        return reader

    return reads


@pytest.mark.parametrize(
    "parts",
    [
        [("python", "print('one')"), ("text", "two")],
        [("python", ">>> 1 + 1\n3")],
        [("python", "1 / 0")],
        [("yaml", "kind: context\nnam: page")],
        [("yaml", "# .ci.yml\n- a list")],
        [("toml", "# x.toml\nkey = ")],
        [("console", "$ echo one\ntwo")],
        [("console", "$ echo one\none\n$ false || echo more")],
        [("console", "$ echo one \\\n  two\none")],
        [("python", "# two.py\nprint('two')"), ("console", "$ python two.py\none")],
        [("python", "# with langchain-core 0.0.1\nprint(1)")],
        [("fortran", "PRINT *, 1")],
    ],
    ids=lambda parts: parts[-1][1].replace("\n", " "),
)
def test_what_is_not_so_fails(read, parts):
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever is wrong with the page
        read(*parts)


def test_what_is_so_passes_and_lasts_until_the_end_of_the_page(read, tmp_path: Path):
    read(
        ("python", "x = 2\nprint(x)"),
        ("text", "2"),
        ("python", ">>> x * 2\n4"),
        ("yaml", "# plans/page.yaml\nkind: context\nname: page"),
        ("console", "$ cd plans\n$ ls\npage.yaml\n$ echo 1; exit 3\n1"),
        ("sh", "rm -r everything"),
        ("python", "# two.py\nprint(1 / 0)"),
        ("python", "# two.py\nprint('two')"),
        ("console", "$ python two.py | \\\n  tr o 0\ntw0"),
        ("yaml", "# more.yaml\nkind: context\nname: more"),
        ("", "nothing in particular"),
    )
    assert (tmp_path / "plans" / "more.yaml").exists()


def test_what_is_under_a_tab_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(f'=== "a tab"\n\n    {FENCE}python\n    x = 2\n    {FENCE}\n', "utf-8")
    reader = Reader(page, tmp_path)
    reader.try_all()
    assert reader.names["x"] == 2
