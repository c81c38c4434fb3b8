"""The command `corpus vacuum`."""

from __future__ import annotations

from biblicus_context.cli.input.corpus_options import CorpusName, size
from biblicus_context.cli.input.options import FormatOption, Place
from biblicus_context.cli.output.terminal import Format, write, write_json


def vacuum(name: CorpusName, place: Place, output: FormatOption = Format.TEXT) -> None:
    """Give back the space of what was changed and removed; others may search meanwhile.

    Examples:
      biblicus-context corpus vacuum plans
    """
    from biblicus_context.cli.input.corpora import indexed_corpus, project_of  # noqa: PLC0415
    from biblicus_context.corpora import maintenance  # noqa: PLC0415

    with indexed_corpus(name, project_of(place)) as corpus:
        sizes = maintenance.vacuum(corpus)
    if output is Format.JSON:
        write_json({"corpus": name, "store": str(corpus.place), **sizes._asdict()})
    else:
        write(f"{name}: {size(sizes.before)} before, {size(sizes.after)} after")
