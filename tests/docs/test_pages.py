"""The documentation is true: its code runs, its outputs are what is printed, its links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import biblicus_context
from biblicus_context import errors
from biblicus_context.errors import ContextError
from tests.docs.reader import FENCE, PAGES, ROOT, Reader, asks_a_model, in_lua

MODULES = ["biblicus_context"] + [
    module.name
    for module in pkgutil.walk_packages(biblicus_context.__path__, "biblicus_context.")
    if not module.name.endswith(("__main__", ".auto"))  # importing either does something
]
FIRST_PAGES = ("README.md", "docs/index.md", "docs/quick-start.md", "docs/tutorials/support-bot.md")
"""What a new user runs, with the default embedder. Scores on other pages are those of the fastest one, which
are the same on every machine."""
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_SOURCE = re.compile(r"`(?P<path>(?:biblicus_context|tests|benchmarks)/[\w/.]+)`")


def each_of(pages: list[Path]):
    return pytest.mark.parametrize(
        "page", pages, ids=lambda page: page.relative_to(ROOT).as_posix()
    )


each_page = each_of([*PAGES, ROOT / "CONTRIBUTING.md"])


@each_of([page for page in PAGES if not in_lua(page) and not asks_a_model(page)])
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    if page.relative_to(ROOT).as_posix() in FIRST_PAGES:
        monkeypatch.delenv("BIBLICUS_CONTEXT_EMBEDDER", raising=False)
    Reader(page, tmp_path).try_all()


@each_page
def test_a_link_inside_the_repository_leads_somewhere(page: Path):
    targets = [match["target"] for match in _LINK.finditer(prose(page))]
    inside = [target for target in targets if "://" not in target]
    assert not [target for target in inside if not leads_somewhere(page, target)]


@each_page
def test_a_file_of_this_repository_that_a_page_names_is_there(page: Path):
    named = [match["path"] for match in _SOURCE.finditer(prose(page))]
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_error_is_explained():
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (\w+)$", page, re.MULTILINE))
    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert headings == {name for name in classes if issubclass(getattr(errors, name), ContextError)}


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module: str):
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for test in examples_of(importlib.import_module(module)):
        runner.run(test, out=said.append)
    assert not said, "".join(said)


def examples_of(module: ModuleType) -> list[doctest.DocTest]:
    """Only where there are any: to look for them in every object takes longer than to run them."""
    if ">>>" not in Path(str(module.__file__)).read_text(encoding="utf-8"):
        return []
    return doctest.DocTestFinder(exclude_empty=True).find(module)


def prose(page: Path) -> str:
    """A page without its fenced parts."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a file is there, and in a page of ours the heading behind the #."""
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    return file.exists() and (not anchor or anchor in anchors(file))


def anchors(page: Path) -> set[str]:
    """What links call the headings of a page, and the places that it names itself."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    names = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    return {*names, *re.findall(r'<a id="([\w-]+)">', text)}
