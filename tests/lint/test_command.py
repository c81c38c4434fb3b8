"""The commands `lint`, `rule` and `rules`, as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from biblicus_context.cli.main import main
from biblicus_context.lint.engine import fixes
from biblicus_context.lint.rules import FAMILIES, shipped_rules
from tests.lint.linting import CLEAN, named, write

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the program in a folder of its own: status, output and warnings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        return status, *capsys.readouterr()

    return run


def test_clean_plans_exit_with_0(run, tmp_path):
    write(tmp_path, contexts__plan=CLEAN)
    status, out, err = run("lint")
    assert (status, err) == (0, "")
    assert out == "no findings in 1 file, 1 document\n"


def test_findings_exit_with_1_and_are_shown_in_their_lines(run, tmp_path):
    write(tmp_path, contexts__plan=CLEAN + "polcy: small\n")
    status, out, _ = run("lint")
    assert status == 1
    assert "contexts/plan.yaml:6:1 error BC101 unknown-key" in out
    assert "Did you mean 'policy'?" in " ".join(out.split())
    assert "^^^^^" in out


def test_notes_alone_exit_with_0(run, tmp_path):
    write(tmp_path, contexts__plan=named("off"))
    (tmp_path / "biblicus-context.toml").write_text('severity = {BC1 = "note"}', encoding="utf-8")
    status, out, _ = run("lint")
    assert status == 0
    assert "note BC141" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there is no contexts/ folder here"),
        (("nosuch",), "nosuch: cannot be read: No such file or directory"),
        (("empty",), "empty: the folder contains no .yaml file"),
        (("plan.yaml", "--select", "BC99"), "--select: no rule has this code, family or name"),
        (("plan.yaml", "--config", "nosuch.toml"), "nosuch.toml: cannot be read"),
        (("plan.yaml", "--config", "bad.toml"), "Did you mean 'select'?"),
        (("plan.yaml", "--fix", "--diff"), "Use only one of --fix, --diff and --watch"),
        (("plan.yaml", "--format", "xml"), "--format"),
    ],
)
def test_what_could_not_run_exits_with_2_and_says_why(arguments, said, run, tmp_path):
    write(tmp_path, plan=CLEAN)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.toml").write_text("selct = []", encoding="utf-8")
    status, out, err = run("lint", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err


def test_options_go_before_the_settings_file(run, tmp_path):
    write(tmp_path, contexts__plan=named("off"))
    (tmp_path / "pyproject.toml").write_text(
        '[tool.biblicus-context]\nselect = ["BC2"]\nignore = ["BC1"]\n', encoding="utf-8"
    )
    assert run("lint")[0] == 0
    assert run("lint", "--select", "BC2,BC1", "--ignore", "BC3")[0] == 1
    assert run("lint", "--select", "BC1", "--select", "BC2", "--ignore", "ambiguous-value")[0] == 0


def test_a_model_can_be_named(run, tmp_path):
    text = CLEAN.replace("messages", "policy: {window: 8}\nmessages").replace("agent", "agent" * 9)
    write(tmp_path, contexts__plan=text)
    assert "BC301" in run("lint")[1]
    assert "BC301" not in run("lint", "--model", "gpt-4o")[1]


def test_findings_may_be_counted_and_forgiven(run, tmp_path):
    write(tmp_path, contexts__plan=named("off"))
    status, out, _ = run("lint", "--statistics", "--exit-zero")
    assert status == 0
    assert "     1  BC141  ambiguous-value" in out


def test_formats_are_for_programs(run, tmp_path):
    write(tmp_path, contexts__plan=named("off"))
    assert json.loads(run("lint", "--format", "json")[1])["findings"][0]["code"] == "BC141"
    assert json.loads(run("lint", "--format", "sarif")[1])["version"] == "2.1.0"
    assert run("lint", "--format", "junit")[1].startswith("<testsuites>")
    assert run("lint", "--format", "github")[1].startswith("::warning file=contexts/plan.yaml,")
    write(tmp_path, contexts__plan=CLEAN)
    assert run("lint", "--format", "github") == (0, "", "")


def test_what_is_safe_is_put_right(run, tmp_path):
    text = named("off  # a word") + "---\npolcy: 1\n"
    write(tmp_path, contexts__plan=text)
    status, out, _ = run("lint", "--diff")
    assert status == 1
    assert '-name: off  # a word\n+name: "off"  # a word\n' in out
    file = tmp_path / "contexts/plan.yaml"
    assert file.read_text(encoding="utf-8") == text
    status, out, err = run("lint", "--fix")
    assert (status, err) == (1, "fixed: 1\n")
    assert "BC102" in out
    assert "BC141" not in out
    assert file.read_text(encoding="utf-8") == text.replace("off", '"off"')
    assert run("lint", "--fix")[2] == ""
    assert run("lint", "--diff") == (0, "", "")


def test_a_file_keeps_its_line_ends_and_its_byte_order_mark(run, tmp_path):
    text = "\ufeff" + named("off").replace("\n", "\r\n")
    write(tmp_path, contexts__plan=text)
    assert run("lint", "--fix")[0] == 0
    expected = text.replace("off", '"off"').encode()
    assert (tmp_path / "contexts/plan.yaml").read_bytes() == expected


def test_one_repair_may_make_room_for_the_next(run, tmp_path):
    comment = "# lint: allow BC141 odd\n"
    write(tmp_path, contexts__plan=named("off").replace("messages", comment * 3 + "messages"))
    assert run("lint", "--fix")[0] == 0
    assert (tmp_path / "contexts/plan.yaml").read_text(encoding="utf-8") == named('"off"')


def test_a_file_that_has_changed_meanwhile_is_not_written(run, tmp_path, monkeypatch):
    write(tmp_path, contexts__plan=named("off"))
    read = fixes.read_plan
    monkeypatch.setattr(fixes, "read_plan", lambda file: read(file) + b"# later\n")
    status, _, err = run("lint", "--fix")
    assert status == 2
    assert "has changed since it was checked" in err


def test_a_rule_can_be_read_about(run):
    status, out, _ = run("rule", "BC101")
    assert status == 0
    assert out.startswith("BC101 unknown-key (error)\n\nA key is not known")
    assert run("rule", "unknown-key")[1] == run("rule", "bc101")[1] == out
    assert json.loads(run("rule", "BC101", "--format", "json")[1])["name"] == "unknown-key"


def test_an_unknown_rule_is_an_error_with_the_nearest(run):
    status, _, err = run("rule", "unknown-kay")
    assert status == 2
    assert "Did you mean 'unknown-key'?" in err


def test_all_rules_are_listed_by_family(run):
    out = run("rules")[1]
    lines = out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [
        rule.code for rule in shipped_rules()
    ]
    assert [line for line in lines if not line.startswith("  ")] == [
        f"{family.page.title.replace(':', '')}: {family.page.summary}" for family in FAMILIES
    ]
    assert "  BC101  unknown-key " in out
    listed = json.loads(run("rules", "--format", "json")[1])
    assert [rule["code"] for rule in listed] == [rule.code for rule in shipped_rules()]


def _program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "biblicus_context", *arguments]


def _environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "TERM": "xterm", **more}


def _in_a_terminal(folder: Path, *arguments: str, **environment: str) -> bytes:
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        _program(*arguments),
        cwd=folder,
        stdout=theirs,
        stderr=theirs,
        env=_environment(**environment),
    )
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.wait(timeout=30)
    return written


def test_a_terminal_gets_colours_unless_it_does_not_want_them(tmp_path):
    write(tmp_path, contexts__plan=named('"\\x1b[2J off"') + "polcy: 1\n")
    coloured = _in_a_terminal(tmp_path, "lint")
    assert b"\x1b[31merror BC101\x1b[0m" in coloured
    assert b"\x1b[2J" not in coloured
    assert b"\x1b[" not in _in_a_terminal(tmp_path, "lint", NO_COLOR="1")


def test_colours_can_be_forced(run, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    write(tmp_path, contexts__plan=named("off"))
    assert "\x1b[33mwarning BC141\x1b[0m" in run("lint")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("lint")[1]


def test_watching_looks_at_all_that_may_change_a_report(run, tmp_path, monkeypatch):
    write(tmp_path, contexts__plan=named("off"), shared__more="kind: context\nname: more\n")
    settings = tmp_path / "biblicus-context.toml"
    settings.write_text('paths = ["contexts", "shared"]', encoding="utf-8")
    waited = []

    def wait(look, before):
        waited.append({str(path) for path in look.args[0]})
        if len(waited) == 2:
            raise KeyboardInterrupt
        write(tmp_path, contexts__plan=CLEAN)

    monkeypatch.setattr("biblicus_context.cli.commands.lint.wait_for_change", wait)
    status, out, _ = run("lint", "--watch")
    assert status == 130
    assert out.index("BC141") < out.index("no findings")
    assert {"contexts", "shared/more.yaml", str(settings)} <= waited[0]


def test_watching_checks_again_after_a_change(tmp_path):
    write(tmp_path, contexts__plan=named("off"))
    with subprocess.Popen(
        _program("lint", "--watch"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(PYTHONUNBUFFERED="1"),
    ) as process:
        try:
            assert process.stdout is not None
            first = _until(process.stdout, "in 1 file")
            assert "BC141" in first
            time.sleep(0.1)
            write(tmp_path, contexts__plan=CLEAN)
            assert "no findings" in _until(process.stdout, "in 1 file")
        finally:
            process.terminate()


def _until(stream, text: str) -> str:
    seen = ""
    for line in stream:
        seen += line
        if text in line:
            return seen
    raise AssertionError(seen)


def test_the_examples_of_the_help_run(run, tmp_path):
    write(tmp_path, contexts__support=CLEAN)
    assert run("lint", "contexts/support.yaml", "--select", "BC1,BC2")[0] == 0
    assert run("lint", "--statistics", "--exit-zero")[0] == 0
    assert run("lint", "--diff")[0] == 0
    assert run("lint", "--format", "sarif")[0] == 0


def test_a_link_out_of_the_checked_folder_is_not_fixed(run, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text(named("off"), encoding="utf-8")
    (tmp_path / "contexts").mkdir()
    link = tmp_path / "contexts" / "plan.yaml"
    link.symlink_to(outside)
    status, _, err = run("lint", "contexts", "--fix")
    assert status == 2
    assert "is a link to" in err
    assert "outside the paths that are checked" in err
    assert outside.read_text(encoding="utf-8") == named("off")
    assert run("lint", "outside.yaml", "--fix")[0] == 0
    assert outside.read_text(encoding="utf-8") != named("off")


def test_a_link_inside_the_checked_folder_is_fixed_and_stays_a_link(run, tmp_path):
    write(tmp_path, contexts__inner__real=named("off"))
    link = tmp_path / "contexts" / "plan.yaml"
    link.symlink_to("inner/real.yaml")
    run("lint", "contexts", "--fix")
    assert link.is_symlink()
    assert "name: off\n" not in link.read_text(encoding="utf-8")
