"""Safety: untrusted text, secrets and paths."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from biblicus_context.embedders.allowed_keys import is_of_the_provider
from biblicus_context.lint.engine.finding import Severity, Violation, Violations
from biblicus_context.lint.engine.rule import rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.combined_retrievers import all_settings
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import own_settings
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.positions import place_at
from biblicus_context.lint.facts.source.secrets import SettingText, setting_texts
from biblicus_context.lint.facts.templates.inputs import searched_inputs
from biblicus_context.lint.facts.templates.texts import texts, violation_in
from biblicus_context.spec.embedder import OpenAIEmbedderSpec
from biblicus_context.spec.retriever import MCP, QDRANT, SQL, RetrieverDeclaration
from biblicus_context.text.secrets import secrets_in


@rule("BC701", "unfenced-evidence", Severity.WARNING)
def unfenced_evidence(plan: Plan, declared: Declarations) -> Violations:
    for insert in inserts(plan, declared):
        form = declared.format(insert.options)
        if _is_retriever(insert.name, declared) and not (form and form.fence):
            yield plan.violation(
                (*insert.path, "name"),
                f"the evidence of '{insert.name}' is placed without a fence",
                advice="Add format: {fence: true}. If you wrote these texts yourself, suppress this finding.",
            )


def _is_retriever(name: str, declared: Declarations) -> bool:
    """Whether a name is a known retriever; BC201 reports unknown names."""
    return ("retriever", name) in declared.by_name or name in declared.from_python.get("pack", ())


@rule("BC702", "hardcoded-secret", Severity.WARNING, depends_on=())
def hardcoded_secret(plan: Plan, _: Declarations) -> Violations:
    """Searches whole files, because a secret in a comment is exposed as well."""
    advice = "Revoke it: it may be exposed. Pass secrets from Python."
    for path, file in plan.document.text_files.items():
        for secret in secrets_in(file.text):
            problem, at = f"possible secret: {secret.kind}", secret.offset
            yield plan.in_text_file(path, at, problem, found=secret.shown, advice=advice)
    for secret in secrets_in(plan.text):
        problem, place = f"possible secret: {secret.kind}", place_at(plan, secret.offset)
        yield Violation(place, problem, found=secret.shown, advice=advice)


_ABSOLUTE: Final = re.compile(r"/(?!/)|~|[A-Za-z]:[\\/]|\\\\|file:/")
_NAMES_A_PATH: Final = re.compile(r"(?:.*_)?(?:root|path|file|folder|dir|directory)")
_TOKENIZER: Final = "tokenizer.json"


@rule("BC703", "non-portable-path", Severity.WARNING, depends_on=())
def non_portable_path(plan: Plan, declared: Declarations) -> Violations:
    for setting in setting_texts(plan, declared):
        if not _is_path(setting):
            continue
        if _ABSOLUTE.match(setting.value):
            yield plan.violation(
                setting.path,
                "an absolute path works on one machine only",
                found=setting.value,
                advice="Write it relative to this file, or pass it from Python.",
            )
        elif setting.path[-1] == "root" and _escapes(plan.document.file, setting.value):
            yield plan.violation(
                setting.path,
                "the path is outside the folder that is linted",
                found=setting.value,
                advice="Keep the files that a plan reads in its project.",
            )


def _is_path(setting: SettingText) -> bool:
    is_named_so = _NAMES_A_PATH.fullmatch(str(setting.path[-1])) is not None
    return is_named_so or setting.value.endswith(_TOKENIZER)


def _escapes(file: str, root: str) -> bool:
    """Whether a root is outside the folder the linter runs in; files outside it are not checked."""
    if ".." not in root or "://" in root:
        return False
    inside = os.path.relpath(file) if Path(file).is_absolute() else file
    folder = posixpath.normpath(Path(inside).parent.as_posix())
    if folder.startswith(".."):
        return False
    # A file that is named without its folder may be anywhere in a project.
    return folder != "." and posixpath.normpath(f"{folder}/{root}").startswith("..")


_ADDRESS: Final = re.compile(
    r"\b(?P<scheme>[a-z][a-z0-9+.-]{0,30})://[^\s/:@\"'<>]*:(?P<password>[^\s/@\"'<>]+)@(?P<host>[\w.-]+)"
)
_INVENTED: Final = re.compile(r"[${}<>*]|(?i:password|secret|example|x{3})")


@rule("BC704", "password-in-url", Severity.WARNING, depends_on=())
def password_in_url(plan: Plan, _: Declarations) -> Violations:
    may_have_one = "://" in plan.text and "@" in plan.text
    for match in _ADDRESS.finditer(plan.text) if may_have_one else ():
        if not _INVENTED.search(match["password"]):
            yield Violation(
                place_at(plan, match.start()),
                "the URL contains a password",
                found=f"{match['scheme']}://…@{match['host']}",
                advice="Change the password: it may be exposed. Pass the URL from Python.",
            )


_VARIABLE: Final = re.compile(
    r"\$\{(?!input\b|context\b)[A-Za-z_]\w*[^{}\n]{0,40}\}|\$[A-Z_][A-Z0-9_]+\b|%[A-Z_][A-Z0-9_]+%"
    r"|\{\{?\s*env\.\w+\s*\}\}?"
)
_ARE_TEXT: Final = frozenset({"query", "mark", "join_with", "description"})


@rule("BC705", "environment-variable", Severity.WARNING, depends_on=())
def environment_variable(plan: Plan, declared: Declarations) -> Violations:
    for setting in setting_texts(plan, declared):
        match = _VARIABLE.search(setting.value)
        if match and setting.path[-1] not in _ARE_TEXT:
            yield plan.violation(
                setting.path,
                "environment variables are not expanded",
                found=match[0],
                advice="Write the value, or pass the declaration from Python.",
            )


_CONTROL: Final = re.compile(
    r"<\|(?:im_start|im_end|im_sep|endoftext|start|end|message|channel|return|begin_of_text"
    r"|end_of_text|start_header_id|end_header_id|eot_id|eom_id|system|user|assistant)\|>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
)


@rule("BC706", "control-token-in-text", Severity.WARNING, depends_on=())
def control_token_in_text(plan: Plan, _: Declarations) -> Violations:
    for text in texts(plan.declaration):
        for match in _CONTROL.finditer(text.source):
            yield violation_in(
                plan,
                text,
                match.start(),
                "the control token is counted and sent as plain text",
                found=match[0],
                advice="Remove it; the provider adds the control tokens of its format.",
            )
            break


_URL: Final = ("config", "embedder", "base_url")
_KEY: Final = ("config", "embedder", "api_key_env")
_PROVIDER: Final = "api.openai.com"


@rule("BC707", "unsafe-embedder-server", Severity.WARNING, depends_on=())
def unsafe_embedder_server(plan: Plan, declared: Declarations) -> Violations:
    settings = own_settings(plan.declaration, declared)
    spec = settings.embedder if settings else None
    if not isinstance(spec, OpenAIEmbedderSpec):
        return
    url = _parsed(spec.base_url)
    if url is None or url.hostname is None or url.scheme not in ("http", "https"):
        problem, advice = "this is not the address of a server", "Write it as in https://host/v1."
        yield plan.violation(_URL, problem, advice=advice)
        return
    shown = f"{url.scheme}://{url.hostname}"
    if "@" in url.netloc and not url.password:  # a password is what BC704 reports
        advice = "Remove what is before the '@', and name the key under api_key_env."
        yield plan.violation(_URL, "the address contains a user name", found=shown, advice=advice)
    if url.scheme == "http" and not _is_loopback(url.hostname):
        advice = "Use https; a key is never sent over http to another machine."
        yield plan.violation(
            _URL, "the texts are sent without encryption", found=shown, advice=advice
        )
    elif _is_chosen(spec) and not _is_own(spec, url):
        yield plan.violation(
            _KEY,
            f"the key is for {url.hostname}, which only the caller can allow",
            found=spec.api_key_env,
            advice=f"Pass --allow-key {spec.api_key_env}={url.hostname} if you trust this server, "
            "or write api_key_env: null.",
        )


def _parsed(address: str) -> SplitResult | None:
    try:
        url = urlsplit(address)
        return url if url.port != 0 else None
    except ValueError:
        return None


def _is_chosen(spec: OpenAIEmbedderSpec) -> bool:
    """Without a choice of the author no key goes to other servers than the provider's."""
    return spec.api_key_env is not None and "api_key_env" in spec.model_fields_set


def _is_own(spec: OpenAIEmbedderSpec, url: SplitResult) -> bool:
    """Whether the key is the provider's, by its name, and goes to the provider."""
    return url.hostname == _PROVIDER and is_of_the_provider(spec.api_key_env or "")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


_QUESTIONS: Final = frozenset(
    {"query", "question", "message", "prompt", "user_input", "user_message", "user_query"}
)


@rule("BC708", "question-in-system-prompt", Severity.NOTE)
def question_in_system_prompt(plan: Plan, declared: Declarations) -> Violations:
    if plan.context is None:
        return
    questions = _QUESTIONS | searched_inputs(plan.context, declared)
    for text in texts(plan.declaration):
        if text.role != "system" or "input" in text.spec.vars:
            continue
        uses = [use for use in text.parsed.uses if _is_question(use.path, questions)]
        for path in dict.fromkeys(use.path for use in uses):
            last, *others = [use for use in reversed(uses) if use.path == path]
            if others or path not in text.parsed.guards:  # a condition alone writes nothing
                yield violation_in(
                    plan,
                    text,
                    last.offset,
                    "the words of the user are placed in a system prompt",
                    found=path,
                    advice="Place them in a user message.",
                )


def _is_question(path: str, questions: frozenset[str]) -> bool:
    first, *rest = path.split(".")
    return first == "input" and rest[:1] != [] and rest[0] in questions


_OWNED: Final = {SQL: ("columns", "row"), QDRANT: ("payload", "point")}
"""Where a retriever says whose something is, and what that is."""


def _is_of_nobody(config: Mapping[str, object]) -> bool:
    return config.get("tenant_argument") is None and config.get("everybody") is not True


@rule("BC709", "rows-of-everybody", Severity.ERROR)
def rows_of_everybody(plan: Plan, declared: Declarations) -> Violations:
    """As the engine refuses it: who asks is bound to a column, or the author says that nobody owns a row."""
    retriever = plan.declaration
    if not isinstance(retriever, RetrieverDeclaration):
        return
    if retriever.name in declared.from_python.get("pack", ()):
        return
    for path, config in all_settings(retriever.config):
        if config.get("retriever_id") == MCP and _is_of_nobody(config):
            yield plan.violation(
                (*path, "tool"),
                "nothing says whose the answers are",
                advice="Write `tenant_argument`, the argument that gets who asks, or `everybody: true`.",
            )
        key, noun = _OWNED.get(str(config.get("retriever_id")), ("", ""))
        parts = config.get(key)
        if not isinstance(parts, Mapping):
            continue
        if parts.get("tenant") is None and config.get("everybody") is not True:
            yield plan.violation(
                (*path, key),
                f"nothing says whose the {noun}s are",
                advice=f"Name the `tenant` of a {noun}, or write `everybody: true` next to `{key}`.",
            )
