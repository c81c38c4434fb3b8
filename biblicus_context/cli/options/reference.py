"""The arguments of the commands that need no project of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.options.shared import (
    FormatOption,
)
from biblicus_context.cli.output.terminal import Format


@dataclass(frozen=True, kw_only=True)
class InitArguments:
    """Create a small working project: contexts, a policy, a corpus and a golden test.

    The project includes JSON Schemas for editors and a pre-commit configuration. No file of yours
    is overwritten: if one of the files exists with another content, nothing is written. Only an
    existing .gitignore is extended with the missing lines, and schemas of another release are
    replaced. A run that was stopped can be repeated: it writes what is missing.

    With --system, the project is the plan of a system and a small data set, which is written into
    its corpora. Copy the plan, change it, and pass it to the system as `plan=`.

    Examples:
      biblicus-context init
      biblicus-context init my-project
      biblicus-context init my-memory --system memory
    """

    folder: Annotated[
        Path, argument("Folder of the project. Default: the current one.", metavar="DIR")
    ] = Path()
    system: Annotated[
        str | None,
        option(
            "Write the plan of a system: memory, prime, workspace or learning.",
            "--system",
            metavar="NAME",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TokensArguments:
    """Count the tokens of texts for one or several models.

    Only the text is counted, not the tokens that a model's message format adds. Files that are not
    text are reported and skipped; the exit status is then 2.

    Examples:
      biblicus-context tokens README.md
      biblicus-context tokens README.md LICENSE --model gpt-4o --model claude-sonnet-4-5
      echo "Where is my order?" | biblicus-context tokens --model llama3 --format json
    """

    files: Annotated[
        list[Path] | None,
        argument("Text files; without one, or with -, standard input.", metavar="FILE"),
    ] = None
    model: Annotated[
        list[str] | None,
        option(
            "Model or counter; may be repeated. Default: o200k_base.",
            "--model",
            metavar="NAME",
            names="counter",
        ),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class ModelsArguments:
    """List the known models: context window, counter, and tokens added for each message.

    A name may start with a provider and end with a date. If a vocabulary is not public, the count is
    an estimate: the figure of the shown counter times the shown factor.

    Examples:
      biblicus-context models
      biblicus-context models gpt-4o openai/gpt-5-mini
      biblicus-context models --format json
    """

    names: Annotated[
        list[str] | None,
        argument("Show only these models.", metavar="NAME", names="model"),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class SchemaArguments:
    """Print the JSON Schema of a kind of document.

    Editors check a file while you type if its first line names the schema:
    `# yaml-language-server: $schema=../schemas/project.schema.json`

    Examples:
      biblicus-context schema context
      biblicus-context schema > project.schema.json
    """

    kind: Annotated[
        str,
        argument("The kind of document; project covers all.", metavar="KIND", names="schema"),
    ] = "project"


@dataclass(frozen=True, kw_only=True)
class VersionArguments:
    """Print the version of biblicus-context.

    Examples:
      biblicus-context version
    """
