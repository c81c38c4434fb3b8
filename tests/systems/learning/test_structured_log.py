"""Warnings of systems are events with fields, by structlog where a program has configured it."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from biblicus_context.systems.learning.structured_log import log_warning


def test_without_structlog_the_fields_are_in_the_message(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "structlog", None)
    log_warning("program", "source skipped", source="code", seconds=3)
    (said,) = caplog.records
    assert said.levelno == logging.WARNING
    assert said.getMessage() == "source skipped: source='code' seconds=3"


def test_structlog_gets_the_fields_themselves(monkeypatch: pytest.MonkeyPatch):
    events: list[tuple[str, dict[str, Any]]] = []
    logger = SimpleNamespace(warning=lambda event, **fields: events.append((event, fields)))
    configured = SimpleNamespace(get_logger=lambda _: logger, is_configured=lambda: True)
    monkeypatch.setitem(sys.modules, "structlog", configured)
    log_warning("program", "source skipped", source="code")
    assert events == [("source skipped", {"source": "code"})]


def test_structlog_that_nobody_configured_prints_nothing(capfd: pytest.CaptureFixture[str]):
    """It prints to the standard output, where a hook's context is read from."""
    import_module("structlog")
    log_warning("program", "source skipped", source="code")
    assert "source skipped" not in capfd.readouterr().out
