"""What commands write: data as it is, nothing that steers a terminal, no sign that cannot be said."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given, strategies as st

from biblicus_context.base.visible import visible
from biblicus_context.cli.output.terminal import prepare_streams, sayable, width, write_json


@pytest.fixture
def encoded(monkeypatch):
    """A standard output of some encoding, and what was written to it."""

    def prepare(encoding: str) -> io.BytesIO:
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        prepare_streams()
        return raw

    return prepare


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp437"])
@pytest.mark.parametrize(
    "text", ["plain", "Größe", "東京 \U0001f600", "half \ud800 end", "\x00\x1b\x7f\x9b\r"]
)
def test_data_are_read_back_as_they_were_whatever_the_encoding(encoded, encoding, text):
    raw = encoded(encoding)
    write_json({"text": text})
    sys.stdout.flush()
    assert json.loads(raw.getvalue().decode(encoding)) == {"text": text}


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", "?? Gr??e \\ud800"), ("utf-8", "東京 Größe \\ud800")]
)
def test_a_sign_that_is_missing_is_a_question_mark_and_half_a_sign_its_escape(
    encoded, encoding, shown
):
    encoded(encoding)
    assert sayable("東京 Größe \ud800") == shown


@given(st.text(alphabet=st.characters(codec=None)))
def test_nothing_visible_is_a_control_character(text):
    shown = visible(text).replace("\r\n", "\n")
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in shown)
    assert not any(0x7F <= ord(sign) <= 0x9F for sign in shown)


def test_the_line_ends_of_other_systems_are_left_alone():
    assert visible("a\r\nb\rc") == "a\r\nb\\x0dc"


def test_the_width_is_that_of_the_environment_else_room_for_a_table(monkeypatch):
    monkeypatch.setenv("COLUMNS", "57")
    assert width() == 57
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(sys, "__stdout__", io.StringIO())
    assert width() == 100
