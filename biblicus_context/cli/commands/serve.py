"""The commands `serve` and `inspect`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp

from biblicus_context.cli.input.projects import paths_of
from biblicus_context.cli.options.serving import InspectArguments, ServeArguments
from biblicus_context.cli.output.terminal import note
from biblicus_context.service import ServeSettings, serve as served
from biblicus_context.starter.files import starter_files

_TRY = """a demo in {place}; try, below the address that follows:
  /docs             every path
  /inspect/support  a context to look at, with its budget to drag
  /metrics          figures for Prometheus; a dashboard for Grafana: {dashboard}
  this log          requests, and the spans that OpenTelemetry would get
  curl -s ADDRESS/v1/contexts/support/assemble -H 'content-type: application/json' \\
    -d '{{"inputs": {{"question": "Where is my order?"}}, "receipt": true}}'
  curl -s ADDRESS/v1/memory/remember -H 'content-type: application/json' \\
    -d '{{"memory": {{"id": "m1", "content": "The release is on Friday."}}}}'"""


def serve(args: ServeArguments) -> None:
    who, user = args.who, args.who.reader
    paths, data = [] if args.demo else [*paths_of(args.place)], args.data
    if args.demo:
        place = _demo()
        paths, data, user = [place / "contexts"], data or place / "data", user or "you"
    served(
        ServeSettings(
            paths=tuple(paths),
            host=args.host,
            port=args.port,
            workers=args.workers,
            keys=args.keys,
            settings=args.settings,
            data=data,
            workspace=who.workspace,
            user=user,
            groups=tuple(who.group or ()),
            logs_spans=args.demo,
        )
    )


def _demo() -> Path:
    place = Path(mkdtemp(prefix="biblicus-context-demo-"))
    for name, text in starter_files().items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    note(_TRY.format(place=place, dashboard=files("biblicus_context.service") / "dashboard.json"))
    return place


def inspect(args: InspectArguments) -> None:
    who = args.who
    served(
        ServeSettings(
            paths=tuple(paths_of(args.place)),
            port=args.port,
            settings=args.settings,
            workspace=who.workspace,
            user=who.reader,
            groups=tuple(who.group or ()),
            inspect=args.name,
        )
    )
