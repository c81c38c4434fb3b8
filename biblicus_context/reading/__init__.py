"""Files of YAML become a project: text, tree with places, schema check, typed declarations."""

from biblicus_context.reading.load import Document, read_documents
from biblicus_context.reading.project import Project, Source, load_project

__all__ = ["Document", "Project", "Source", "load_project", "read_documents"]
