"""What every store refuses that only it can see, in the same words."""

from __future__ import annotations

from biblicus_context.errors import InputError
from biblicus_context.stores.errors import VersionGoneError


def version_is_gone(at: int, oldest: int, newest: int) -> VersionGoneError:
    """A version is not kept any more, or not there yet."""
    fix = f"Versions {oldest} to {newest} are: begin again with the newest one."
    return VersionGoneError("this version is not there", place="at", found=at, fix=fix)


def document_is_hidden(document_id: str, place: str) -> InputError:
    """Who writes a document may not see the one that it would replace."""
    return InputError(
        "this principal may not replace the document of this id",
        place=f"{place}.document.id",
        found=document_id,
        fix="Write it for a principal that can read it, or choose another id.",
    )


def nothing_to_keep(document_id: str, place: str) -> InputError:
    """A document is put without blocks, and has none so far."""
    return InputError(
        "there is no such document whose blocks could be kept",
        place=place,
        found=document_id,
        fix="Put it with its blocks, if only with ().",
    )


def id_is_taken(block_id: str) -> InputError:
    """A block's id is that of a block of another document."""
    return InputError(
        "the block's id belongs to another document",
        place="put",
        found=block_id,
        fix="Begin the ids of blocks with the id of their document.",
    )


def not_finite(document_id: str, model: str) -> InputError:
    """An embedding cannot be compared with others."""
    place = f"document {document_id!r}, model {model!r}"
    return InputError("an embedding has a number that is not finite", place=place)


def other_dimensions(model: str, kept: int, found: int, *, place: str) -> InputError:
    """An embedding is longer or shorter than those of its model are here."""
    return InputError(
        f"vectors of model {model!r} have {kept} dimensions here",
        place=place,
        found=found,
        fix="Embed texts and queries with one model, and give another one a name of its own.",
    )


def no_such_number(least: int, most: int) -> InputError:
    """Blocks are asked for by numbers that none of those that can be seen has."""
    return InputError(
        "there is no block of this number",
        place="numbers",
        found=f"{least} to {most}",
        fix="Use the numbers that the same principal was given for the same version.",
    )
