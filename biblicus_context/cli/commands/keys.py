"""The commands `key create`, `key list` and `key revoke`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from biblicus_context.cli.options.serving import (
    KeyCreateArguments,
    KeyListArguments,
    KeyRevokeArguments,
)
from biblicus_context.cli.output.terminal import Format, note, write, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.service import ApiKey, KeyFile, KeyScope


def create(args: KeyCreateArguments) -> None:
    who = args.who
    made = KeyFile(args.keys).create(
        who.workspace,
        user=who.reader,
        groups=tuple(who.group or ()),
        scopes=tuple(args.scopes or [KeyScope.READ]),
        expires=None if args.days is None else datetime.now(UTC) + timedelta(days=args.days),
        name=args.name,
    )
    if args.output is Format.JSON:
        write_json({"key": made.key, **_as_json(made.known)})
        return
    write(made.key)
    note(f"key {made.known.id} is in {args.keys}; nobody can read it again")


def list_keys(args: KeyListArguments) -> None:
    found = KeyFile(args.keys).all()
    if args.output is Format.JSON:
        write_json([_as_json(each) for each in found])
        return
    for each in found:
        write("  ".join(filter(None, _columns(each))))


def revoke(args: KeyRevokeArguments) -> None:
    gone = KeyFile(args.keys).revoke(args.key)
    if args.output is Format.JSON:
        write_json(_as_json(gone))
    elif not is_quiet():
        write(f"{gone.id}: revoked")


def _columns(key: ApiKey) -> tuple[str, ...]:
    whose = key.workspace if key.user is None else f"{key.workspace}/{key.user}"
    ends = ""
    if key.expires is not None:
        verb = "expired" if key.is_expired(datetime.now(UTC)) else "expires"
        ends = f"{verb} {key.expires:%Y-%m-%d}"
    return key.id, whose, ",".join(key.scopes), ends, key.name


def _as_json(key: ApiKey) -> dict[str, object]:
    return key.model_dump(mode="json", exclude={"hash"})
