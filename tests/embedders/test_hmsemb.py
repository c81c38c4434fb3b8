"""A model file in the format HMSEMB01 is read as its header says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biblicus_context.embedders.hmsemb import ModelFile
from biblicus_context.errors import EmbedderError

GROUP = 4


def packed(tensors: dict[str, tuple[np.ndarray, np.ndarray | None]], tokenizer: bytes) -> bytes:
    """A file with these tensors: of int8 with a scale for each group, or of float32."""
    entries, content = [], b""
    for name, (numbers, scales) in tensors.items():
        data = numbers.tobytes() + (b"" if scales is None else scales.tobytes())
        dtype, group = ("f32", 0) if scales is None else ("i8", GROUP)
        entries.append(
            {
                "name": name,
                "dtype": dtype,
                "shape": numbers.shape,
                "len": len(data),
                "group": group,
            }
        )
        content += data
    header = json.dumps({"tokenizer_len": len(tokenizer), "tensors": entries}).encode()
    return b"HMSEMB01" + len(header).to_bytes(8, "little") + header + tokenizer + content


@given(
    rows=st.integers(1, 4), groups=st.integers(1, 3), seed=st.integers(0, 99), tokenizer=st.binary()
)
def test_every_number_is_its_integer_times_the_scale_of_its_group(
    rows: int, groups: int, seed: int, tokenizer: bytes
):
    dice = np.random.default_rng(seed)
    small = dice.integers(-127, 128, (rows, groups * GROUP)).astype(np.int8)
    scales = dice.random((rows, groups)).astype(np.float32)
    plain = dice.random((rows, 3)).astype(np.float32)
    data = packed({"small": (small, scales), "plain": (plain, None)}, tokenizer)
    found = ModelFile.parsed(memoryview(data))
    assert found.tokenizer == tokenizer
    assert np.array_equal(found.tensors["plain"], plain)
    for row in range(rows):
        for column in range(groups * GROUP):
            expected = np.float32(small[row, column]) * scales[row, column // GROUP]
            assert found.tensors["small"][row, column] == expected


@given(rows=st.sampled_from((1, 127, 128, 300)), groups=st.integers(1, 3), seed=st.integers(0, 99))
def test_rows_with_one_scale_each_are_those_of_the_groups_to_half_a_step(
    rows: int, groups: int, seed: int
):
    dice = np.random.default_rng(seed)
    small = dice.integers(-127, 128, (rows, groups * GROUP)).astype(np.int8)
    scales = dice.random((rows, groups)).astype(np.float32)
    tensors = ModelFile.parsed(memoryview(packed({"small": (small, scales)}, b""))).tensors
    rounded = tensors.rounded("small")
    assert rounded.rows.dtype == np.int8
    again = rounded.rows / rounded.scales[:, None]
    assert np.all(np.abs(again - tensors["small"]) <= 0.501 / rounded.scales[:, None])


def test_a_file_is_read_only_if_its_bytes_have_the_expected_hash(tmp_path: Path):
    data = packed({"plain": (np.ones((1, 2), np.float32), None)}, b"{}")
    file = tmp_path / "model.hmsemb"
    file.write_bytes(data)
    good = hashlib.sha256(data).hexdigest()
    assert ModelFile.read(file, sha256=good).tokenizer == b"{}"
    file.write_bytes(data[:-1] + b"\1")
    with pytest.raises(EmbedderError, match=f"damaged.*found 'SHA-256 .*Valid: {good}"):
        ModelFile.read(file, sha256=good)


def test_another_format_is_refused():
    with pytest.raises(EmbedderError, match="not a model file of the format HMSEMB01"):
        ModelFile.parsed(memoryview(b"GGUF" * 9))
