"""The inspector: a context to look at in the browser, assembled again with every change."""

from biblicus_context.service.inspector.operations import InspectorOperations as InspectorOperations
