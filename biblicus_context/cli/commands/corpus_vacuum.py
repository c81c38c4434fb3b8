"""The command `corpus vacuum`."""

from __future__ import annotations

from biblicus_context.cli.input.corpora import indexed_corpus, project_of
from biblicus_context.cli.input.corpus_options import CorpusName
from biblicus_context.cli.input.options import FormatOption, ProjectOptions
from biblicus_context.cli.output.terminal import Format, format_bytes, write, write_json
from biblicus_context.corpora import maintenance


def vacuum(name: CorpusName, place: ProjectOptions, output: FormatOption = Format.TEXT) -> None:
    """Reclaim the disk space of changed and deleted documents. Searching stays possible.

    Examples:
      biblicus-context corpus vacuum plans
    """

    with indexed_corpus(name, project_of(place)) as corpus:
        sizes = maintenance.vacuum(corpus)
    if output is Format.JSON:
        write_json({"corpus": name, "store": str(corpus.place), **sizes._asdict()})
    else:
        write(f"{name}: {format_bytes(sizes.before)} before, {format_bytes(sizes.after)} after")
