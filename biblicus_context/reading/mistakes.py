"""The stable names of what can be wrong with a plan file; the linter has a rule for each."""

from __future__ import annotations

from typing import Literal, TypeAlias

Mistake: TypeAlias = Literal[
    # what is not read at all
    "unreadable-file",
    "empty-folder",
    "file-too-large",
    "invalid-utf-8",
    "control-character",
    "invalid-text-file",
    # what is not valid YAML, or not allowed in plans
    "invalid-yaml",
    "tab-indentation",
    "missing-quotes",
    "unclosed-bracket-or-quote",
    "yaml-directive",
    "yaml-tag",
    "non-text-key",
    "duplicate-key",
    "invalid-merge-key",
    "unknown-alias",
    "recursive-alias",
    "lone-surrogate",
    "ambiguous-number",
    "number-too-large",
    # what is too much
    "nesting-too-deep",
    "too-many-aliases",
    "too-many-values",
    "too-many-documents",
    "too-many-problems",
    # what does not fit the schema
    "empty-document",
    "unknown-kind",
    "unknown-key",
    "missing-key",
    "invalid-value",
    "wrong-type",
    "value-out-of-range",
    "empty-value",
    "conflicting-keys",
    "duplicate-history",
    "duplicate-input",
    # what names mean across files
    "unknown-pack",
    "unknown-policy",
    "unknown-format",
    "unknown-corpus",
    "unknown-compactor",
    "duplicate-name",
    "conflicting-name",
    "context-cycle",
    "compactor-cycle",
    "retriever-cycle",
    "invalid-like",
]
"""Each reads well after the word "allow"."""
