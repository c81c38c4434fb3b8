"""Errors that only a store can find, so that every store reports them in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.errors import InputError
from biblicus_context.stores.errors import (
    StillReadError,
    StoreError,
    VersionConflictError,
    VersionGoneError,
)


def version_is_gone(at: int, oldest: int, newest: int) -> VersionGoneError:
    """A version is no longer kept, or does not exist yet."""
    fix = f"Versions {oldest} to {newest} are kept: start again with the newest one."
    return VersionGoneError("this version is not kept", place="at", found=at, fix=fix)


def still_read(file: str, seconds: float) -> StillReadError:
    """A purge waited in vain."""
    problem = (
        f"a read that began before the removal, or another writer, has not ended within {seconds:g} s,"
        " so bytes of what was removed are still in the files"
    )
    fix = "End it, and purge again; the next write or opening without such a read erases them too."
    return StillReadError(problem, place=file, fix=fix)


def still_remembered(caches: Sequence[str]) -> StoreError:
    """Caches were asked in vain to forget answers."""
    problem = "the answers that may have what was removed are still remembered"
    fix = "Purge again once the cache works; until then, they are forgotten as they get too old."
    return StoreError(problem, place=", ".join(caches), fix=fix)


def version_conflict(expected: int, newest: int) -> VersionConflictError:
    """Somebody else wrote since the writer read."""
    problem = f"version {expected} was expected, and {newest} is the newest"
    fix = "Read again what the write depends on, and write again."
    return VersionConflictError(problem, place="expected_version", fix=fix)


def document_is_hidden(document_id: str, place: str) -> InputError:
    """The writer may not see the document that this one would replace."""
    return InputError(
        "this principal may not replace the document with this id",
        place=f"{place}.document.id",
        found=document_id,
        fix="Write it as a principal that can read it, or choose another id.",
    )


def nothing_to_keep(document_id: str, place: str) -> InputError:
    """A document is put without blocks, but does not exist yet."""
    return InputError(
        "blocks=None keeps the blocks of a document, but this one does not exist",
        place=place,
        found=document_id,
        fix="Put it with its blocks, or with ().",
    )


def id_is_taken(block_id: str) -> InputError:
    """Another document has a block with this id."""
    return InputError(
        "the block's id belongs to another document",
        place="put",
        found=block_id,
        fix="Start the ids of blocks with the id of their document.",
    )


def not_finite(document_id: str, model: str) -> InputError:
    """An embedding contains infinity or NaN."""
    place = f"document {document_id!r}, model {model!r}"
    return InputError("an embedding contains a number that is not finite", place=place)


def other_dimensions(model: str, kept: int, found: int, *, place: str) -> InputError:
    """An embedding is longer or shorter than the others of its model in this workspace."""
    return InputError(
        f"vectors of model {model!r} have {kept} dimensions here",
        place=place,
        found=found,
        fix="Embed texts and queries with the same model, and give another model another name.",
    )


def no_such_number(least: int, most: int) -> InputError:
    """No visible block has this number."""
    return InputError(
        "no block has this number",
        place="numbers",
        found=f"{least} to {most}",
        fix="Use numbers that the same principal got for the same version.",
    )
