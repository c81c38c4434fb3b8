"""What a corpus is asked to be, a folder or a declaration, becomes typed settings."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError, PlanError
from biblicus_context.ingest.files.regular_files import printable_name
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.corpus_settings import CorpusSettings


def declared(root: Path, name: str | None) -> CorpusDeclaration:
    """The declaration that stands for a folder; its name is that of the folder by default."""
    for said in (str(root), name or ""):
        if said != printable_name(said):
            raise InputError(
                "this name is not UTF-8", found=printable_name(said), fix="Give it another one."
            )
    if name == "":
        raise InputError(
            "the name of a corpus is empty", fix="Leave it out to use the name of the folder."
        )
    return CorpusDeclaration(name=name or root.name, config={"root": str(root)})


def settings_of(declaration: CorpusDeclaration) -> CorpusSettings:
    """The settings of a declaration; what is wrong with them says where it stands."""
    try:
        return CorpusSettings.model_validate(declaration.config)
    except ValidationError as error:
        invalid = first_invalid(error)
        place = f"corpus '{declaration.name}' config"
        if invalid.is_unknown_key:
            valid = CorpusSettings.model_fields
            raise PlanError(
                "unknown setting", place=place, found=invalid.place, valid=valid
            ) from None
        raise PlanError(str(invalid), place=place) from None
