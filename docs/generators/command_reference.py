"""The page docs/cli.md: the manuals of all commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from biblicus_context.cli.manual import HelpSection, Manual

_BEGIN = """\
# Command line

<!-- Generated from the commands by: python docs/generate.py -->

`biblicus-context` and `python -m biblicus_context` are the same program. Every command lists its
options with `--help`.
"""
_END = """\
## Shell completion

`biblicus-context --install-completion` adds completion of commands, options, contexts, models and
kinds of document to bash, zsh, fish or PowerShell; `--show-completion` prints it instead.

## Output

With `--format json` the standard output is one JSON document and nothing else; notes and errors go
to the standard error. An error begins with `error:`.

| command | its JSON document |
|---|---|
| list | a list of declarations for each kind: `name`, `file`, `line`; for contexts `description` and `inputs` |
| render | `context`, `fingerprint`, `token_count`, `estimated`, `system_prompt`, `history`, `user_message`, `messages`, `receipt`; with `--format messages` the list of messages alone |
| explain | the receipt, as `Receipt` in [Python](python.md#the-receipt), without timings |
| whatif | a list, one for each model and budget: `budget`, `model`, `fits`, `needed`, `problem`, `receipt` |
| diff | `tokens`, `messages` (numbers on both sides, `role`, `diff`), `parts`, `prefix` |
| index | `corpus`, `root`, `store`, `added`, `changed`, `removed` (names), `unchanged`, `skipped`, `remarks`, `blocks`, `tokens`, `bytes`, `embedded`, `known`, `seconds`, `version` |
| corpus list | a list: `name`, `declared`, `root`, `store`, `problem` (of an index that cannot be read), and of one that can `version`, `changed`, `documents`, `blocks`, `tokens`, `vectors` (rows by model), `bytes` |
| corpus info | the same of one corpus, with `workspace`, `source` (its files), `since` (files that are new, changed and gone since), `relations`, `kinds`, `languages`, `coverage` (of the blocks, by model) |
| corpus check | `corpus`, `store`, `sound`, `problems` |
| corpus vacuum | `corpus`, `store`, `before`, `after` (bytes) |
| corpus remove | `corpus`, `store`, `bytes` |
| search | a list: `id`, `source`, `lines`, `title`, `heading`, `score`, `parts`, `tokens`, `text` |
| eval | a list, one for each collection and retriever: `collection`, `retriever`, `queries`, `recall` and `all_evidence` by budget, `mean_recall`, `mean_all_evidence`, `ndcg_at_10`, `p50_ms`, `p95_ms` |
| tokens | `estimated` by counter, `files` (`file`, `characters`, `tokens` by counter), `total` |
| models | a list: `name`, `window`, `counter`, `exact`, `margin`, `reason`, `framing` |

A file for `--packs` has an answer for each retriever: a text, a list of texts or blocks
(`text`, `id`, `source`, `score`, `metadata`), or a pack (`text`, `blocks`). Pages are served from it
as the plan asks for them.

Colours are used on terminals. `NO_COLOR` turns them off, `FORCE_COLOR` on. `COLUMNS` sets how wide
tables are; in a narrow one names take several lines, and figures are never cut. Written to a file or
a pipe a table is as wide as it needs. Signs that an encoding lacks are replaced, in JSON they are escapes; control characters
in data are shown as escapes on terminals. `BIBLICUS_CONTEXT_DEBUG=1` shows where an unexpected
error came from.
"""


def page(manuals: Mapping[str, Manual]) -> str:
    """The page: the program first, then every command."""
    program, *commands = manuals.values()
    return "\n".join([_BEGIN, *_program(program), *map(_command, commands), _END])


def _program(manual: Manual) -> Iterator[str]:
    for section in manual.sections:
        if section.heading != "Options":
            yield f"## {section.heading}\n\n{_table(section)}"


def _command(manual: Manual) -> str:
    name = manual.usage.partition(" [OPTIONS]")[0].partition(" ")[2]
    pieces = [f"## {name}", *manual.about, f"```sh\n{manual.usage}\n```"]
    pieces += (_table(section, f"{name}-") for section in manual.sections)
    if manual.examples:
        pieces.append("\n".join(["Examples:", "", "```sh", *manual.examples, "```"]))
    return "\n\n".join(pieces) + "\n"


def _table(section: HelpSection, above: str = "") -> str:
    link = section.heading == "Commands"
    rows = [
        f"| {f'[{entry.label}](#{above}{entry.label})' if link else f'`{_cell(entry.label)}`'} "
        f"| {_cell(entry.about)} |"
        for entry in section.entries
    ]
    return "\n".join([f"| {section.heading.lower()} | |", "|---|---|", *rows]) + (
        "\n" if link or section.heading == "Exit status" else ""
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
