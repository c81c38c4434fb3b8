"""Linting takes time in proportion to the text, whatever is in it: any rule, any output format."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from biblicus_context.lint.engine.fixes import file_fixes
from biblicus_context.lint.engine.linted_file import read_file
from biblicus_context.lint.engine.runner import lint, name_errors
from biblicus_context.lint.engine.scope import lint_scope
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.facts.project.python_names import declarations_of
from biblicus_context.lint.formats import github, json, junit, sarif, text
from biblicus_context.lint.rules import shipped_rules
from tests.lint.rules.harness import checked
from tests.nightly import sample
from tests.pace import within

Make = Callable[[int], str]

_MOST_RATIO = 3.0
"""For twice the text: 2 where the time is linear, 4 where it is quadratic."""
_UNSEEN = 0.02
"""Seconds; below that a measurement is noise, and what it measures is no problem."""
_ROUNDS = 3
_HEAD = "kind: context\nname: main\n"
_LAST = '  - {type: user, content: "{input.question}"}\n'


def _block(key: str, written: str, style: str = "|") -> str:
    return f"{_HEAD}messages:\n  - type: system\n    {key}: {style}\n      {written}\n{_LAST}"


def _repeated(unit: str, key: str = "content") -> Make:
    return lambda size: _block(key, (unit * size)[:size])


def _lines(unit: str, key: str = "content", style: str = "|") -> Make:
    return lambda size: _block(key, "\n      ".join([unit] * (size // (len(unit) + 7))), style)


def _directives(line: str) -> Make:
    return lambda size: (
        f"{_HEAD}messages:\n"
        + "".join(f"  - {line}\n".replace("NUMBER", str(at)) for at in range(size // 20))
        + _LAST
    )


def _documents(document: str, first: str = "") -> Make:
    return lambda size: (
        first + "---\n".join(document.replace("NUMBER", str(at)) for at in range(size // 40))
    )


_UNITS = (
    *("sk-", "sk-a1", "password=", "password: a1b2c3d4e5f6g7 ", "eyJ-", "Bearer a", "ghp_", "AKIA"),
    *(
        "-----BEGIN A ",
        "http://",
        "http://a:",
        "http://a:b@c ",
        "a.b+c-",
        "://",
        "@",
        "<|im_start|>",
    ),
    *("{", "}", "{{", "{%", "{x", "{input.x} ", "{input .x} ", "{context.kb}", "{inpt.x}"),
    *("%", "%(a)", " ", "\t", "1", "a", "- ", "\\n", "\\", "#", "'", '"', "`", "~~~"),
    *("<a>", "<a ", "</a>", "<", "[", "é", "\u200b", "\u202e", "漢", "🙂", "../", "${A}"),
)
_TEMPLATES = (
    *(
        "{{ input.x }} ",
        "{{ f() }} ",
        "{{ x | d }} ",
        "{{ _x }} ",
        "{% if x %}a{% endif %} ",
        "{# a #}",
    ),
    *(
        "{{ x ",
        "{{ (",
        "{% if x %}",
        "{% raw %}",
        "{% set a = 1 %}",
        "{input.x} ",
        "{% for a in b %}",
    ),
    *("<a>{{ input.x }}", "<a>{{ input.x }}</a>", "```{{ input.x }}", "{{ 'a' ~ ", "{{ not "),
)
_FOLDED = ("{input .x}", "- a", "sk-abcdefgh1abcdefgh2abcdefgh", "http://a:b@c", "{context.kb}")
_DIRECTIVES = (
    "{type: context, name: kb}",
    "{type: context, name: kbNUMBER, weight: 2, priority: 3, budget: {max_tokens: 5}}",
    "{type: context, name: kbNUMBER, when: input.x}",
    "{type: context, name: kbNUMBER}\n  - {type: user, content: 'a {context.kbNUMBER}'}",
    "{type: user, content: 'a {input.NUMBERx} {inpt.NUMBERx}'}",
    "{type: user, template: 'a {{ inptNUMBER.x }}'}",
    "{type: user, content: 'a {context.kbNUMBER}'}",
    "{type: system, content: 'Be good.', shrink: true}",
    "{type: system, content: 'Be good.', unknownNUMBER: 1}",
    "{type: assistant, content: ''}",
    "first: [{type: context, name: aNUMBER}, {type: system, content: b}, c]",
    "{type: user, content: hi, when: input.x and input.yNUMBER}",
    "&aNUMBER {type: user, template: hi}",
    "{type: user, content: 'a {inpt.x}'}  # lint: allow BC415 wanted",
)
_DOCUMENTS = {
    "contexts": _documents("kind: context\nname: cNUMBER\nmessages:\n" + _LAST),
    "policies": _documents("kind: policy\nname: p-NUMBER\noverflow: on\n"),
    "retrievers of no corpus": _documents("kind: retriever\nname: rNUMBER\ncorpus: nope\n"),
    "retrievers of ours": _documents(
        "kind: retriever\nname: rNUMBER\ncorpus: c\nconfig: {retriever_id: keyword, limt: 5}\n",
        "kind: corpus\nname: c\nconfig: {root: .}\n---\n",
    ),
    "one name": _documents("kind: policy\nname: p\n"),
    "one nested context": _documents(
        "kind: context\nname: cNUMBER\ninputs: [x]\nmessages:\n  - {type: context, name: in}\n"
        "  - {type: user, content: '{input.x} {context.in}'}\n",
        "kind: context\nname: in\nmessages:\n  - {type: system, content: '{input.y} {context.b}'}\n---\n",
    ),
    "a chain": lambda size: "---\n".join(
        f"kind: context\nname: c{at}\nmessages:\n  - {{type: context, name: c{at + 1}}}\n{_LAST}"
        for at in range(size // 200)
    ),
    "wrong names": lambda size: (
        _directives("{type: context, name: wrongNUMBER}")(size // 2)
        + _documents("---\nkind: retriever\nname: rightNUMBER\n")(size // 2)
    ),
    "vars": lambda size: (
        f"{_HEAD}messages:\n  - type: user\n    template: 'a {{{{ x }}}}'\n    vars:\n"
        + "".join(f"      v{at}: '{{input.x}}'\n" for at in range(size // 20))
    ),
    "inputs": lambda size: (
        f"{_HEAD}inputs:\n"
        + "".join(f"  v{at}: {{type: string, default: 1}}\n" for at in range(size // 40))
        + f"messages:\n{_LAST}"
        + "".join(f"  - {{type: user, content: '{{input.w{at}}}'}}\n" for at in range(size // 40))
    ),
    "one line": lambda size: (
        f"{_HEAD}messages: ["
        + ", ".join(
            ["{type: system, content: 'a {input.x} sk-ab1cd2ef3gh4ij5kl6mn7'}"] * (size // 60)
        )
        + "]\n"
    ),
    "switches": lambda size: (
        f"{_HEAD}messages:\n  - type: user\n    content: hi\n    vars:\n"
        + "".join(f"      v{at}: on\n" for at in range(size // 20))
    ),
}
SHAPES: dict[str, Make] = {
    **{f"text {unit!r}": _repeated(unit) for unit in _UNITS},
    **{f"template {unit!r}": _repeated(unit, "template") for unit in _TEMPLATES},
    **{f"lines {unit!r}": _lines(unit) for unit in (*_FOLDED, "a: b", "# b", "")},
    **{f"template lines {unit!r}": _lines(unit, "template") for unit in _TEMPLATES[:6]},
    **{f"folded {unit!r}": _lines(unit, style=">") for unit in _FOLDED},
    **{f"directives {line!r}": _directives(line) for line in _DIRECTIVES},
    **_DOCUMENTS,
}
RULES = shipped_rules()


@contextmanager
def _quiet() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _seconds(folder: Path, written: str) -> dict[str, float]:
    """The time of reading and of each rule, and of the search for names."""
    file = folder / "plan.yaml"
    file.write_text(written, encoding="utf-8")
    spent: dict[str, float] = {}
    started = process_time()

    def note(name: str) -> None:
        nonlocal started
        spent[name] = process_time() - started
        started = process_time()

    settings = LintSettings()
    linted = read_file(file)
    note("reading")
    for project in lint_scope([file], settings).projects:
        list(name_errors(project, {file: linted}, settings.known))
    note("names")
    declared = declarations_of(linted.entries, settings)
    for rule in RULES:
        for plan in linted.plans:
            list(checked(rule, plan, declared))
        note(rule.code)
    return spent


def _too_slow(
    measure: Callable[[int], dict[str, float]], size: int
) -> dict[str, tuple[float, float]]:
    """What takes more than in proportion; measured again before it is believed."""
    slow: dict[str, tuple[float, float]] = {}
    once: dict[str, float] = {}
    twice: dict[str, float] = {}
    with _quiet():
        for _ in range(_ROUNDS):
            once, twice = _least(once, measure(size)), _least(twice, measure(2 * size))
            slow = {
                name: (once[name], seconds)
                for name, seconds in twice.items()
                if seconds > _UNSEEN and seconds > _MOST_RATIO * once[name]
            }
            if not slow:
                break
    return slow


def _least(known: dict[str, float], new: dict[str, float]) -> dict[str, float]:
    return {name: min(seconds, known.get(name, seconds)) for name, seconds in new.items()}


@pytest.mark.parametrize("shape", sample([*SHAPES], of=6))
def test_twice_the_text_takes_every_rule_about_twice_the_time(tmp_path: Path, shape: str) -> None:
    make = SHAPES[shape]
    assert _too_slow(lambda size: _seconds(tmp_path, make(size)), 20_000) == {}


FORMATS: dict[str, Callable[..., object]] = {
    "text": text.render,
    "json": json.render,
    "sarif": sarif.render,
    "github": github.render,
    "junit": junit.render,
    "diff": lambda report: [fix.diff for fix in file_fixes(report)],
}


@pytest.mark.parametrize(
    "shape", sample(["vars", "switches", "one line", "wrong names", "inputs"], of=5)
)
def test_twice_the_findings_take_every_format_about_twice_the_time(
    tmp_path: Path, shape: str
) -> None:
    def measure(size: int) -> dict[str, float]:
        file = tmp_path / "plan.yaml"
        file.write_text(SHAPES[shape](size), encoding="utf-8")
        report = lint([file])
        assert len(report.findings) >= size // 60
        spent: dict[str, float] = {}
        for name, render in FORMATS.items():
            started = process_time()
            render(replace(report))
            spent[name] = process_time() - started
        return spent

    assert _too_slow(measure, 20_000) == {}


def test_a_file_of_findings_that_cannot_be_fixed_together_is_read_a_bounded_number_of_times(
    tmp_path: Path,
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(SHAPES["switches"](40_000), encoding="utf-8")
    report = lint([file])
    with within(10):
        (fix,) = file_fixes(report)
    assert len(fix.applied) == len([each for each in report.findings if each.edits])


def test_contexts_inside_each_other_are_checked_at_any_depth(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(SHAPES["a chain"](200_000), encoding="utf-8")
    assert not [each for each in lint([file]).findings if each.code == "BC004"]
