"""Files of YAML become a project: text, tree with places, schema check, typed declarations."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.reading.kinds import Kind as Kind
    from biblicus_context.reading.load import (
        PlanDocument as PlanDocument,
        read_documents as read_documents,
    )
    from biblicus_context.reading.project import (
        Project as Project,
        ProjectReading as ProjectReading,
        SourceLocation as SourceLocation,
        load_project as load_project,
        read_project as read_project,
    )
    from biblicus_context.reading.shipped import shipped_plan as shipped_plan
    from biblicus_context.reading.values import yaml_value as yaml_value
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "kinds": "Kind",
            "load": "PlanDocument read_documents",
            "project": "Project ProjectReading SourceLocation load_project read_project",
            "shipped": "shipped_plan",
            "values": "yaml_value",
        },
    )
