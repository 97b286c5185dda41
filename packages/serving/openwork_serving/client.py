"""One model on a Triton server, over gRPC: many requests in flight, one deadline for all, errors in our words."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openwork_bus.backoff import backoff_s
from openwork_bus.figures import Figures
from openwork_contracts.errors import ModelAnswerRejected, OpenWorkError

from openwork_serving.connection import RENEW_AFTER_S, Connection, target_of
from openwork_serving.errors import Fault, error_of, fault_of
from openwork_serving.metrics import FAULTS, count_batch

log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.04, 0.75
"""Bounds of the random pause between tries; on average 0.02 s, then twice as long."""

BATCH_TOKENS = 512
"""Tokens per request where neither a setting nor the model's config says how many: what suits a CPU."""

Columns = Mapping[str, Sequence[str]]
"""Inputs of one request: per tensor one text per row."""


@dataclass(frozen=True, slots=True)
class TritonOptions:
    """Where the server is and how it is asked."""

    url: str
    """host:port of gRPC, e.g. "127.0.0.1:8001", or a gRPC target. All addresses of the name share the requests."""
    timeout_s: float = 8.0
    """For one call of a scorer, all its requests and retries together."""
    batch_tokens: int | None = None
    """Tokens per request, padding included; `None` = what the model's config says."""
    max_in_flight: int = 16
    """Requests that wait for an answer at the same time, per scorer."""
    max_text_tokens: int = 512
    """What the model reads of a text; used to plan batches."""
    renew_after_s: float = RENEW_AFTER_S
    """Seconds after which the name is looked up again, to find replicas that were added."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the server's config says of the model."""

    weights: str | None
    """Name of the weights, from the config's parameter `weights`."""
    max_batch: int
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def batch_tokens(self) -> int:
        """The config's parameter `batch_tokens`: 512 on a CPU, tens of thousands on a GPU."""
        return max(1, int(self._number("batch_tokens", BATCH_TOKENS)))

    @property
    def minimum_score(self) -> float | None:
        """The parameter `minimum_score`, in [0, 1], calibrated for these weights; `None` = never calibrated."""
        return min(1.0, max(0.0, self._number("minimum_score", 0.0))) if "minimum_score" in self.parameters else None

    def _number(self, name: str, default: float) -> float:
        try:
            value = float(self.parameters.get(name, default))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ModelAnswerRejected(
                f"the model's config says {name} {self.parameters[name]!r}, which is not a number"
            )
        return value


@dataclass(frozen=True, slots=True)
class Inference:
    """Answers to the requests of one call, in their order."""

    outputs: tuple[Any, ...]
    """One numpy array per request, its first dimension the rows of the request."""
    version: str
    """Of the model, as the server said with its answers."""
    faults: Mapping[Fault, int]
    """Failures on the way, those that a retry mended."""


class ServedModel:
    """A model by name. Connects on first use, in the event loop that uses it; needs the extra `client`."""

    def __init__(self, name: str, options: TritonOptions, figures: Figures | None = None) -> None:
        # Imported here: it takes half a second and only those who use a server have it.
        import numpy  # type: ignore[import-not-found,unused-ignore]
        import tritonclient.grpc  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import tritonclient.grpc.aio  # type: ignore[import-not-found,import-untyped,unused-ignore]
        from tritonclient.utils import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
            InferenceServerException,
        )

        self.name = name
        self._options = options
        self._figures = figures or Figures("none")
        for fault in Fault:
            self._figures.begin(FAULTS, name, fault.name.lower())
        self._numpy: Any = numpy
        self._grpc: Any = tritonclient.grpc
        self._error: type[Exception] = InferenceServerException
        self._connection = Connection(self._open, renew_after_s=options.renew_after_s)
        self._facts: ModelFacts | None = None

    async def facts(self, *, timeout_s: float | None = None) -> ModelFacts:
        """What the server says of the model; asked once, and again after a failure, when it may be another server.

        Raises:
            ModelUnavailable, ModelAnswerRejected: as `infer`.
        """
        if self._facts is None:
            patience_s = timeout_s or self._options.timeout_s
            try:
                async with self._connection.client() as client:
                    answer = await client.get_model_config(self.name, client_timeout=patience_s)
            except self._error as error:
                await self._connection.renew()
                raise error_of(self._fault(error), self.name) from None
            parameters = {k: v.string_value for k, v in answer.config.parameters.items()}
            self._facts = ModelFacts(parameters.get("weights"), max(1, answer.config.max_batch_size), parameters)
        return self._facts

    async def infer(self, requests: Sequence[Columns], output: str, *, timeout_s: float | None = None) -> Inference:
        """Send all requests, at most `max_in_flight` at a time, and wait for every answer.

        Raises:
            ModelUnavailable: one got no answer before the deadline, after the retries that are safe.
            ModelAnswerRejected: one was refused, or answered without this output or with another number of rows.
        """
        give_up = self._now() + (timeout_s or self._options.timeout_s)
        call = _Call(output, give_up, asyncio.Semaphore(self._options.max_in_flight))
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask(columns, call)) for columns in requests]
        except ExceptionGroup as failed:
            self._facts = None
            await self._connection.renew()
            raise _first(failed) from None
        return Inference(tuple(task.result() for task in tasks), call.version, call.faults)

    async def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        await self._connection.close()

    async def _ask(self, columns: Columns, call: _Call) -> Any:
        tried: Counter[Fault] = Counter()
        while True:
            try:
                async with call.places:
                    return await self._send(columns, call)
            except self._error as error:
                fault = self._fault(error)
            tried[fault] += 1
            call.faults[fault] += 1
            rows = len(next(iter(columns.values())))
            if fault is Fault.TOO_MANY and rows > 1:
                return await self._ask_in_halves(columns, rows, call)
            pause_s = backoff_s(tried.total(), base_s=_FIRST_PAUSE_S, max_s=_LONGEST_PAUSE_S)
            if tried[fault] > fault.retries or self._now() + pause_s >= call.give_up:
                raise error_of(fault, self.name)
            await asyncio.sleep(pause_s)

    async def _ask_in_halves(self, columns: Columns, rows: int, call: _Call) -> Any:
        halves = [{k: v[part] for k, v in columns.items()} for part in (slice(rows // 2), slice(rows // 2, rows))]
        return self._numpy.concatenate([await self._ask(half, call) for half in halves])

    async def _send(self, columns: Columns, call: _Call) -> Any:
        remaining_s = call.give_up - self._now()
        if remaining_s <= 0:
            raise error_of(Fault.TIMEOUT, self.name)
        inputs = [self._input(name, texts) for name, texts in columns.items()]
        rows, sent_at = inputs[0].shape()[0], self._now()
        async with self._connection.client() as client:
            answer = await client.infer(
                self.name,
                inputs,
                outputs=[self._grpc.InferRequestedOutput(call.output)],
                client_timeout=remaining_s,
                # The server forgets a request that waits in its queue longer than we do.
                timeout=max(1, int(remaining_s * 1e6)),
            )
        count_batch(self._figures, self.name, rows=rows, seconds=self._now() - sent_at)
        values = answer.as_numpy(call.output)
        if values is None or values.ndim < 1 or len(values) != rows:
            shape = "nothing" if values is None else f"shape {values.shape}"
            raise ModelAnswerRejected(
                f"model {self.name!r} answered {shape} as {call.output!r}; {rows} rows were asked for"
            )
        call.version = answer.get_response().model_version
        return values

    def _input(self, name: str, texts: Sequence[str]) -> Any:
        column = self._numpy.array([text.encode() for text in texts], dtype=self._numpy.object_).reshape(-1, 1)
        tensor = self._grpc.InferInput(name, list(column.shape), "BYTES")
        tensor.set_data_from_numpy(column)
        return tensor

    def _open(self, options: Sequence[tuple[str, int | str]]) -> Any:
        return self._grpc.aio.InferenceServerClient(target_of(self._options.url), channel_args=list(options))

    def _fault(self, error: Any) -> Fault:
        fault = fault_of(error.status(), error.message() or "")
        self._figures.count(FAULTS, self.name, fault.name.lower())
        log.debug("Triton model %s: %s (%s)", self.name, fault.name, error.status())
        return fault

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


@dataclass(slots=True)
class _Call:
    """What the requests of one call share."""

    output: str
    give_up: float
    places: asyncio.Semaphore
    faults: Counter[Fault] = field(default_factory=Counter)
    version: str = ""


def _first(failed: ExceptionGroup[Exception]) -> Exception:
    """Our own error when there is one; anything else is a bug and shall be seen as such."""
    own = [error for error in failed.exceptions if isinstance(error, OpenWorkError)]
    return own[0] if own else failed.exceptions[0]
