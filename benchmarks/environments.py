"""An environment of its own for every peer, made by uv from a pinned requirement file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks.child import ROOT

REQUIREMENTS = Path(__file__).parent / "peers"


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment, made first if it is missing or out of date."""
    home = ROOT / ".bench" / peer
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = (REQUIREMENTS / f"{peer}.txt").read_text(encoding="utf-8")
    installed = home / "installed.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
        print(f"making the environment of {peer} in {home} ...", file=sys.stderr)
        _uv("venv", "--quiet", "--clear", "--python", sys.executable, str(home))
        _uv(
            "pip", "install", "--quiet", "--python", str(python), "-r", f"{REQUIREMENTS / peer}.txt"
        )
        installed.write_text(wanted, encoding="utf-8")
    return python


def _uv(*arguments: str) -> None:
    found = shutil.which("uv")
    if found is None and find_spec("uv") is None:
        sys.exit("uv is not installed. Install it with: pip install uv (or run with --no-peers)")
    command = [found] if found else [sys.executable, "-m", "uv"]
    subprocess.run([*command, *arguments], check=True)
