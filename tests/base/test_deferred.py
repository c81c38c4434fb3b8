"""Objects that are named by their modules are loaded when they are first used, and not before."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

from biblicus_context.base.deferred import Deferred, Imported


def loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_names_are_known_before_anything_is_loaded():
    statement = (
        "from biblicus_context.base.deferred import Imported\n"
        "parts = Imported({'date': 'datetime:date', 'mail': 'mailbox:Maildir'})\n"
        "assert list(parts) == ['date', 'mail'] and 'mail' in parts and len(parts) == 2\n"
        "parts['date']"
    )
    assert "mailbox" not in loaded_by(statement)
    assert "mailbox" in loaded_by(f"{statement}\nparts.get('mail')")


def test_an_unknown_name_is_no_entry():
    parts = Imported({"date": "datetime:date"})
    assert parts.get("time") is None
    with pytest.raises(KeyError):
        parts["time"]


def test_a_deferred_function_is_called_with_what_it_gets_and_survives_pickling():
    divide: Any = pickle.loads(pickle.dumps(Deferred("fractions:Fraction")))
    assert str(divide(1, denominator=2)) == "1/2"
