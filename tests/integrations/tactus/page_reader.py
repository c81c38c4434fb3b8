"""A reader of pages with Lua, who has Tactus installed and a language model on this machine.

- `lua`: becomes the file in its first line, such as `-- support.tac`;
- `yaml`: beside what other pages have, `# support.tac.yml` is a file of settings for Tactus;
- `sh`: each command is run and has to succeed, but for those that install;
- `text`: behind `sh`, the lines that its output has among others.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

from tests.docs.reader import Block, Reader, environment

_FILE = re.compile(r"(?:--|#) (?P<path>\S+\.(?:tac|tac\.yml))\n")


@dataclass
class TactusReader(Reader):
    """Reads one page in a folder of its own."""

    among_others: bool = False

    def lua(self, block: Block) -> None:
        assert self._written(block), self.at(block)

    def python(self, block: Block) -> None:
        self.among_others = False
        super().python(block)

    def yaml(self, block: Block) -> None:
        if not self._written(block):
            super().yaml(block)

    def sh(self, block: Block) -> None:
        self.among_others = True
        self.printed = ""
        for command in block.body.splitlines():
            if not command.startswith("pip install "):
                self.printed += self._successful(command)

    def text(self, block: Block) -> None:
        if not self.among_others:
            super().text(block)
            return
        lines = iter(line.strip() for line in self.printed.splitlines())
        assert all(line.strip() in lines for line in block.body.splitlines()), (
            f"{self.at(block)}\n{self.printed}"
        )

    def _written(self, block: Block) -> bool:
        named = _FILE.match(block.body)
        if named is None:
            return False
        file = self.folder / named["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.body, encoding="utf-8")
        return True

    def _successful(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout
