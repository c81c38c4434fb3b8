"""The page docs/cli.md: the manuals of all commands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from biblicus_context.cli.manual import EXIT_STATUS, GLOBAL, HelpSection, Manual

_BEGIN = """\
# Command line

<!-- Generated from the commands by: python docs/generate.py -->

`biblicus-context`, its short alias `bctx` and `python -m biblicus_context` are the same program.
Every command lists its options with `--help`.

## The project

Commands work on the nearest `contexts` folder: in the current folder, or above it up to the root of the
repository. `--path` names other files or folders, `--shipped` the contexts of the package. Without any of
these a command says so and does nothing.

One plan with an error stops only what uses it. `list`, `render` and the other commands print a warning with
the file, and go on with the rest; a context that is broken, or that inserts something broken, is refused with
the error itself. `lint` reports everything. `test` skips golden tests that git ignores, unless a path names
them. No command enters `node_modules`, virtual environments or hidden folders.

A corpus that was never indexed is indexed by the first command that searches it; after that `index` brings
every declared corpus up to date.
"""
_END = """\
## Shell completion

`biblicus-context --install-completion` adds completion to bash, zsh, fish or PowerShell: of commands
and options, and of the names of contexts, inputs, retrievers, corpora, models, lint rules and kinds
of document. `bctx --install-completion` does so for the alias. `--show-completion` prints the script
instead.

## Output

Results go to the standard output, notes and errors to the standard error. An error begins with
`error:`. `--quiet` leaves the notes out; `--verbose` adds each step. Both are accepted before and
after the name of a command. Ctrl-C prints `interrupted` and ends with exit status 130.

With `--format json` the standard output is one JSON document and nothing else. A command that cannot
run (exit status 2) prints `{"error": {...}}` there, and the same message to the standard error:

| field | |
|---|---|
| `type` | the class of the error, as in [Errors](errors.md), or `UsageError` for invalid arguments |
| `message` | the whole message |
| `problem`, `place`, `found`, `valid`, `fix` | its parts, those that it has |
| `file`, `line`, `column`, `mistake` | of an error in a plan file |
| `problems` | of a project with several errors: the same fields for each |
| `budget`, `needed`, `parts` | of a budget that is too small |
| `hint` | the usage of the command |

| command | its JSON document |
|---|---|
| list | a list of declarations for each kind: `name`, `file`, `line`; for contexts `description` and `inputs` |
| render | `context`, `fingerprint`, `token_count`, `estimated`, `system_prompt`, `history`, `user_message`, `messages`, `receipt`; with `--format messages` the list of messages alone; with the name of a provider what the [method for it](provider-formats.md#sending) returns |
| explain | the receipt, as `Receipt` in [Python](python.md#the-receipt), without timings |
| whatif | a list, one for each model and budget: `budget`, `model`, `fits`, `needed`, `problem`, `receipt` |
| diff | `tokens`, `messages` (numbers on both sides, `role`, `diff`), `parts`, `prefix` |
| index | a list, one for each declared corpus; with a folder or `--corpus` the document of that one: `corpus`, `root`, `store`, `added`, `changed`, `removed` (names), `unchanged`, `skipped`, `remarks`, `blocks`, `tokens`, `bytes`, `embedded`, `known`, `seconds`, `version`, `remains_until` (until when the files may hold what was changed or removed, or null); in the list `corpus` and `error` of one that could not be indexed (exit status 2) |
| corpus list | a list: `name`, `declared`, `root`, `store`, `problem` (of an index that cannot be read), and of one that can `version`, `changed`, `documents`, `blocks`, `tokens`, `vectors` (rows by model), `bytes` |
| corpus info | the same of one corpus, with `workspace`, `source` (its files), `since` (files that are new, changed and gone since), `relations`, `kinds`, `languages`, `coverage` (of the blocks, by model) |
| corpus check | `corpus`, `store`, `sound`, `problems` |
| corpus vacuum | `corpus`, `store`, `before`, `after` (bytes) |
| corpus remove | `corpus`, `store`, `bytes` |
| search | a list: `id`, `source`, `lines`, `title`, `heading`, `score`, `parts`, `tokens`, `text` |
| eval | a list, one for each collection and retriever: `collection`, `retriever`, `queries`, `recall` and `all_evidence` by budget, `mean_recall`, `mean_all_evidence`, `ndcg_at_10`, `p50_ms`, `p95_ms`, `missed` (questions with a missing file) |
| tokens | `estimated` by counter, `files` (`file`, `characters`, `tokens` by counter), `total` |
| models | a list: `name`, `window`, `counter`, `exact`, `margin`, `reason`, `framing` |

A file for `--packs` has an answer for each retriever: a text, a list of texts or blocks
(`text`, `id`, `source`, `score`, `metadata`), or a pack (`text`, `blocks`). Pages are served from it
as the plan asks for them.

Colours are used on terminals. `NO_COLOR` turns them off, `FORCE_COLOR` on. `COLUMNS` sets how wide
tables are. In a narrow terminal names take several lines; a table whose figures alone are too wide is
written row by row instead, so that no figure is cut. Written to a file or a pipe a table is as wide as
it needs. Signs that an encoding lacks are replaced, in JSON they are escapes; control characters
in data are shown as escapes on terminals. `BIBLICUS_CONTEXT_DEBUG=1` shows where an unexpected
error came from.
"""


def page(manuals: Mapping[str, Manual]) -> str:
    """The page: the program first, then every command."""
    program, *commands = manuals.values()
    shared = [each.heading for each in _several(commands)]
    pages = (_command(each, shared) for each in commands)
    return "\n".join([_BEGIN, *_program(program), *_shared(commands), *pages, _END])


def _program(manual: Manual) -> Iterator[str]:
    yield "## Commands\n"
    for section in manual.sections:
        if section.commands:
            yield _table(section) + "\n"
    for section in manual.sections:
        if section.heading == EXIT_STATUS:
            yield f"## {section.heading}\n\n{_table(section)}\n"


def _shared(manuals: Sequence[Manual]) -> Iterator[str]:
    """The options that several commands have, once each."""
    yield (
        "## Shared options\n\nSeveral commands have these groups of options. "
        "The global ones belong to every command.\n"
    )
    for section in _several(manuals):
        yield f"### {section.heading}\n\n{_table(section)}\n"


def _several(manuals: Sequence[Manual]) -> list[HelpSection]:
    """The groups of options that more than one command has, the largest of each heading."""
    groups: dict[str, list[HelpSection]] = {}
    for manual in manuals:
        for section in manual.sections:
            if section.heading.endswith(" options"):
                groups.setdefault(section.heading, []).append(section)
    several = [max(each, key=lambda one: len(one.entries)) for each in groups.values() if each[1:]]
    return sorted(several, key=lambda each: each.heading == GLOBAL)


def _command(manual: Manual, shared: Collection[str]) -> str:
    name = manual.usage.partition(" [OPTIONS]")[0].partition(" ")[2]
    pieces = [f"## {name}", *manual.about, f"```sh\n{manual.usage}\n```"]
    own = [each for each in manual.sections if each.heading not in shared]
    pieces += (_table(section, f"{name}-") for section in own)
    groups = [each.heading for each in manual.sections if each.heading in shared]
    links = [f"[{each.lower()}](#{each.lower().replace(' ', '-')})" for each in groups]
    pieces.append(f"{'Also' if own else 'Options'}: {', '.join(links)}.")
    if manual.examples:
        pieces.append("\n".join(["Examples:", "", "```sh", *manual.examples, "```"]))
    return "\n\n".join(pieces) + "\n"


def _table(section: HelpSection, above: str = "") -> str:
    rows = [
        f"| {f'[{each.label}](#{above}{each.label})' if section.commands else f'`{_cell(each.label)}`'} "
        f"| {_cell(each.about)} |"
        for each in section.entries
    ]
    return "\n".join([f"| {section.heading.lower()} | |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
