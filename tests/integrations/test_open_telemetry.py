"""Spans for OpenTelemetry, read as an exporter gets them: what took how long, and no text."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from biblicus_context import ContextAssembler, Corpus, Record, RetrieverError
from biblicus_context.integrations.open_telemetry import OpenTelemetry

PLAN = {
    "desk": {
        "policy": {"model": "gpt-4o"},
        "messages": [{"type": "context", "name": "kb"}, {"type": "user", "content": "{input.q}"}],
    }
}


@pytest.fixture
def exported() -> tuple[OpenTelemetry, InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return OpenTelemetry(provider), exporter


@pytest.mark.parametrize("way", ["assemble", "aassemble"])
def test_an_assembly_its_steps_its_retriever_and_its_embedder_are_spans(exported, tmp_path, way):
    observer, exporter = exported
    with Corpus.open_records(tmp_path) as notes:
        notes.put([Record(id="a", text="A private text about tea.")])
        assembler = ContextAssembler(
            PLAN, {"kb": {"corpus": "notes", "config": {"retriever_id": "vector", "query": "{input.q}"}}},
            corpora={"notes": notes}, observers=[observer],
        )  # fmt: skip
        call = {"inputs": {"q": "a secret question about tea"}}
        made = getattr(assembler, way)("desk", **call)
        result = asyncio.run(made) if way == "aassemble" else made
    spans = {each.name: each for each in exporter.get_finished_spans()}
    outer = spans["assemble desk"]
    assert outer.attributes["gen_ai.usage.input_tokens"] == result.token_count
    assert outer.attributes["gen_ai.request.model"] == "gpt-4o"
    retrieval = spans["retrieve kb"]
    assert retrieval.parent.span_id == outer.context.span_id
    assert retrieval.attributes["gen_ai.operation.name"] == "retrieval"
    embedding = next(each for name, each in spans.items() if name.startswith("embed "))
    assert embedding.parent.span_id == retrieval.context.span_id
    assert embedding.attributes["gen_ai.operation.name"] == "embeddings"
    for step in ("resolve", "share", "gather", "fit"):
        assert spans[f"step {step}"].parent.span_id == outer.context.span_id
    said = str([(each.name, dict(each.attributes), each.events) for each in spans.values()])
    assert "secret" not in said
    assert "private" not in said


def test_a_failure_is_its_class_and_not_its_text(exported):
    observer, exporter = exported

    def fails(request):
        raise ConnectionError("password of the database")

    assembler = ContextAssembler(PLAN, {"kb": fails}, observers=[observer])
    with pytest.raises(RetrieverError):
        assembler.assemble("desk", inputs={"q": "x"})
    spans = {each.name: each for each in exporter.get_finished_spans()}
    assert spans["retrieve kb"].attributes["error.type"] == "ConnectionError"
    assert spans["assemble desk"].attributes["error.type"] == "RetrieverError"
    assert not spans["retrieve kb"].status.is_ok
    assert "password" not in str([each.to_json() for each in exporter.get_finished_spans()])


def test_a_trace_goes_on_across_processes(exported):
    observer, exporter = exported
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with observer.request("assemble", "POST", {"traceparent": parent}):
        sent = observer.headers()["traceparent"]
    (made,) = exporter.get_finished_spans()
    assert format(made.context.trace_id, "032x") == "0af7651916cd43dd8448eb211c80319c"
    assert format(made.parent.span_id, "016x") == "b7ad6b7169203331"
    assert format(made.context.span_id, "016x") in sent


@pytest.mark.enable_socket
def test_a_receiver_of_otlp_gets_the_spans():
    bodies: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{server.server_address[1]}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    try:
        plan = {"hello": {"messages": [{"type": "user", "content": "Hello."}]}}
        ContextAssembler(plan, observers=[OpenTelemetry(provider)]).assemble("hello")
    finally:
        provider.shutdown()
        server.shutdown()
        server.server_close()
    found = [ExportTraceServiceRequest.FromString(each) for each in bodies]
    names = {
        span.name
        for each in found
        for resource in each.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    assert {"assemble hello", "step resolve", "step fit"} <= names
