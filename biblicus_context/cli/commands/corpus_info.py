"""The command `corpus info`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from biblicus_context.cli.commands.corpus_list import figures
from biblicus_context.cli.input.corpora import declaring_project, indexed_corpus, principal_of
from biblicus_context.cli.options.corpora import CorpusInfoArguments
from biblicus_context.cli.output.terminal import Format, format_bytes, write, write_json
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.maintenance import Account, account, languages
from biblicus_context.corpora.staleness import Staleness, measure_staleness


def info(args: CorpusInfoArguments) -> None:
    with indexed_corpus(
        args.name, declaring_project(args.place, needs=args.name), principal_of(args.who)
    ) as corpus:
        found, code, since = account(corpus), languages(corpus), measure_staleness(corpus)
        if args.output is Format.JSON:
            write_json(_as_json(corpus, found, code, since))
            return
        lines = [*_lines(corpus, found, code, since)]
        width = max(len(label) for label, _ in lines)
        for label, value in lines:
            write(f"{label:{width}}  {value}")


_NOT_COMPLETE: Final[dict[bool | None, str]] = {
    True: "no: it is being made at this moment",
    False: "no: its making was interrupted; run index to finish it",
    None: "no: it is being made, or that was interrupted; run index to finish it",
}


def _lines(
    corpus: Corpus, found: Account, code: Mapping[str, int], since: Staleness | None
) -> Iterator[tuple[str, str]]:
    info = found.info
    yield "corpus", corpus.name
    yield "index", corpus.store_name
    if corpus.root is not None:
        yield "files", str(corpus.source or "not known")
    yield "size", format_bytes(found.bytes)
    yield "workspace", corpus.principal.workspace
    changed = f", written {found.changed:%Y-%m-%d %H:%M:%S} UTC" if found.changed else ""
    yield "version", f"{info.version:,}{changed}"
    if corpus.index.is_partial:
        yield "complete", _NOT_COMPLETE[corpus.index.is_being_made]
    if since is not None and any(since):
        parts = _counted(None, {name: count for name, count in since._asdict().items() if count})
        yield "since then", f"{parts}; run index to update it"
    yield "documents", _counted(info.documents, info.kinds)
    if code:
        yield "languages", _counted(None, code)
    yield "blocks", f"{info.blocks:,}"
    yield "tokens", f"{info.tokens:,}"
    yield "relations", f"{info.relations:,}"
    for model, count in info.vectors.items():
        share = f"{100 * found.coverage(model):.1f} % of the blocks"
        yield "embeddings", f"{model}: {count.rows:,} of {count.dimensions} numbers each, {share}"
    if not info.vectors:
        yield "embeddings", "none"
    if waiting := _waiting(corpus, found):
        yield "waiting", f"{waiting:,} blocks have quick vectors only; run index to embed them"


def _waiting(corpus: Corpus, found: Account) -> int:
    """Blocks that have only the vectors of a quick embedder."""
    embedder, quick = corpus.embedder, corpus.index.quick_embedder
    if embedder is None or quick is None:
        return 0
    return found.waiting(embedder.model)


def _counted(total: int | None, parts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in parts.items())
    return listed if total is None else f"{total:,}" + (f": {listed}" if listed else "")


def _as_json(
    corpus: Corpus, found: Account, code: Mapping[str, int], since: Staleness | None
) -> dict[str, Any]:
    return {
        "name": corpus.name,
        "store": corpus.store_name,
        "source": str(corpus.source) if corpus.source else None,
        "workspace": corpus.principal.workspace,
        "complete": not corpus.index.is_partial,
        **figures(found),
        "since": since._asdict() if since is not None else None,
        "relations": found.info.relations,
        "kinds": dict(found.info.kinds),
        "languages": dict(code),
        "waiting": _waiting(corpus, found),
        "coverage": {model: found.coverage(model) for model in found.info.vectors},
    }
