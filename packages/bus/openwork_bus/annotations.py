"""Evaluations of runs, as annotations of their root spans in Phoenix. Nothing waits for it, nothing fails by it.

Phoenix takes an annotation for a span that it has not stored yet and keeps it for ten minutes (its interface without
`sync`), so that none has to be timed here. A thread posts what waits; Phoenix away, it tries for a while and then drops
the oldest, and says how many. The same figures stand in the span `evaluation` of the trace.
"""

from __future__ import annotations

import http.client
import json
import logging
import threading
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

log = logging.getLogger(__name__)

MOST_WAITING = 500
"""Runs whose annotations wait; then the oldest is dropped."""
_TIMEOUT_S = 5.0
_PAUSES_S = (1.0, 5.0, 30.0)
"""Before the second, third, ... try of what Phoenix did not take."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One figure of a run."""

    name: str
    score: float
    label: str
    """The score in a word, e.g. "grounded"."""
    explanation: str
    """How it came about; numbers and our own words, no text of the run."""

    @property
    def attributes(self) -> dict[str, str | int | float]:
        """As attributes of a span."""
        place = f"openwork.evaluation.{self.name}"
        return {f"{place}.score": self.score, f"{place}.label": self.label, f"{place}.explanation": self.explanation}

    def annotation(self, span_id: str) -> dict[str, object]:
        """As Phoenix takes it. A second one of the same name and identifier takes the place of the first."""
        return {
            "span_id": span_id,
            "name": self.name,
            "annotator_kind": "CODE",
            "identifier": "openwork",
            "result": {"score": self.score, "label": self.label, "explanation": self.explanation},
        }


class Annotations:
    """A bounded line in front of Phoenix, and the thread that works it off. The thread starts with the first."""

    def __init__(self, url: str, headers: Mapping[str, str], *, pauses_s: Sequence[float] = _PAUSES_S) -> None:
        self._address = f"{url.rstrip('/')}/v1/span_annotations"
        self._headers = {"Content-Type": "application/json", **headers}
        self._pauses_s = pauses_s
        self._waiting: deque[bytes] = deque(maxlen=MOST_WAITING)
        self._changed = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None
        self.dropped = 0
        """Runs whose annotations were given up."""

    def put(self, span_id: str, evaluations: Sequence[Evaluation]) -> None:
        """Have them posted, some time. Takes microseconds, whatever Phoenix does."""
        body = json.dumps({"data": [one.annotation(span_id) for one in evaluations]}).encode()
        with self._changed:
            if len(self._waiting) == MOST_WAITING:
                self._drop("the line is full")
            self._waiting.append(body)
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="annotations", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Post what waits, each once, and end. Blocks until then: whoever stops decides how long it waits for that."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                if not self._waiting:
                    return
                body = self._waiting.popleft()
            self._post(body)

    def _post(self, body: bytes) -> None:
        """Until it is taken, refused for good, or tried often enough."""
        for pause_s in (*self._pauses_s, None):
            why = self._refusal(body)
            if why is None:
                return
            if pause_s is None or why.startswith("refused") or self._paused(pause_s):
                self._drop(why)
                return

    def _paused(self, pause_s: float) -> bool:
        """Wait before the next try; whether there is to be none, since the service stops."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closing, timeout=pause_s)

    def _refusal(self, body: bytes) -> str | None:
        """Post it; why it was not taken, `None` = it was."""
        try:
            request = urllib.request.Request(self._address, data=body, headers=self._headers, method="POST")  # noqa: S310
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S):  # noqa: S310
                return None
        except urllib.error.HTTPError as error:
            return f"refused with {error.code}" if error.code < 500 and error.code != 429 else f"failed, {error.code}"
        except (OSError, http.client.HTTPException, ValueError) as error:
            return f"failed, {type(error).__name__}"

    def _drop(self, why: str) -> None:
        self.dropped += 1
        if self.dropped & (self.dropped - 1) == 0:  # the first, second, fourth, eighth, ...: no line for each
            log.warning("annotations of runs are not kept (%s), %d runs so far", why, self.dropped)
