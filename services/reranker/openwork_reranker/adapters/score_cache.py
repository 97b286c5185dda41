"""Scores that were computed before, by any replica: a question asked again is not read again.

The key is what was scored by whom: the scorer's identity, the question with everything a scorer looks for in it, and
the set of texts. The order of the texts does not matter, since a score belongs to its text.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from nats.errors import Error as NatsError
from nats.js.errors import KeyNotFoundError
from openwork_bus.buckets import open_key_value
from openwork_bus.figures import Figures
from openwork_bus.metrics import CACHE
from openwork_contracts.buckets import SCORES, BucketSpec
from openwork_contracts.errors import BusUnavailable

from openwork_reranker.domain.focus import QuestionFocus
from openwork_reranker.domain.results import ScoringResult, score_and_report
from openwork_reranker.domain.scoring import ScorableText, Scorer, ScorerIdentity

log = logging.getLogger(__name__)

_PATIENCE_S = 0.5
"""For one reading or writing: the cache must never cost what it saves."""


class ScoreStore(Protocol):
    """Bytes under a key, shared by the replicas. Failing is not an error: a cache may forget."""

    async def get(self, key: str) -> bytes | None:
        """What was stored; `None` when nothing was, or when it cannot be read now."""

    async def put(self, key: str, value: bytes) -> None:
        """Store it, if that can be done now."""


class CachedScorer:
    """A scorer in front of which the store stands. Scores of a stand-in are not stored."""

    def __init__(self, scorer: Scorer, store: ScoreStore, figures: Figures | None = None) -> None:
        self._scorer = scorer
        self._store = store
        self._figures = figures or Figures("none")

    @property
    def identity(self) -> ScorerIdentity:
        """The inner scorer's."""
        return self._scorer.identity

    async def score(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> list[float]:
        """As `Scorer.score`."""
        return list((await self.score_and_report(focus, texts)).scores)

    async def score_and_report(self, focus: QuestionFocus, texts: Sequence[ScorableText]) -> ScoringResult:
        """As `Scorer.score`; the report says when the scores come from the store."""
        if not texts:
            return await score_and_report(self._scorer, focus, texts)
        marks = [text_mark(text) for text in texts]
        key = score_key(self._scorer.identity, focus, marks)
        known = _read(await self._store.get(key), marks)
        self._figures.count(CACHE, "scores", "hit" if known is not None else "miss")
        if known is not None:
            scores, identity = known
            return ScoringResult(scores, identity, from_cache=True)
        result = await score_and_report(self._scorer, focus, texts)
        if result.degradation is None:
            # Under the identity that answered: the first call after a start learns the version only now.
            key = score_key(result.identity, focus, marks)
            await self._store.put(key, _written(result, marks))
        return result


def text_mark(text: ScorableText) -> str:
    """Names a text by its content."""
    return hashlib.sha256(json.dumps([text.title, text.body]).encode()).hexdigest()


def score_key(identity: ScorerIdentity, focus: QuestionFocus, marks: Sequence[str]) -> str:
    """Names a question and a set of texts, for one scorer; 64 hexadecimal digits."""
    looked_for: list[Any] = [
        focus.question,
        focus.tokens,
        [thing.forms for thing in focus.things],
        sorted(focus.aspects),
        focus.comparative,
    ]
    who = [identity.name, identity.model, identity.version]
    return hashlib.sha256(json.dumps([who, looked_for, sorted(set(marks))]).encode()).hexdigest()


def _written(result: ScoringResult, marks: Sequence[str]) -> bytes:
    identity = result.identity
    who = [identity.name, identity.model, identity.version, identity.is_lexical]
    scores = dict(zip(marks, result.scores, strict=True))
    return json.dumps({"who": who, "minimum_score": identity.minimum_score, "scores": scores}).encode()


def _read(value: bytes | None, marks: Sequence[str]) -> tuple[tuple[float, ...], ScorerIdentity] | None:
    if value is None:
        return None
    try:
        stored = json.loads(value)
        name, model, version, is_lexical = stored["who"]
        scores = tuple(float(stored["scores"][mark]) for mark in marks)
        minimum_score = stored["minimum_score"]
    except (ValueError, KeyError, TypeError):
        return None  # of another release
    if not all(0 <= score <= 1 for score in scores):
        return None
    return scores, ScorerIdentity(name, model, version, is_lexical=is_lexical, minimum_score=minimum_score)


class JetStreamScores:
    """`ScoreStore` in a JetStream key-value bucket."""

    def __init__(self, connection: Callable[[], Any], *, bucket: BucketSpec = SCORES) -> None:
        """`connection` gives the open NATS connection; it is asked on first use, when the service has started."""
        self._connection = connection
        self._spec = bucket
        self._bucket: Any = None

    async def get(self, key: str) -> bytes | None:
        """See `ScoreStore.get`."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                entry = await (await self._opened()).get(key)
        except KeyNotFoundError:
            return None
        except (
            BusUnavailable,
            NatsError,
            OSError,
        ) as error:  # whatever is wrong with a cache, the scores can be computed
            log.warning("the score cache cannot be read: %r", error)
            return None
        return bytes(entry.value) if entry.value else None

    async def put(self, key: str, value: bytes) -> None:
        """See `ScoreStore.put`."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await (await self._opened()).put(key, value)
        except (BusUnavailable, NatsError, OSError) as error:  # as above
            log.warning("the score cache cannot be written: %r", error)

    async def _opened(self) -> Any:
        if self._bucket is None:
            js = self._connection().jetstream(timeout=_PATIENCE_S)
            self._bucket = await open_key_value(js, self._spec)
        return self._bucket
