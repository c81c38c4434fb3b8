"""The arguments of the commands that assemble contexts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.options.shared import (
    AllowKeyOption,
    BudgetOption,
    CallOptions,
    ContextName,
    FormatOption,
    ModelOption,
    PrincipalOptions,
    ProjectOptions,
)
from biblicus_context.cli.output.terminal import Format


class RenderFormat(StrEnum):
    """How an assembled context is printed."""

    TEXT = "text"
    MESSAGES = "messages"
    JSON = "json"
    OPENAI = "openai"
    OPENAI_RESPONSES = "openai-responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    LANGCHAIN = "langchain"
    PYDANTIC_AI = "pydantic-ai"


@dataclass(frozen=True, kw_only=True)
class RenderArguments:
    """Assemble a context; print its messages and the receipt.

    Examples:
      biblicus-context render support --input question="Where is my order?"
      biblicus-context render support --examples --budget 150 --model gpt-4o
      biblicus-context render support --examples --format anthropic
      biblicus-context render support --examples --format json > before.json
    """

    name: ContextName
    place: ProjectOptions
    call: CallOptions
    budget: BudgetOption = None
    model: ModelOption = None
    output: Annotated[
        RenderFormat,
        option(
            "Output format: text, json (the whole result), messages, or JSON for a provider: "
            "openai, openai-responses, anthropic, gemini, langchain or pydantic-ai.",
            "--format",
            metavar="FORMAT",
        ),
    ] = RenderFormat.TEXT


@dataclass(frozen=True, kw_only=True)
class ExplainArguments:
    """Show the tokens that each part of a context wanted and got, and what was left out.

    The solid part of a bar is the tokens that were given, the shaded part those that were missing.

    Examples:
      biblicus-context explain support --examples
      biblicus-context explain support --examples --budget 150
      biblicus-context explain support --examples --html support.html
      biblicus-context explain support --examples --format json
    """

    name: ContextName
    place: ProjectOptions
    call: CallOptions
    budget: BudgetOption = None
    model: ModelOption = None
    html: Annotated[
        Path | None,
        option("Write a self-contained HTML page instead; - is standard output.", metavar="FILE"),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class WhatifArguments:
    """Compare what a context keeps under several budgets or for several models.

    Examples:
      biblicus-context whatif support --examples --budget 130,150,2000
      biblicus-context whatif support --examples --model gpt-4o --model claude-sonnet-4-5
      biblicus-context whatif support --examples --budget 130,150,2000 --html whatif.html
      biblicus-context whatif support --examples --budget 150 --format json
    """

    name: ContextName
    place: ProjectOptions
    call: CallOptions
    budgets: Annotated[
        list[str] | None,
        option(
            "Budgets in tokens; may be repeated. Default: the policy's.",
            "--budget",
            metavar="N,N,...",
        ),
    ] = None
    models: Annotated[
        list[str] | None,
        option(
            "Model; may be repeated. Default: the policy's.",
            "--model",
            metavar="NAME",
            names="model",
        ),
    ] = None
    html: Annotated[
        Path | None,
        option("Write a self-contained HTML page instead; - is standard output.", metavar="FILE"),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class DiffArguments:
    """Compare two assemblies: texts, tokens of each part, cacheable prefix.

    Both sides are assembled with the same inputs and history. A plan file is read with its whole
    project, as it is now or as it was at the revision. Corpora are searched as they are indexed now.

    Examples:
      biblicus-context diff before.json after.json
      biblicus-context diff HEAD~1:contexts/support.yaml contexts/support.yaml --examples
      biblicus-context diff support support-short --examples --format json
    """

    before: Annotated[
        str,
        argument(
            "Context, plan file, plan file at a revision (HEAD~1:contexts/x.yaml), or "
            "result saved by render --format json.",
            metavar="A",
            names="context",
        ),
    ]
    after: Annotated[
        str,
        argument("The same kinds as A.", metavar="B", names="context"),
    ]
    place: ProjectOptions
    call: CallOptions
    budget: BudgetOption = None
    model: ModelOption = None
    context: Annotated[
        str | None,
        option("Context to use if a plan file has several.", metavar="NAME", names="context"),
    ] = None
    html: Annotated[
        Path | None,
        option("Write a self-contained HTML page instead; - is standard output.", metavar="FILE"),
    ] = None
    output: FormatOption = Format.TEXT


class BatchFormat(StrEnum):
    """In which format the messages of a batch are written."""

    MESSAGES = "messages"
    OPENAI = "openai"
    OPENAI_RESPONSES = "openai-responses"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    LANGCHAIN = "langchain"
    PYDANTIC_AI = "pydantic-ai"


class BatchTable(StrEnum):
    """What the files of results are."""

    JSONL = "jsonl"
    PARQUET = "parquet"


@dataclass(frozen=True, kw_only=True)
class BatchArguments:
    """Assemble a context for each row of a file.

    A row has any of id, inputs, history, user, system, tools, model, budget and now. Results are written
    into files part-00000.jsonl and so on, rows that failed into errors-00000.jsonl. If the command is
    interrupted, run it again: it goes on where it was, and no row is lost or there twice.

    The status is 1 if a row failed.

    Examples:
      biblicus-context batch support --inputs rows.jsonl --output out
      biblicus-context batch support --inputs rows.parquet --output out --processes 8
      biblicus-context batch support --inputs rows.jsonl --output out --format openai --receipt
    """

    name: ContextName
    inputs: Annotated[Path, option("File of rows: .jsonl or .parquet.", "--inputs", metavar="FILE")]
    output: Annotated[
        Path, option("Folder for the results of this batch.", "--output", metavar="FOLDER")
    ]
    place: ProjectOptions
    who: PrincipalOptions
    allow_key: AllowKeyOption = None
    form: Annotated[
        BatchFormat,
        option(
            "Format of the messages: messages (our own), openai, openai-responses, anthropic, gemini, "
            "langchain or pydantic-ai.",
            "--format",
            metavar="NAME",
        ),
    ] = BatchFormat.MESSAGES
    receipt: Annotated[bool, option("Write the receipt of each row.", "--receipt")] = False
    table: Annotated[BatchTable, option("Files of results.", "--table")] = BatchTable.JSONL
    processes: Annotated[
        int, option("Processes that assemble at the same time.", "--processes", metavar="N", min=1)
    ] = 1
    ray: Annotated[
        str | None,
        option(
            "Assemble on the Ray cluster at this address; local starts one here.",
            "--ray",
            metavar="ADDRESS",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ListArguments:
    """List the contexts with their descriptions.

    --format json lists every declaration with its file and line, and the inputs of contexts.

    Examples:
      biblicus-context list
      biblicus-context list --shipped
      biblicus-context list --path contexts --format json
    """

    place: ProjectOptions
    output: FormatOption = Format.TEXT
