"""The benchmarks start with a sentence, not a traceback, where what they need is not installed."""

from __future__ import annotations

import subprocess
import sys


def test_a_missing_library_is_named_with_the_command_that_has_it():
    code = (
        "import runpy, sys\n"
        "sys.modules['pydantic_ai'] = None\n"
        "runpy.run_module('benchmarks', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: pydantic_ai is not installed.")
    assert "uv run --group dev --extra corpus python -m benchmarks" in done.stderr
    assert "Traceback" not in done.stderr
