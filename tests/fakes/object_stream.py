"""The stream behind a bucket of objects, in memory: what `Objects` asks of JetStream and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

from nats.js.errors import APIError, NotFoundError


@dataclass
class ObjectStream:
    """One message per subject. A replica that answers direct gets may lag behind the leader."""

    messages: dict[str, bytes] = field(default_factory=dict)
    refuses: Exception | None = None
    """What every publication is answered with."""
    lags_for: int = 0
    """So many direct gets find nothing."""

    async def publish(self, subject: str, data: bytes, *, stream: str, headers: Mapping[str, str] | None) -> None:
        if self.refuses is not None:
            raise self.refuses
        if headers and subject in self.messages:
            raise APIError(code=400, err_code=10071, description="wrong last sequence: 1")
        self.messages[subject] = data

    async def get_last_msg(self, stream: str, subject: str, *, direct: bool) -> SimpleNamespace:
        assert direct, "the right to ask for whatever a body names is nobody's"
        if self.lags_for > 0 or subject not in self.messages:
            self.lags_for -= 1
            raise NotFoundError
        return SimpleNamespace(data=self.messages[subject])

    async def stream_info(self, stream: str, *, subjects_filter: str) -> SimpleNamespace:
        found = {subject: 1 for subject in self.messages if subject == subjects_filter}
        return SimpleNamespace(state=SimpleNamespace(subjects=found or None))
