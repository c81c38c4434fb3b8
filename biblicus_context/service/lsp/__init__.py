"""The Language Server Protocol: plans in an editor, with findings, names, tokens and fixes."""

from biblicus_context.service.lsp.server import (
    plan_server as plan_server,
    serve_editor as serve_editor,
)
