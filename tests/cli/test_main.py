"""The program as a whole: arguments, errors, exit status, pipes, signals and start-up."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context.cli import app
from biblicus_context.cli.app import COMMANDS
from biblicus_context.cli.main import main

PROGRAM = (sys.executable, "-m", "biblicus_context")


def started(*arguments: str, **options) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def finished(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ()])
def test_help_lists_every_command(run, arguments):
    out = run(*arguments).text
    assert all(f"\n  {name} " in out for name in COMMANDS if " " not in name)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("asking", ["--help", "-h"])
def test_help_of_a_command_shows_how_it_is_used_with_examples(run, command, asking):
    out = run(*command.split(), asking).text
    assert out.startswith(f"Usage: biblicus-context {command} [OPTIONS]")
    assert f"\nExamples:\n  biblicus-context {command}" in out or "| biblicus-context" in out


def test_help_on_a_narrow_terminal_is_laid_out_for_it(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    out = run("tokens", "--help").text.partition("Examples:")[0]
    assert max(map(len, out.splitlines())) <= 50
    monkeypatch.setenv("COLUMNS", "200")
    wide = run("tokens", "--help").text.partition("Examples:")[0]
    assert max(map(len, wide.splitlines())) <= 80
    assert "".join(wide.split()) == "".join(out.split())


@pytest.mark.parametrize("columns", ["0", "-1", "many", ""])
def test_help_does_not_mind_what_is_no_width(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert run("--help").text.startswith("Usage: biblicus-context")


def test_help_loads_neither_the_command_line_library_nor_the_engine():
    code = (
        "import sys\n"
        "from biblicus_context.cli.main import main\n"
        "main(['render', '--help'])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert loaded.isdisjoint(
        {"typer", "click", "rich", "json", "re", "pathlib", "typing", "pydantic"}
    )
    assert done.stdout.startswith("Usage: biblicus-context render")


def test_neither_an_error_of_usage_nor_a_narrow_help_loads_the_engine():
    code = (
        "import sys\n"
        "from biblicus_context.cli.app import COMMANDS\n"
        "from biblicus_context.cli.main import main\n"
        "statuses = {main([*name.split(), each]) for name in COMMANDS for each in ('-h', '--nope')}\n"
        "print(*statuses)\n"
        "print(*sys.modules)"
    )
    narrow = {**os.environ, "COLUMNS": "60"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=narrow
    )
    *_, statuses, modules = done.stdout.splitlines()
    rooms = {f"{name}..".split(".")[1] for name in modules.split() if "biblicus_context" in name}
    assert statuses == "0 2"
    assert rooms == {"", "base", "cli", "errors", "installation", "service"}
    assert {name for name in modules.split() if name.startswith("biblicus_context.service.")} == {
        "biblicus_context.service.scopes"  # the words that an option of `key create` takes
    }
    assert {"pydantic", "rich.console", "yaml", "jinja2"}.isdisjoint(modules.split())


def test_a_command_loads_only_what_it_needs():
    code = (
        "import sys\n"
        "from biblicus_context.cli.main import main\n"
        "main(['version'])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pydantic", "jinja2", "rich", "yaml"}.isdisjoint(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rendr",), "unknown command: found 'rendr'. Valid: init, list, render, "),
        (("--nope",), "No such option: --nope"),
        (("render",), "Missing argument 'NAME'.\nUsage: biblicus-context render [OPTIONS] NAME\n"),
        (("render", "a", "b"), "Got unexpected extra argument (b)\nUsage: "),
        (
            ("render", "a", "--budget", "0"),
            "Invalid value for '--budget': 0 is not a whole number of 1 or more.",
        ),
        (
            ("render", "a", "--budget", "many"),
            "Invalid value for '--budget': 'many' is not a whole number of 1 or more.",
        ),
        (("render", "a", "--format", "xml"), "Invalid value for '--format': 'xml' is not one of "),
    ],
)
def test_wrong_arguments_are_one_error_with_the_usage(run, arguments, said):
    refusal = run(*arguments).refusal
    assert refusal.replace("option '--nope'.", "option: --nope").startswith(said)


def test_an_unknown_command_is_answered_with_the_nearest(run):
    assert run("rendr").refusal.endswith("Did you mean 'render'?")


def test_an_unexpected_error_is_no_traceback_unless_it_is_asked_for(run, monkeypatch):
    monkeypatch.setattr(app, "program", lambda: 1 / 0)
    assert run("version").refusal == (
        "bug in biblicus-context: ZeroDivisionError: division by zero\n"
        "Set BIBLICUS_CONTEXT_DEBUG=1 to see the traceback."
    )
    monkeypatch.setenv("BIBLICUS_CONTEXT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["version"])


def test_an_interrupt_says_so_and_ends_with_130(run, monkeypatch):
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "program", interrupted)
    assert run("version") == (130, "", "interrupted\n")


@pytest.fixture
def heard() -> Iterator[None]:
    """Programs started meanwhile hear Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def unread(pipe: int) -> int:
    """Bytes that were written to a pipe and not read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


@pytest.mark.usefixtures("heard")
def test_ctrl_c_ends_a_waiting_command_with_one_line():
    with started("tokens", "--model", "whitespace", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"a word, and more to come")
        process.stdin.flush()
        while unread(process.stdin.fileno()):  # once it has been read, the command waits for more
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")


def test_a_reader_that_has_seen_enough_causes_no_message():
    for arguments in (("list", "--shipped"), ("models",), ("--help",), ("render", "--help")):
        with started(*arguments) as process:
            assert process.stdout is not None
            process.stdout.close()
            assert process.stderr is not None
            assert process.stderr.read() == b""
            process.wait(timeout=60)
        assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="a shell that can close what it hands on")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("command", ["version", "--help", "list"])
def test_a_closed_output_is_no_defect(closed: str, command: str, tmp_path: Path):
    line = f"{shlex.join([*PROGRAM, command])} {closed}"
    done = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 2)
    assert not any(word in done.stderr for word in ("bug in", "Traceback", "Exception"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_is_an_error_and_no_traceback():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "models"], stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be used: No space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_some_signs_is_served_all_the_same(encoding):
    done = finished(
        *("explain", "support", "--shipped", "--examples", "--input", "question=東京 \U0001f600"),
        PYTHONUTF8="0",
        PYTHONIOENCODING=encoding,
    )
    assert (done.returncode, done.stderr) == (0, "")
    data = finished(
        *("render", "support", "--shipped", "--examples", "--format", "messages"),
        *("--input", "question=東京 \U0001f600"),
        PYTHONUTF8="0",
        PYTHONIOENCODING="ascii",
    )
    assert "\\u6771\\u4eac \\ud83d\\ude00" in data.stdout


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command prints where the standard output is a terminal of 60 columns."""
    ours, theirs = pty.openpty()
    environment = {"TERM": "xterm-256color", "PYTHONUTF8": "1", "COLUMNS": "60", **environment}
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")}
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdout=theirs, stderr=theirs, env={**kept, **environment}
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                read = os.read(ours, 4096)
            except OSError:  # the terminal is gone with its last user
                break
            if not read:
                break
            said += read
        process.wait(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    return said.decode()


EXPLAIN = ("explain", "support", "--shipped", "--examples")


def test_a_terminal_gets_colours_and_a_dumb_one_or_one_that_wants_none_does_not():
    assert "\x1b[34m█" in on_a_terminal(*EXPLAIN)
    assert "\x1b[34m" not in on_a_terminal(*EXPLAIN, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(*EXPLAIN, TERM="dumb")


def test_data_cannot_steer_a_terminal():
    said = on_a_terminal(
        *("render", "support", "--shipped", "--input", "question=\x1b[2Jgone\x07\x9b5A"),
    )
    assert "\\x1b[2Jgone\\x07\\x9b5A" in said
    assert "\x1b[2J" not in said


def test_the_installed_program_is_the_module():
    for name in ("biblicus-context", "bctx"):
        script = Path(sys.executable).with_name(name)
        done = subprocess.run([script, "version"], capture_output=True, text=True, check=True)
        assert done.stdout == finished("version").stdout


def test_the_help_lists_commands_and_options_in_groups(run):
    headings = [line for line in run("--help").text.splitlines() if line.endswith(":")]
    assert headings == [
        *("Get started:", "Assemble contexts:", "Check plans:", "Search files:", "Serve:"),
        *("Reference:", "Options:", "Global options:", "Exit status:", "Examples:"),
    ]
    out = run("render", "--help").text
    assert "\n\nProject options:\n  --path PATH" in out
    assert "\n\nInput options:\n  --input NAME=VALUE" in out


def test_every_command_can_be_quiet_or_verbose(run):
    for name in COMMANDS:
        out = run(*name.split(), "--help").text
        assert "\nGlobal options:\n  -q, --quiet " in out


def test_a_closed_input_is_empty(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text("kind: context\nname: c\n", "utf-8")
    line = f"{shlex.join([*PROGRAM, 'render', 'c', '--path', 'plan.yaml', '--history', '-'])} <&-"
    done = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "error: standard input: the file is empty\n")
