"""Files of YAML become a project: text, tree with places, schema check, typed declarations."""

from biblicus_context.reading.load import PlanDocument, read_documents
from biblicus_context.reading.project import (
    Project,
    ProjectReading,
    SourceLocation,
    load_project,
    read_project,
)

__all__ = [
    "PlanDocument",
    "Project",
    "ProjectReading",
    "SourceLocation",
    "load_project",
    "read_documents",
    "read_project",
]
