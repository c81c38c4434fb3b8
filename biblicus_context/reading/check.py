"""A document is checked against the schema; every mistake becomes one error with a place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from biblicus_context.errors import LoadError, nearest
from biblicus_context.reading.schema_errors import LIMITS, missing_keys, unknown_keys, worded
from biblicus_context.reading.validator import SchemaName, SchemaViolation, violations
from biblicus_context.reading.yaml.compose import MAX_PROBLEMS
from biblicus_context.reading.yaml.tree import Tree

_OR_A_MAPPING: Final = tuple([{"$ref": f"#/definitions/{name}"}] for name in ("text-file", "query"))
"""What most authors write as a text, and some as a mapping."""
_OF_A_QUERY: Final = frozenset({"template", "follow_up", "rewrite"})


def check(tree: Tree, schema: SchemaName = "project") -> list[LoadError]:
    """The errors of a document, in the order of its lines.

    >>> from biblicus_context.reading.yaml.documents import read_trees
    >>> tree, = read_trees("kind: policy\\nname: small\\noverflo: compact\\n", "plan.yaml")
    >>> print(check(tree)[0])  # doctest: +ELLIPSIS
    plan.yaml:3:1: unknown key: found 'overflo'. Valid: kind, name, ... Did you mean 'overflow'?
    """
    return worded_errors(tree, departures(tree, schema))


def departures(tree: Tree, schema: SchemaName = "project") -> list[SchemaViolation]:
    """Where a document departs from the schema, each mistake once."""
    found = islice(violations(tree.root.value, schema), MAX_PROBLEMS)
    every = [_as_text(each, tree) for each in found]
    return [each for each in every if not any(_follows(each, cause, tree) for cause in every)]


def worded_errors(tree: Tree, violations: Sequence[SchemaViolation]) -> list[LoadError]:
    """The errors for violations of the schema, in the order of their places."""
    errors = {
        (error.line, error.column, str(error)): error
        for each in violations
        for error in worded(tree, each)
    }
    return [errors[place] for place in sorted(errors)]


def _as_text(violation: SchemaViolation, tree: Tree) -> SchemaViolation:
    """What is meant as a text is not called a mapping, although it may be one.

    `content: {input.question}` is a text without its quotes, not a file without its name, and so is
    `query: {input.question}`.
    """
    if violation.keyword == "type" and violation.rule.get("allOf") in _OR_A_MAPPING:
        return violation._replace(rule={"type": "string"})
    is_file = violation.keyword == "required" and violation.rule["required"] == ["file"]
    is_query = (
        violation.keyword == "additionalProperties"
        and {*violation.rule["properties"]} == _OF_A_QUERY
    )
    if not is_file and not is_query:
        return violation
    members = tree.at(violation.path).members
    if not members or any(member.node.value is not None for member in members.values()):
        return violation
    return violation._replace(keyword="type", rule={"type": "string"})


def _follows(violation: SchemaViolation, cause: SchemaViolation, tree: Tree) -> bool:
    """Whether one mistake explains both: a wrong type breaks a limit, too; a misspelt key is missing."""
    if cause.path != violation.path:
        return False
    if cause.keyword == "type":
        return violation.keyword in (*LIMITS, "additionalProperties")
    if cause.keyword != "additionalProperties" or violation.keyword != "required":
        return False
    if "errorMessage" in violation.rule:
        return True
    missing = missing_keys(tree, violation)
    return any(
        nearest(key, cause.rule["properties"]) in missing for key in unknown_keys(tree, cause)
    )
