"""tiktoken's o200k encoding without a download: ranks from the wheel of `bpe-openai`."""

from __future__ import annotations

import base64
import gzip
from importlib.resources import files

import tiktoken
import tiktoken.registry
from splintr import O200K_BASE_PATTERN

SPECIAL_TOKENS = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


def o200k() -> tiktoken.Encoding:
    """The encoding, also registered, so that `tiktoken.get_encoding` finds it."""
    registered = tiktoken.registry.ENCODINGS.get("o200k_base")
    if registered is None:
        registered = tiktoken.Encoding(
            "o200k_base",
            pat_str=O200K_BASE_PATTERN,
            mergeable_ranks=_ranks(),
            special_tokens=SPECIAL_TOKENS,
        )
        tiktoken.registry.ENCODINGS["o200k_base"] = registered
    return registered


def _ranks() -> dict[bytes, int]:
    packed = files("bpe_openai").joinpath("data/o200k_base.tiktoken.gz").read_bytes()
    lines = gzip.decompress(packed).splitlines()
    pairs = (line.split() for line in lines if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
