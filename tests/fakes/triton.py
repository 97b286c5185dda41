"""A Triton server that can misbehave: real gRPC, real client, scripted answers."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc.aio  # type: ignore[import-not-found,import-untyped,unused-ignore]
from tritonclient.grpc import service_pb2, service_pb2_grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]

Rows = Sequence[tuple[str, ...]]
"""What one request asks: per row the text of each input, in the order of the inputs."""
Misbehave = Callable[[int, Rows], tuple[grpc.StatusCode, str] | None]
"""Given the number of the call (from 0) and its rows: an error to answer with, or `None` for a good answer."""


def length_logit(row: tuple[str, ...]) -> float:
    """A logit that tells rows apart: the longer the passage, the higher."""
    return len(row[-1]) / 100 - 1


@dataclass
class FakeTriton(service_pb2_grpc.GRPCInferenceServiceServicer):  # type: ignore[misc]
    """Serves one model. Change its fields while it runs."""

    misbehave: Misbehave = lambda number, rows: None
    answer: Callable[[tuple[str, ...]], float | list[float]] = length_logit
    """The model: a number per row, or several where the model answers vectors."""
    parameters: dict[str, str] = field(default_factory=lambda: {"weights": "test/cross-encoder", "score_kind": "logit"})
    output: str = "score"
    version: str = "3"
    max_batch: int = 8
    delay_s: float = 0.0
    drop_rows: int = 0
    """Rows that the answer lacks."""
    calls: list[Rows] = field(default_factory=list)
    """Every inference asked for, with its rows."""
    most_in_flight: int = 0
    timeouts_us: list[int] = field(default_factory=list)
    """Queue timeouts that the requests carried."""
    _in_flight: int = 0

    async def ModelConfig(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """The model's parameters."""
        answer = service_pb2.ModelConfigResponse()
        answer.config.name = request.name
        answer.config.max_batch_size = self.max_batch
        for key, value in self.parameters.items():
            answer.config.parameters[key].string_value = value
        return answer

    async def ModelInfer(self, request: Any, context: Any) -> Any:  # noqa: N802 - the protocol's name
        """One inference."""
        columns = [_texts(raw) for raw in request.raw_input_contents]
        rows: Rows = list(zip(*columns, strict=True))
        number = len(self.calls)
        self.calls.append(rows)
        self.timeouts_us.append(request.parameters["timeout"].int64_param)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await asyncio.sleep(self.delay_s)
        finally:
            self._in_flight -= 1
        wrong = self.misbehave(number, rows)
        if wrong is not None:
            await context.abort(*wrong)
        return self._answer(request, rows)

    def _answer(self, request: Any, rows: Rows) -> Any:
        values = [v if isinstance(v, list) else [v] for v in map(self.answer, rows[self.drop_rows :])]
        width = len(values[0]) if values else 1
        answer = service_pb2.ModelInferResponse(model_name=request.model_name, model_version=self.version)
        tensor = answer.outputs.add(name=self.output, datatype="FP32", shape=[len(values), width])
        assert tensor.name == self.output
        answer.raw_output_contents.append(struct.pack(f"<{len(values) * width}f", *(x for v in values for x in v)))
        return answer


def _texts(raw: bytes) -> list[str]:
    """A BYTES tensor: each text behind its length."""
    texts, place = [], 0
    while place < len(raw):
        (length,) = struct.unpack_from("<I", raw, place)
        texts.append(raw[place + 4 : place + 4 + length].decode())
        place += 4 + length
    return texts


@asynccontextmanager
async def serving(fake: FakeTriton, port: int = 0, *, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """The fake, behind its gRPC address."""
    server = grpc.aio.server()
    service_pb2_grpc.add_GRPCInferenceServiceServicer_to_server(fake, server)
    bound = server.add_insecure_port(f"{host}:{port}")
    await server.start()
    try:
        yield f"{host}:{bound}"
    finally:
        await server.stop(grace=0)
