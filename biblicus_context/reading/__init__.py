"""Files of YAML become a project: text, tree with places, schema check, typed declarations."""

from biblicus_context.reading.load import PlanDocument, read_documents
from biblicus_context.reading.project import Project, SourceLocation, load_project

__all__ = ["PlanDocument", "Project", "SourceLocation", "load_project", "read_documents"]
