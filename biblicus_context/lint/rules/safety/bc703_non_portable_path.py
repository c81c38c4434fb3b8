"""BC703: a path that works on one machine only."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.setting_texts import SettingText, setting_texts
from biblicus_context.lint.rules.example_parts import ASKING

_ABSOLUTE: Final = re.compile(r"/(?!/)|~|[A-Za-z]:[\\/]|\\\\|file:/")
_NAMES_A_PATH: Final = re.compile(r"(?:.*_)?(?:root|path|file|folder|dir|directory)")
_TOKENIZER: Final = "tokenizer.json"


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for setting in setting_texts(plan, declared):
        if not _is_path(setting):
            continue
        if _ABSOLUTE.match(setting.value):
            yield plan.violation(
                setting.path,
                "an absolute path works on one machine only",
                found=setting.value,
                advice="Write it relative to this file, or pass it from Python.",
            )
        elif setting.path[-1] == "root" and _escapes(plan.document.file, setting.value):
            yield plan.violation(
                setting.path,
                "the path is outside the folder that is linted",
                found=setting.value,
                advice="Keep the files that a plan reads in its project.",
            )


def _is_path(setting: SettingText) -> bool:
    return bool(_NAMES_A_PATH.fullmatch(str(setting.path[-1]))) or setting.value.endswith(
        _TOKENIZER
    )


def _escapes(file: str, root: str) -> bool:
    """Whether a root is outside the folder the linter runs in; files outside it are not checked."""
    if ".." not in root or "://" in root:
        return False
    inside = os.path.relpath(file) if Path(file).is_absolute() else file
    folder = posixpath.normpath(Path(inside).parent.as_posix())
    if folder.startswith(".."):
        return False
    # A file that is named without its folder may be anywhere in a project.
    return folder != "." and posixpath.normpath(f"{folder}/{root}").startswith("..")


RULE = Rule(
    code="BC703",
    name="non-portable-path",
    severity=Severity.WARNING,
    finds=(
        "A path in a setting is absolute, or the root of a corpus is outside the folder in which "
        "the linter runs."
    ),
    why=(
        "An absolute path works only on the machine of its author and reveals how it is set up. A "
        "root outside the project can expose files that were never meant for a model."
    ),
    instead="Write a path inside the project, relative to the file that declares it.",
    bad="""\
kind: corpus
name: handbook
config:
  root: /home/shared/handbook  # <- BC703
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
