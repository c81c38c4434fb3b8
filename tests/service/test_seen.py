"""What operators see: figures as Prometheus reads them, logs as lines of JSON, traces across the service."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from biblicus_context.integrations.open_telemetry import OpenTelemetry
from biblicus_context.service import KeyFile, KeyScope, app
from biblicus_context.service.logs import JsonLines, LoggedSpans, write_logs
from biblicus_context.service.metrics import ServiceMetrics, forget_dead_workers
from biblicus_context.shared_state import LOOKUPS
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket
ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "biblicus_context" / "service" / "dashboard.json"


def figures(text: str) -> dict[str, float]:
    """Each sample by its name and labels, as Prometheus' own parser reads it."""
    return {
        f"{each.name}{sorted(each.labels.items())}": each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


@pytest.fixture(scope="module")
def seen(plans: Path, tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("seen")
    keys = KeyFile(place / "keys.json")
    key = keys.create("tenant-with-a-name", user="ann", scopes=(KeyScope.ADMIN,)).key
    with client_of(app(plans, keys=keys, settings={"data": place / "data"})) as client:
        headers = {"x-api-key": key}
        for _ in range(3):
            client.post("/v1/contexts/plain/assemble", json={}, headers=headers)
        client.post("/v1/contexts/plain/assemble", json={"budget": 1}, headers=headers)
        client.get("/v1/contexts", headers={"x-api-key": "bctx_wrong_key"})
        file = {"id": "f", "path": "f.md", "content": "Tea."}
        client.post("/v1/prime/put-files", json={"files": [file]}, headers=headers)
        built = {"threadId": "t", "message": "tea"}
        assert client.post("/context/build", json=built, headers=headers).status_code == 200
        reader = keys.create("acme").key
        assert client.get("/metrics", headers={"x-api-key": reader}).status_code == 403
        return client.get("/metrics", headers=headers).text


def test_requests_and_assemblies_are_counted(seen: str):
    found = figures(seen)
    ok = "[('operation', 'assemble'), ('status', '200')]"
    assert found[f"biblicus_context_http_requests_total{ok}"] == 3
    refused = "[('operation', 'assemble'), ('status', '422')]"
    assert found[f"biblicus_context_http_requests_total{refused}"] == 1
    assert found["biblicus_context_authentication_failures_total[]"] == 1
    plain = "[('complete', 'true'), ('context', 'plain')]"
    assert found[f"biblicus_context_assemblies_total{plain}"] == 3
    assert found["biblicus_context_plans_stale[]"] == 0
    assert found["biblicus_context_prime_assembly_seconds_count[]"] == 1
    assert found["biblicus_context_prime_items_selected_total[]"] == 1


def test_what_a_killed_worker_had_in_flight_counts_no_more(tmp_path: Path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead, living = f"gauge_livesum_{gone.pid}.db", f"gauge_livesum_{os.getpid()}.db"
    for name in (dead, living, f"counter_{gone.pid}.db", "gauge_livesum_x.db"):
        (tmp_path / name).touch()
    forget_dead_workers(tmp_path)
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {living, f"counter_{gone.pid}.db", "gauge_livesum_x.db"}


def test_no_label_names_a_tenant(seen: str):
    assert "tenant-with-a-name" not in seen
    labels = {
        name
        for family in text_string_to_metric_families(seen)
        for each in family.samples
        for name in each.labels
    }
    assert labels <= {"operation", "status", "context", "complete", "step", "outcome", "le"}


def test_the_dashboard_asks_for_figures_that_there_are(seen: str):
    board = json.loads(DASHBOARD.read_text("utf-8"))
    known = {
        each.name for family in text_string_to_metric_families(seen) for each in family.samples
    }
    asked = set()
    for panel in board["panels"]:
        assert {"id", "title", "type", "gridPos", "targets", "datasource"} <= panel.keys()
        for target in panel["targets"]:
            asked |= set(re.findall(r"biblicus_context_\w+", target["expr"]))
            assert target["expr"].count("(") == target["expr"].count(")")
    assert asked
    assert asked <= known
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in board["panels"]]
    assert len(places) == len(set(places))


def test_a_request_is_a_line_of_json_without_texts(plans: Path, monkeypatch):
    written = StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    before = {name: logging.getLogger(name) for name in ("biblicus_context", "uvicorn")}
    state = {n: (log.handlers, log.propagate, log.level) for n, log in before.items()}
    try:
        write_logs()
        with client_of(app(plans)) as client:
            client.post(
                "/v1/contexts/plain/assemble",
                json={"inputs": {"name": "a private text"}},
                headers={"x-request-id": "r-1"},
            )
            client.get("/v1/corpora/notes/documents/private-id")
    finally:
        for name, log in before.items():
            log.handlers, log.propagate, log.level = state[name]
    lines = [json.loads(line) for line in written.getvalue().splitlines() if '"request"' in line]
    first = next(each for each in lines if each["request_id"] == "r-1")
    assert (first["operation"], first["status"], first["level"]) == ("assemble", 200, "info")
    assert first["seconds"] > 0
    assert "private" not in written.getvalue()


def test_a_demo_has_its_spans_in_the_log(plans: Path, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, "biblicus_context")
    with client_of(app(plans, observers=[LoggedSpans()])) as client:
        body = {"inputs": {"question": "a private question"}}
        assert client.post("/v1/contexts/support/assemble", json=body).status_code == 200
    lines = [json.loads(JsonLines().format(each)) for each in caplog.records]
    spans = [each["span"] for each in lines if each["event"] == "span"]
    assert spans == ["retrieve", "assemble"]
    (assembled,) = (each for each in lines if each["event"] == "assembled")
    assert {"resolve", "gather", "fit"} <= assembled["steps"].keys()
    assert "private" not in str(lines)


def test_an_error_in_the_log_is_its_kind_and_its_line():
    try:
        raise KeyError("a private text")
    except KeyError:
        record = logging.makeLogRecord({"msg": "failed", "exc_info": sys.exc_info()})
    line = json.loads(JsonLines().format(record))
    assert line["error"].startswith("KeyError")
    assert "test_seen.py" in line["error"]
    assert "private" not in str(line)


def test_a_trace_goes_through_the_service(plans: Path):
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with client_of(app(plans, observers=[OpenTelemetry(provider)])) as client:
        body = {"inputs": {"question": "a private question"}}
        client.post("/v1/contexts/support/assemble", json=body, headers={"traceparent": parent})
    spans = {each.name: each for each in exporter.get_finished_spans()}
    assert {"POST assemble", "assemble support", "retrieve kb"} <= spans.keys()
    assert {format(each.context.trace_id, "032x") for each in spans.values()} == {parent[3:35]}
    assert spans["assemble support"].parent.span_id == spans["POST assemble"].context.span_id
    assert "private" not in str([each.to_json() for each in spans.values()])


def test_the_metrics_need_no_key_where_nobody_has_one(client: httpx.Client):
    assert "biblicus_context_http_requests_total" in client.get("/metrics").text


def test_what_is_looked_for_in_redis_is_counted():
    metrics = ServiceMetrics(lambda: 0, lambda: False)
    LOOKUPS.note("answers", 2, 1)
    LOOKUPS.note("vectors", 0, 3)
    text = metrics.written().decode()
    name = "biblicus_context_shared_cache_lookups_total"
    assert f'{name}{{cache="answers",result="hit"}} 2.0' in text
    assert f'{name}{{cache="answers",result="miss"}} 1.0' in text
    assert f'{name}{{cache="vectors",result="miss"}} 3.0' in text
