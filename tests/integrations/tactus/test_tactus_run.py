"""An unmodified `tactus run` assembles through this engine where its tools name the file of it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.reader import environment
from tests.integrations.tactus.fake_openai import ANSWER, fake_openai

PROCEDURE = """
support_context = Context {
  messages = { system("For {input.message}"), history(), user("{input.message}") }
}
support = Agent { provider = "openai", model = "gpt-4o-mini", system_prompt = "", context = support_context }
local first = support({message = "One?"})
local second = support({message = "Two?"})
return second.output
"""


@pytest.mark.enable_socket
def test_naming_the_file_in_tool_paths_is_enough(tmp_path: Path):
    (tmp_path / "support.tac").write_text(PROCEDURE, encoding="utf-8")
    found = find_spec("biblicus_context.integrations.tactus.auto")
    with fake_openai() as openai:
        done = subprocess.run(
            [str(Path(sys.executable).parent / "tactus"), "run", "support.tac", "--no-sandbox"],
            cwd=tmp_path,
            env={**environment(), **openai.environment, "TOOL_PATHS": json.dumps([found.origin])},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ANSWER in done.stdout
    assert [request["messages"] for request in openai.requests] == [
        [{"role": "system", "content": "For One?"}, {"role": "user", "content": "One?"}],
        [
            {"role": "system", "content": "For Two?"},
            {"role": "user", "content": "One?"},
            {"role": "assistant", "content": ANSWER},
            {"role": "user", "content": "Two?"},
        ],
    ]
