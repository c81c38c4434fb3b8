"""The description of the service: OpenAPI 3.1, made of the operations themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from http import HTTPStatus
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from biblicus_context.base import __version__
from biblicus_context.service.operations import Operation
from biblicus_context.service.problems import MEDIA, Problem

_AT: Final = "#/components/schemas/{model}"
_KEYS: Final[Mapping[str, Any]] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key, or a JSON Web Token."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
_ALWAYS: Final = (400, 403, 421, 422, 500)
_WITH_KEY: Final = (401, 429)
_WITH_BODY: Final = (408, 413, 415)
_WITH_WORK: Final = (502, 503, 504)
_FOREIGN: Final = {"description": "The provider's own errors."}
_IDEMPOTENCY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "A second request with the same key returns the answer of the first.",
}


def description(operations: Sequence[Operation], *, is_open: bool) -> dict[str, Any]:
    """The whole document; an open service asks for no key."""
    adapters = [
        ((each.name, which), mode, TypeAdapter[Any](kind))
        for each in operations
        for which, mode, kind in _types(each)
    ]
    adapters.append((("", "problem"), "serialization", TypeAdapter[Any](Problem)))
    schemas, definitions = TypeAdapter.json_schemas(
        adapters, by_alias=False, ref_template=_AT, schema_generator=_Schemas
    )
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        own = {which: schemas[(each.name, which), mode] for which, mode, _ in _types(each)}
        path = re.sub(r":\w+}", "}", each.path)
        paths.setdefault(path, {})[each.method.lower()] = _operation(each, own, is_open=is_open)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "biblicus-context",
            "version": __version__,
            "description": "Contexts within exact token budgets, and the evidence for them.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            **({} if is_open else {"securitySchemes": _KEYS}),
        },
        "tags": [{"name": name} for name in dict.fromkeys(each.group for each in operations)],
    }


def _types(operation: Operation) -> Iterator[tuple[str, JsonSchemaMode, Any]]:
    if operation.body is not None:
        yield "body", "validation", operation.body
    if operation.query is not None:
        yield "query", "validation", operation.query
    if operation.answer is not None:
        yield "answer", "serialization", operation.answer


def _operation(operation: Operation, own: Mapping[str, Any], *, is_open: bool) -> dict[str, Any]:
    written: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.group],
        "responses": {
            str(operation.status): _answer(operation, own.get("answer")),
            **{str(status): _problem(status) for status in sorted(_problems(operation))},
            **({"default": _FOREIGN} if operation.is_foreign else {}),
        },
    }
    if operation.notes:
        written["description"] = operation.notes
    parameters = [*_parameters(operation)]
    if parameters:
        written["parameters"] = parameters
    if "body" in own:
        content = {"application/json": {"schema": own["body"]}}
        written["requestBody"] = {"required": True, "content": content}
    if operation.scope is not None and not is_open:
        written["security"] = [{name: [operation.scope.value]} for name in _KEYS]
    return written


def _parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    for name in operation.parameters:
        schema = {"type": "string", "minLength": 1, "maxLength": 512}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
    if operation.query is not None:
        found = operation.query.model_json_schema(ref_template=_AT)
        for name, schema in found["properties"].items():
            required = name in found.get("required", ())
            yield {"name": name, "in": "query", "required": required, "schema": schema}
    if operation.is_write:
        yield _IDEMPOTENCY


def _problems(operation: Operation) -> set[int]:
    found = {*_ALWAYS, *operation.problems}
    if operation.scope is not None:
        found |= {*_WITH_KEY}
    if operation.body is not None:
        found |= {*_WITH_BODY}
    if operation.parameters:
        found |= {404}
    if not operation.is_quick:
        found |= {*_WITH_WORK}
    if operation.is_write:
        found |= {409}
    return found


def _answer(operation: Operation, schema: Any) -> dict[str, Any]:
    written: dict[str, Any] = {"description": operation.summary}
    if schema is not None:
        written["content"] = {operation.media: {"schema": schema}}
    if operation.headers:
        written["headers"] = {
            name: {"description": said, "schema": {"type": "string"}}
            for name, said in operation.headers.items()
        }
    return written


def _problem(status: int) -> dict[str, Any]:
    content: dict[str, Any] = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": HTTPStatus(status).phrase, "content": content}


class _Schemas(GenerateJsonSchema):
    """Schemas that name our models as they are called; a default that is no JSON is left out."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as its base

    def tuple_schema(self, schema: Any) -> dict[str, Any]:
        """An array whose items are any of these: many clients know no `prefixItems`."""
        made = super().tuple_schema(schema)
        kinds = made.pop("prefixItems", [])
        unique = [each for at, each in enumerate(kinds) if each not in kinds[:at]]
        if unique:
            made["items"] = unique[0] if len(unique) == 1 else {"anyOf": unique}
        return made


def page(document: Mapping[str, Any]) -> str:
    """The description as a page for people: no script, no font, nothing from a network."""
    info = document["info"]
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, each in methods.items():
            groups.setdefault(each["tags"][0], []).append(_section(path, method, each))
    schemas = document["components"]["schemas"]
    models = "".join(_model(name, schema) for name, schema in sorted(schemas.items()))
    body = "".join(f"<h2>{escape(name)}</h2>{''.join(own)}" for name, own in groups.items())
    title = escape(f"{info['title']} {info['version']}")
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<meta name=viewport content='width=device-width'><style>{_STYLE}</style>"
        f"<h1>{title}</h1><p>{escape(info['description'])} <a href=openapi.json>openapi.json</a></p>"
        f"{body}<h2>Models</h2>{models}</html>"
    )


_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60em;"
    "margin:2em auto;padding:0 1em}code,pre{font:14px/1.5 ui-monospace,monospace}"
    "details{border:1px solid #8886;border-radius:6px;padding:.4em .8em;margin:.5em 0}"
    "summary{cursor:pointer}table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-top:1px solid #8884}"
)


def _section(path: str, method: str, each: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code><td>{one['in']}"
        f"<td>{escape(one['schema'].get('description', one.get('description', '')))}"
        for one in each.get("parameters", ())
    )
    content = each.get("requestBody", {}).get("content", {})
    takes = "".join(_link("Body", one["schema"]) for one in content.values())
    answers = "".join(
        f"<tr><td>{status}<td>{escape(one['description'])}<td>"
        + "".join(_link("", of.get("schema", {})) for of in one.get("content", {}).values())
        for status, one in each["responses"].items()
    )
    scopes = ", ".join(
        {scope for one in each.get("security", ()) for own in one.values() for scope in own}
    )
    needs = f"<p>KeyScope: <code>{escape(scopes)}</code></p>" if scopes else ""
    table = f"<table>{rows}</table>" if rows else ""
    return (
        f"<details id={escape(each['operationId'])}><summary><code>{method.upper()} {escape(path)}"
        f"</code> {escape(each['summary'])}</summary><p>{escape(each.get('description', ''))}</p>"
        f"{needs}{table}{takes}<table>{answers}</table></details>"
    )


def _link(label: str, schema: Mapping[str, Any]) -> str:
    said = f"{label}: " if label else ""
    name = str(schema.get("$ref") or schema.get("items", {}).get("$ref", "")).rpartition("/")[2]
    if not name:
        return (
            f"<p>{said}<code>{escape(str(schema.get('type', 'any')))}</code></p>" if label else ""
        )
    listed = "list of " if "items" in schema else ""
    return f"<span>{said}{listed}<a href='#model-{escape(name)}'>{escape(name)}</a></span>"


def _model(name: str, schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code>{' *' if field in required else ''}"
        f"<td><code>{escape(_type(one))}</code><td>{escape(one.get('description', ''))}"
        for field, one in schema.get("properties", {}).items()
    )
    said = escape(schema.get("description", ""))
    return (
        f"<details id='model-{escape(name)}'><summary><code>{escape(name)}</code></summary>"
        f"<p>{said}</p><table>{rows}</table></details>"
    )


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
