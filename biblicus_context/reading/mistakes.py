"""The stable names of what can be wrong with a plan file; the linter has a rule for each."""

from __future__ import annotations

from typing import Literal, TypeAlias

Mistake: TypeAlias = Literal[
    # what is not read at all
    "unreadable-file",
    "empty-folder",
    "oversized-file",
    "not-utf-8",
    "invisible-character",
    # what is no YAML, or more of YAML than plans may use
    "broken-yaml",
    "tab-indentation",
    "missing-quotes",
    "open-bracket-or-quote",
    "yaml-directive",
    "tag",
    "key-that-is-no-text",
    "repeated-key",
    "merge-of-no-mapping",
    "unknown-alias",
    "alias-inside-itself",
    "half-character",
    "unclear-number",
    "oversized-number",
    # what is too much
    "deep-nesting",
    "many-aliases",
    "many-values",
    "many-documents",
    "many-problems",
    # what does not fit the schema
    "empty-document",
    "unknown-kind",
    "unknown-key",
    "missing-key",
    "unknown-value",
    "wrong-type",
    "value-out-of-limits",
    "empty-value",
    "keys-that-do-not-fit",
    "second-history",
    "repeated-input",
    # what names mean across files
    "unknown-pack",
    "unknown-policy",
    "unknown-corpus",
    "unknown-compactor",
    "repeated-name",
    "shared-name",
    "context-circle",
    "compactor-circle",
]
"""Each reads well behind the word "allow"."""
