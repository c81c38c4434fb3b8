"""The arguments of the commands over corpora and their indexes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.options.shared import (
    AllowKeyOption,
    CorpusName,
    FormatOption,
    PrincipalOptions,
    ProjectOptions,
)
from biblicus_context.cli.output.terminal import Format


class By(StrEnum):
    """How blocks are found and ranked."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"
    FUZZY = "fuzzy"
    RECENT = "recent"


@dataclass(frozen=True)
class PageOptions:
    """Which blocks of a ranking are shown."""

    limit: Annotated[
        int | None,
        option(
            "Maximum number of blocks. Default: 5, or the retriever's limit.", metavar="N", min=1
        ),
    ] = None
    offset: Annotated[
        int | None,
        option(
            "Number of blocks to skip. Default: 0, or the retriever's offset.", metavar="N", min=0
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class IndexArguments:
    """Index a folder of files, or update the indexes of all declared corpora.

    The index is stored in .biblicus-context/NAME next to the folder. Only changed files are read;
    deleted files are removed from the index.

    Examples:
      biblicus-context index
      biblicus-context index contexts --corpus plans
      biblicus-context index contexts --store indexes/plans
      biblicus-context index contexts --store connection:main
      biblicus-context index README.md --format json
    """

    place: ProjectOptions
    root: Annotated[
        Path | None,
        argument(
            "Folder or file to index. Default: the declared root of the corpus; "
            "without --corpus, every declared corpus.",
            metavar="ROOT",
        ),
    ] = None
    corpus: Annotated[
        str | None,
        option(
            "Name of the corpus. Default: the name of the folder.",
            "--corpus",
            metavar="NAME",
            names="corpus",
        ),
    ] = None
    store: Annotated[
        str | None,
        option(
            "Folder of the index, `connection:NAME`, or the URL of a server. Default: the declared store, or "
            ".biblicus-context/NAME next to ROOT.",
            "--store",
            metavar="PLACE",
        ),
    ] = None
    replace: Annotated[
        bool,
        option(
            "Replace an index that belongs to another folder, or whose folder is now empty.",
            "--replace",
        ),
    ] = False
    quick: Annotated[
        bool,
        option(
            "End as soon as all blocks can be searched, by quick vectors where many are new; "
            "the next index goes on. Ctrl-C does the same.",
            "--quick",
        ),
    ] = False
    allow_key: AllowKeyOption = None
    watch: Annotated[bool, option("Index again when a file changes, until Ctrl-C.", "--watch")] = (
        False
    )
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class SearchArguments:
    """Search a corpus: each block with its place, the parts of its score, tokens and a snippet.

    Examples:
      biblicus-context search "conversation history" --corpus plans
      biblicus-context search "house stile" --corpus plans --by fuzzy --limit 1
      biblicus-context search "house style" --corpus plans --retriever words
      biblicus-context search "order" --corpus plans --format json
    """

    query: Annotated[str, argument("Text to search for.", metavar="QUERY")]
    place: ProjectOptions
    corpus: Annotated[
        str | None,
        option(
            "A declared corpus, or one indexed here. Optional if there is only one, or "
            "with --retriever.",
            "--corpus",
            metavar="NAME",
            names="corpus",
        ),
    ] = None
    retriever: Annotated[
        str | None,
        option(
            "Search with the settings of a declared retriever; its query template is not used.",
            "--retriever",
            metavar="NAME",
            names="retriever",
        ),
    ] = None
    by: Annotated[
        By | None,
        option("Search method. Default: hybrid; keyword without the extra corpus."),
    ] = None
    page: PageOptions
    who: PrincipalOptions
    allow_key: AllowKeyOption = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class EvalArguments:
    """Measure how much relevant evidence each retriever gets into a context.

    Pass a file of questions to measure a corpus as it is indexed: CSV with the columns question and
    file, or JSON Lines with these names. A file counts if a whole passage of it is in the context.
    Several files of one question are separated by semicolons; a.md | b.md is either of two.

    With --at-least, the status is 1 if a retriever finds less than this share in the largest budget.

    Or pass a folder with a collection of records: docs.jsonl has one line for each record (id, text,
    metadata), queries.jsonl one for each query (id, text, gold: ids of relevant records, and
    optionally collection, which limits the search to records with this value in their metadata). A
    record counts if its whole text is in the context, as a hit or as a neighbour of one.

    Each query is assembled under every budget.

    Examples:
      biblicus-context eval questions.csv
      biblicus-context eval questions.csv --corpus handbook --retriever words --budget 500
      biblicus-context eval questions.csv --budget 1000 --at-least 0.9
      biblicus-context eval questions.csv --embedder granite
      biblicus-context eval collection --as-files
      biblicus-context eval collection papers --pool
      biblicus-context eval collection papers --foreign --retriever contexts/search.yaml
      biblicus-context eval collection --retriever contexts/search.yaml --budget 512 --format json
    """

    sources: Annotated[
        list[Path],
        argument(
            "Files of questions (.csv, .tsv, .jsonl), or folders of records.", metavar="SOURCE"
        ),
    ]
    place: ProjectOptions
    corpus: Annotated[
        str | None,
        option(
            "Corpus that the questions are about. Optional if there is only one.",
            "--corpus",
            metavar="NAME",
            names="corpus",
        ),
    ] = None
    retriever: Annotated[
        list[str] | None,
        option(
            "Declared retriever, or file that declares some; may be repeated. "
            "Default: those declared for the corpus, else hybrid with default settings.",
            "--retriever",
            metavar="NAME",
            names="retriever",
        ),
    ] = None
    budget: Annotated[
        list[str] | None,
        option(
            "Budgets in tokens; may be repeated. Default: 256, 512, 1024, 2048 and 4096.",
            "--budget",
            metavar="N,N,...",
        ),
    ] = None
    queries: Annotated[int | None, option("Use only the first N queries.", metavar="N", min=1)] = (
        None
    )
    allow_key: AllowKeyOption = None
    at_least: Annotated[
        float | None,
        option(
            "Share of the evidence, such as 0.9, that each retriever has to find in the largest "
            "budget. If one finds less, the status is 1.",
            "--at-least",
            metavar="SHARE",
            min=0,
            max=1,
        ),
    ] = None
    embedder: Annotated[
        str | None,
        option(
            "Embedding model to measure: granite (default), wordllama (faster) or minilm. "
            "Files of "
            "the corpus are indexed with it in a temporary folder.",
            metavar="NAME",
        ),
    ] = None
    as_files: Annotated[
        bool,
        option(
            "Measure records also as files and as JSON Lines, indexed as any folder is.",
            "--as-files",
        ),
    ] = False
    pool: Annotated[
        bool,
        option("Measure each collection also with all of them in one corpus.", "--pool"),
    ] = False
    foreign: Annotated[
        bool,
        option(
            "Ask each collection the queries of the others too: 'silent' is the share of these "
            "for which nothing is placed.",
            "--foreign",
        ),
    ] = False
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusArguments:
    """Manage the indexes of corpora: list, check, shrink, export and remove them.

    A corpus is declared in a project, or was indexed from a folder here and is stored in
    .biblicus-context/NAME.

    Examples:
      biblicus-context corpus list
      biblicus-context corpus check plans
    """


@dataclass(frozen=True, kw_only=True)
class CorpusListArguments:
    """List the declared corpora and the indexes stored here, with their size and contents.

    Examples:
      biblicus-context corpus list
      biblicus-context corpus list --format json
    """

    place: ProjectOptions
    who: PrincipalOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusInfoArguments:
    """Show what an index contains: kinds of documents, programming languages, embeddings, size.

    Only what the given workspace, user and groups may read is counted; the size covers everything.

    Examples:
      biblicus-context corpus info plans
      biblicus-context corpus info plans --workspace acme --as ann --format json
    """

    name: CorpusName
    place: ProjectOptions
    who: PrincipalOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusCheckArguments:
    """Check an index: database, full-text index and embeddings. Nothing is changed.

    Examples:
      biblicus-context corpus check plans
      biblicus-context corpus check plans --format json
    """

    name: CorpusName
    place: ProjectOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusVacuumArguments:
    """Reclaim the disk space of changed and deleted documents. Searching stays possible.

    Examples:
      biblicus-context corpus vacuum plans
    """

    name: CorpusName
    place: ProjectOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusExportArguments:
    """Write one version of a corpus as JSON Lines: documents, blocks and relations.

    The first line describes the corpus. Each document is followed by its blocks and relations. Only
    what the given workspace, user and groups may read is written.

    Examples:
      biblicus-context corpus export plans
      biblicus-context corpus export plans --vectors --output plans.jsonl
    """

    name: CorpusName
    place: ProjectOptions
    who: PrincipalOptions
    to: Annotated[
        Path,
        option("File to write; - is standard output.", "--output", "-o", metavar="FILE"),
    ] = Path("-")
    vectors: Annotated[bool, option("Include embeddings.", "--vectors")] = False
    everything: Annotated[
        bool,
        option("Include documents that only some users of the workspace may read.", "--everything"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class CorpusCopyArguments:
    """Copy a corpus into another store: a folder, or a server. Every document is compared afterwards.

    A copy that was interrupted goes on: what is equal already is not written again. One workspace is
    copied, with the documents that some of its users may read. Counts of use are not.

    Examples:
      biblicus-context corpus copy plans connection:main
      biblicus-context corpus copy plans indexes/plans --workspace acme
    """

    name: CorpusName
    to: Annotated[
        str, argument("Folder, `connection:NAME`, or the URL of a server.", metavar="PLACE")
    ]
    place: ProjectOptions
    who: PrincipalOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusImportArguments:
    """Write what `corpus export` wrote into a store: a folder, or a server.

    A document takes the place of the one with its id; others stay. Embeddings are written if the export has them.

    Examples:
      biblicus-context corpus import plans.jsonl indexes/plans
      biblicus-context corpus import plans.jsonl connection:main --workspace acme
    """

    file: Annotated[Path, argument("File of an export; - reads standard input.", metavar="FILE")]
    to: Annotated[
        str, argument("Folder, `connection:NAME`, or the URL of a server.", metavar="PLACE")
    ]
    corpus: Annotated[
        str | None,
        option(
            "Name of the corpus; on a server, of its collection. Default: the name in the export.",
            "--corpus",
            metavar="NAME",
        ),
    ] = None
    who: PrincipalOptions
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorpusRemoveArguments:
    """Remove the index of a corpus. The source files are kept.

    A folder is removed for all workspaces. On a server one workspace of the corpus is forgotten.

    Examples:
      biblicus-context corpus remove plans --yes
    """

    name: CorpusName
    place: ProjectOptions
    workspace: Annotated[
        str,
        option("On a server, the workspace to forget.", "--workspace", metavar="NAME"),
    ] = "local"
    yes: Annotated[bool, option("Do not ask for confirmation.", "--yes", "-y")] = False
    output: FormatOption = Format.TEXT
