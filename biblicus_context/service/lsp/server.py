"""The Language Server Protocol: what is known of a project, in an editor. Only this file imports the library."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from biblicus_context.assembly import ContextAssembler
from biblicus_context.base import __version__
from biblicus_context.errors import ContextError, MissingExtraError
from biblicus_context.lint import Edit, Finding, Severity
from biblicus_context.reading import Place
from biblicus_context.service.lsp.completion import completions
from biblicus_context.service.lsp.hover import hover
from biblicus_context.service.lsp.names import (
    Name,
    declarations_named,
    name_at,
    places_of,
    require_new_name,
)
from biblicus_context.service.lsp.places import Spot
from biblicus_context.service.lsp.project import CheckedProject, OpenProject

try:
    from lsprotocol import types
    from pygls.exceptions import JsonRpcInvalidParams
    from pygls.lsp.server import LanguageServer
    from pygls.uris import from_fs_path, to_fs_path
except ImportError:
    raise MissingExtraError("pygls", "editor") from None

RENDER: Final = "biblicus-context.render"
_PAUSE: Final = 0.15
"""Seconds without a change before a project is checked again."""
_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_WORD: Final = re.compile(r"\{+[^}\n]*\}+|[\w.-]+|\S")


class PlanServer(LanguageServer):
    """Plans in an editor: each open file belongs to the project around it."""

    def __init__(self) -> None:
        super().__init__("biblicus-context", __version__)
        self._projects: dict[Path, OpenProject] = {}
        self._published: dict[Path, set[str]] = {}
        self._changes = 0

    def project(self, uri: str) -> OpenProject:
        """The project that a document is in."""
        root = OpenProject.root_of(_file(uri))
        return self._projects.setdefault(root, OpenProject(root))

    def checked(self, uri: str) -> CheckedProject | None:
        """What is known of the project; None if its settings or files cannot be read at all."""
        try:
            return self.project(uri).checked()
        except (ContextError, OSError) as error:
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(error)))
            return None

    def named(
        self, params: types.TextDocumentPositionParams
    ) -> tuple[CheckedProject | None, Name | None]:
        """The name at a position, and the project that it is a name of."""
        uri = params.text_document.uri
        checked = self.checked(uri)
        place = self.place(uri, params.position)
        return checked, name_at(checked, str(_file(uri)), place) if checked else None

    def take(self, uri: str) -> None:
        """Take what the editor shows."""
        text = self.workspace.get_text_document(uri).source
        self.project(uri).write(_file(uri), text)

    def publish(self, uri: str) -> None:
        """Tell the findings of the whole project, and that files without any have none now."""
        project, checked = self.project(uri), self.checked(uri)
        if checked is None:
            return
        found: dict[str, list[types.Diagnostic]] = {file: [] for file in checked.files}
        for each in checked.report.findings:
            file = each.text_file or each.file
            found.setdefault(file, []).append(self._diagnostic(each, project.text(Path(file))))
        before = self._published.get(project.root, set())
        for file in sorted(before | found.keys()):
            diagnostics = found.get(file, [])
            address = _uri(file)
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(address, diagnostics)
            )
        self._published[project.root] = set(found)

    async def publish_soon(self, uri: str) -> None:
        """Wait for the end of a word: nothing is checked while somebody types."""
        self._changes += 1
        own = self._changes
        await asyncio.sleep(_PAUSE)
        if own == self._changes:
            self.publish(uri)

    def place(self, uri: str, position: types.Position) -> Place:
        """A place of ours: both count from one, and characters are code points."""
        lines = self._lines(uri)
        own = self.workspace.position_codec.position_from_client_units(lines, position)
        return Place(own.line + 1, own.character + 1)

    def location(self, spot: Spot) -> types.Location:
        """A stretch of a line, as the client counts."""
        return types.Location(_uri(spot.file), self.span(_uri(spot.file), spot.start, spot.end))

    def span(self, uri: str, start: Place, end: Place) -> types.Range:
        """A stretch of a document, as the client counts."""
        return self._span(self._lines(uri), start, end)

    def _lines(self, uri: str) -> list[str]:
        return self.project(uri).text(_file(uri)).splitlines(keepends=True)

    def _span(self, lines: list[str], start: Place, end: Place) -> types.Range:
        own = types.Range(_position(start), _position(end))
        return self.workspace.position_codec.range_to_client_units(lines, own)

    def _diagnostic(self, finding: Finding, text: str) -> types.Diagnostic:
        lines = text.splitlines(keepends=True)
        line = lines[finding.place.line - 1] if finding.place.line <= len(lines) else ""
        word = _WORD.match(line, finding.place.column - 1)
        end = word.end() + 1 if word else finding.place.column
        return types.Diagnostic(
            range=self._span(lines, finding.place, Place(finding.place.line, end)),
            message=finding.sentence,
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            source="biblicus-context",
        )


def _shown(ls: PlanServer, params: Any) -> None:
    ls.take(params.text_document.uri)
    ls.publish(params.text_document.uri)


async def _changed(ls: PlanServer, params: types.DidChangeTextDocumentParams) -> None:
    ls.take(params.text_document.uri)
    await ls.publish_soon(params.text_document.uri)


def _closed(ls: PlanServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.project(params.text_document.uri).forget(_file(params.text_document.uri))


def _hovered(ls: PlanServer, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    checked = ls.checked(uri)
    said = checked and hover(checked, str(_file(uri)), ls.place(uri, params.position))
    markdown = types.MarkupKind.Markdown
    return types.Hover(types.MarkupContent(markdown, said)) if said else None


def _completed(ls: PlanServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    uri = params.text_document.uri
    checked, place = ls.checked(uri), ls.place(uri, params.position)
    if checked is None:
        return []
    text = ls.project(uri).text(_file(uri))
    found = completions(checked, text, place.line, place.column)
    return [types.CompletionItem(each.text, detail=each.detail or None) for each in found]


def _defined(ls: PlanServer, params: types.TextDocumentPositionParams) -> list[types.Location]:
    checked, name = ls.named(params)
    if not checked or not name:
        return []
    return [ls.location(each) for each in declarations_named(checked, name.noun, name.name)]


def _referred(ls: PlanServer, params: types.TextDocumentPositionParams) -> list[types.Location]:
    checked, name = ls.named(params)
    if not checked or not name:
        return []
    return [ls.location(each) for each in places_of(checked, name.noun, name.name)]


def _renamed(ls: PlanServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    at_name = types.TextDocumentPositionParams(params.text_document, params.position)
    checked, name = ls.named(at_name)
    if not checked or not name:
        return None
    try:
        require_new_name(checked, name.noun, params.new_name)
    except ContextError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    changes: dict[str, list[types.TextEdit]] = {}
    for each in places_of(checked, name.noun, name.name):
        at = ls.location(each)
        changes.setdefault(at.uri, []).append(types.TextEdit(at.range, params.new_name))
    return types.WorkspaceEdit(changes=changes)


def _offered(ls: PlanServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    checked = ls.checked(uri)
    if checked is None:
        return []
    lines = range(params.range.start.line + 1, params.range.end.line + 2)
    return [
        _action(ls, uri, each)
        for each in checked.report.findings
        if each.edits and each.file == str(_file(uri)) and each.place.line in lines
    ]


def _lenses(ls: PlanServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    uri = params.text_document.uri
    checked = ls.checked(uri)
    plans = checked.plans(str(_file(uri))) if checked else []
    return [
        types.CodeLens(
            range=ls.span(uri, plan.key(["name"]), plan.key(["name"])),
            command=types.Command("render", RENDER, arguments=[uri, plan.declaration.name]),
        )
        for plan in plans
        if plan.context is not None
    ]


def _render(ls: PlanServer, uri: str, name: str) -> str | None:
    try:
        page = _rendered(ls.project(uri).root, name)
    except ContextError as error:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(error)))
        return None
    ls.window_show_document(types.ShowDocumentParams(_uri(str(page)), external=True))
    return _uri(str(page))


def _rendered(root: Path, name: str) -> Path:
    """A page of a context as it is saved, assembled from the examples of its inputs."""
    assembler = ContextAssembler.from_path(root, index="missing")
    inputs = {
        key: each.example for key, each in assembler.inputs(name).items() if not each.has_default
    }
    result = assembler.assemble(name, inputs=inputs)
    page = Path(tempfile.mkdtemp(prefix="biblicus-context-")) / f"{name}.html"
    page.write_text(result.to_html(), encoding="utf-8")
    return page


def _action(ls: PlanServer, uri: str, finding: Finding) -> types.CodeAction:
    edits = [_edit(ls, uri, each) for each in finding.edits]
    return types.CodeAction(
        title=f"Fix {finding.code} {finding.name}",
        kind=types.CodeActionKind.QuickFix,
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


def _edit(ls: PlanServer, uri: str, edit: Edit) -> types.TextEdit:
    return types.TextEdit(ls.span(uri, edit.start, edit.end), edit.text)


def _file(uri: str) -> Path:
    return Path(to_fs_path(uri) or uri)


def _uri(file: str) -> str:
    return from_fs_path(str(Path(file).absolute())) or file


def _position(place: Place) -> types.Position:
    return types.Position(max(0, place.line - 1), max(0, place.column - 1))


_FEATURES: Final[Mapping[str, Callable[..., Any]]] = {
    types.TEXT_DOCUMENT_DID_OPEN: _shown,
    types.TEXT_DOCUMENT_DID_SAVE: _shown,
    types.TEXT_DOCUMENT_DID_CHANGE: _changed,
    types.TEXT_DOCUMENT_DID_CLOSE: _closed,
    types.TEXT_DOCUMENT_HOVER: _hovered,
    types.TEXT_DOCUMENT_COMPLETION: _completed,
    types.TEXT_DOCUMENT_DEFINITION: _defined,
    types.TEXT_DOCUMENT_REFERENCES: _referred,
    types.TEXT_DOCUMENT_RENAME: _renamed,
    types.TEXT_DOCUMENT_CODE_ACTION: _offered,
    types.TEXT_DOCUMENT_CODE_LENS: _lenses,
}
"""What is done with each request and notification."""
_OPTIONS: Final = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", " ", "{"])
}


def plan_server() -> PlanServer:
    """A server with all that it can do."""
    server = PlanServer()
    for name, handler in _FEATURES.items():
        server.feature(name, _OPTIONS.get(name))(handler)
    server.command(RENDER)(_render)
    return server


def serve_editor() -> None:
    """Answer an editor on standard input and output until it closes them."""
    plan_server().start_io()
