"""The commands `serve` and `inspect`."""

from __future__ import annotations

from biblicus_context.cli.input.projects import paths_of
from biblicus_context.cli.options.serving import InspectArguments, ServeArguments
from biblicus_context.service import ServeSettings, serve as served


def serve(args: ServeArguments) -> None:
    who = args.who
    served(
        ServeSettings(
            paths=tuple(paths_of(args.place)),
            host=args.host,
            port=args.port,
            workers=args.workers,
            keys=args.keys,
            settings=args.settings,
            data=args.data,
            workspace=who.workspace,
            user=who.reader,
            groups=tuple(who.group or ()),
        )
    )


def inspect(args: InspectArguments) -> None:
    who = args.who
    served(
        ServeSettings(
            paths=tuple(paths_of(args.place)),
            port=args.port,
            workspace=who.workspace,
            user=who.reader,
            groups=tuple(who.group or ()),
            inspect=args.name,
        )
    )
