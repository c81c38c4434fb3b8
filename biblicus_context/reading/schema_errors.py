"""Violations of the schema become errors that an author understands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice

from biblicus_context.errors import LoadError, nearest
from biblicus_context.reading.suggested_fix import meant_value, place_of_key, type_as_role
from biblicus_context.reading.validator import SchemaViolation
from biblicus_context.reading.yaml.compose import MAX_PROBLEMS
from biblicus_context.reading.yaml.tree import Path, Tree, Value

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}
LIMITS = {
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be greater than {}",
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be less than {}",
    "minLength": "must not be empty",
    "minItems": "must not be empty",
}
"""The wording of each keyword that limits a value, with its limit."""
_EMPTY = ("minLength", "minItems")


def worded(tree: Tree, violation: SchemaViolation) -> Iterator[LoadError]:
    """One error for each mistake that violates the schema."""
    path, keyword, rule = violation
    if keyword == "additionalProperties":
        yield from _unknown_keys(tree, violation)
    elif keyword == "required" and type_as_role(tree, path):
        yield _role(tree, path)
    elif keyword == "pattern":
        # What is not written in plans may be a secret, which is not repeated.
        found = None if rule.get("writeOnly") else shown(tree.at(path).value)
        place = tree.key_place(path)
        yield tree.error(rule["patternErrorMessage"], place, found=found, mistake="invalid-value")
    elif "errorMessage" in rule:
        place = tree.at(path).place if keyword == "required" else tree.key_place(path)
        yield tree.error(rule["errorMessage"], place, mistake="conflicting-keys")
    elif keyword == "required":
        for key in missing_keys(tree, violation):
            yield _missing_key(tree, violation, key)
    elif keyword in ("enum", "const"):
        yield _unknown_value(tree, violation)
    elif keyword == "type":
        yield _wrong_type(tree, violation)
    else:
        yield _out_of_limits(tree, violation)


def _role(tree: Tree, path: Path) -> LoadError:
    place = tree.key_place((*path, "role"))
    fix = "Write 'type' instead of 'role'."
    return tree.error("unknown key", place, found="role", fix=fix, mistake="unknown-key")


def unknown_keys(tree: Tree, violation: SchemaViolation) -> list[str]:
    """The keys of a mapping that its schema does not have, up to the most that are reported."""
    known = violation.rule["properties"]
    unknown = (key for key in tree.at(violation.path).members if key not in known)
    return list(islice(unknown, MAX_PROBLEMS))


def missing_keys(tree: Tree, violation: SchemaViolation) -> list[str]:
    """The required keys that a mapping does not have."""
    present = tree.at(violation.path).members
    return [key for key in violation.rule["required"] if key not in present]


def shown(value: Value) -> Value:
    """A value as an error quotes it; lists and mappings are left out, because they are too long."""
    return None if isinstance(value, list | dict) else value


def _unknown_keys(tree: Tree, violation: SchemaViolation) -> Iterator[LoadError]:
    texts = [*_texts_cut_at_commas(tree, violation)]
    yield from (error for error, _ in texts)
    explained = {key for _, keys in texts for key in keys}
    for key in unknown_keys(tree, violation):
        if key not in explained:
            yield _unknown_key(tree, violation, key)


def _texts_cut_at_commas(
    tree: Tree, violation: SchemaViolation
) -> Iterator[tuple[LoadError, Sequence[str]]]:
    """Texts in braces that a comma ends, and what follows as keys without values.

    `{content: Answer first, explain after.}` has a key `explain after.`, which nobody meant.
    """
    known = violation.rule["properties"]
    text: tuple[int, str, str] | None = None
    """The line of the text before, its key, and itself."""
    rest: list[str] = []
    for key, member in tree.at(violation.path).members.items():
        line, value = member.key_place.line, member.node.value
        is_rest = value is None and key not in known and not nearest(key, known)
        if text is not None and is_rest and line == text[0]:
            rest.append(key)
            continue
        if text is not None and rest:
            yield _cut_at_comma(tree, violation.path, *text[1:], rest), rest
        rest = []
        is_text = isinstance(value, str) and not member.node.style
        text = (line, key, str(value)) if is_text else None
    if text is not None and rest:
        yield _cut_at_comma(tree, violation.path, *text[1:], rest), rest


def _cut_at_comma(tree: Tree, path: Path, key: str, text: str, rest: Sequence[str]) -> LoadError:
    whole = ", ".join([text, *rest])
    return tree.error(
        "unquoted ', ' inside a value",
        tree.key_place((*path, rest[0])),
        found=rest[0],
        fix=f"Put the text in quotes: {key}: {json.dumps(whole, ensure_ascii=False)}",
        mistake="missing-quotes",
    )


def _unknown_key(tree: Tree, violation: SchemaViolation, key: str) -> LoadError:
    elsewhere = place_of_key(tree, violation, key)
    return tree.error(
        "unknown key",
        tree.key_place((*violation.path, key)),
        found=key,
        valid=() if elsewhere else violation.rule["properties"],
        fix=elsewhere,
        mistake="unknown-key",
    )


def _missing_key(tree: Tree, violation: SchemaViolation, key: str) -> LoadError:
    said = violation.rule["properties"][key]
    meaning = said.get("description", "")
    return tree.error(
        f"missing key {key!r} in {_label(violation.path)}",
        tree.at(violation.path).place,
        valid=said.get("enum", ()),
        fix=f"Add '{key}': {meaning[:1].lower()}{meaning[1:]}" if meaning else None,
        mistake="missing-key",
    )


def _unknown_value(tree: Tree, violation: SchemaViolation) -> LoadError:
    node, rule = tree.at(violation.path), violation.rule
    is_kind = violation.path == ("kind",)
    values = rule["enum"] if violation.keyword == "enum" else [rule["const"]]
    valid = [str(value) for value in values if value is not None]
    return tree.error(
        "unknown kind" if is_kind else f"invalid value of {_label(violation.path)}",
        node.place,
        found=shown(node.value),
        valid=valid,
        mistake="unknown-kind" if is_kind else "invalid-value",
    )


def _out_of_limits(tree: Tree, violation: SchemaViolation) -> LoadError:
    path, keyword, rule = violation
    node = tree.at(path)
    return tree.error(
        f"{_label(path)} {LIMITS[keyword].format(rule[keyword])}",
        node.place,
        found=shown(node.value),
        mistake="empty-value" if keyword in _EMPTY else "value-out-of-range",
    )


def _wrong_type(tree: Tree, violation: SchemaViolation) -> LoadError:
    node, types = tree.at(violation.path), violation.rule["type"]
    names = [types] if isinstance(types, str) else types
    wanted = [_TYPES[name] for name in names if name != "null"]
    problem = f"{_label(violation.path)} must be {' or '.join(wanted)}"
    if node.value is None:
        problem += ", but is empty"
    elif isinstance(node.value, list | dict):
        problem += f", not {_TYPES['array' if isinstance(node.value, list) else 'object']}"
    return tree.error(
        problem,
        node.place,
        found=shown(node.value),
        fix=_instead(tree, violation, names),
        mistake="wrong-type",
    )


def _instead(tree: Tree, violation: SchemaViolation, names: Sequence[str]) -> str | None:
    meant = meant_value(tree, violation)
    if meant is not None:
        return f"Write {meant.text}."
    return _quote(tree, violation.path) if "string" in names else None


def _quote(tree: Tree, path: Path) -> str | None:
    value = tree.at(path).value
    if isinstance(value, int | float):
        return "Put it in quotes to make it text."
    inline = tree.at(path).place.line == tree.key_place(path).line
    if isinstance(value, list | dict) and inline:
        return "Put text that begins with a brace or a bracket in quotes."
    return None


def _label(path: Path) -> str:
    label = ""
    for step in path:
        label += f"[{step}]" if isinstance(step, int) else f".{step}"
    return label.removeprefix(".") or "the document"
