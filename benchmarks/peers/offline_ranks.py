"""tiktoken's o200k encoding without a download: ranks from the wheel of `bpe-openai`.

The ranks are put where tiktoken keeps its downloads, so that everything else is tiktoken's own: its
pattern, and the hash of OpenAI's file, which it checks.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from unittest.mock import patch

import tiktoken

_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


@cache
def o200k() -> tiktoken.Encoding:
    """The encoding; tiktoken keeps it, so that `tiktoken.get_encoding` finds it as well."""
    packed = distribution("bpe-openai").locate_file("bpe_openai/data/o200k_base.tiktoken.gz")
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / hashlib.sha1(_ADDRESS.encode()).hexdigest()
        kept.write_bytes(gzip.decompress(Path(str(packed)).read_bytes()))
        with patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": folder}):
            return tiktoken.get_encoding("o200k_base")
