"""Files of YAML become a project: text, tree with places, schema check, typed declarations."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.reading.kinds import Kind as Kind
    from biblicus_context.reading.load import (
        PlanDocument as PlanDocument,
        read_documents as read_documents,
    )
    from biblicus_context.reading.names import DECLARED_BY as DECLARED_BY, NOUN_OF as NOUN_OF
    from biblicus_context.reading.outline import Noun as Noun, Outline as Outline
    from biblicus_context.reading.project import (
        Project as Project,
        ProjectReading as ProjectReading,
        SourceLocation as SourceLocation,
        load_project as load_project,
        read_project as read_project,
    )
    from biblicus_context.reading.revisions import Revision as Revision, revision as revision
    from biblicus_context.reading.shipped import (
        shipped_plan as shipped_plan,
        shipped_schemas as shipped_schemas,
    )
    from biblicus_context.reading.values import yaml_value as yaml_value
    from biblicus_context.reading.yaml.tree import Node as Node, Place as Place, Step as Step
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "kinds": "Kind",
            "load": "PlanDocument read_documents",
            "names": "DECLARED_BY NOUN_OF",
            "outline": "Noun Outline",
            "project": "Project ProjectReading SourceLocation load_project read_project",
            "revisions": "Revision revision",
            "shipped": "shipped_plan shipped_schemas",
            "values": "yaml_value",
            "yaml.tree": "Node Place Step",
        },
    )
