"""One table: every bucket beside the streams, what it keeps, for how long, and how much. Owner: contracts.

The topology job, the permissions and whoever opens a bucket read this table; which service may use which is in its
`service.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_DAY_S = 86_400.0


class BucketKind(StrEnum):
    """How a bucket is stored: entries with compare and set, or large objects in pieces."""

    KEY_VALUE = "key_value"
    OBJECTS = "objects"


@dataclass(frozen=True, slots=True)
class BucketSpec:
    """One row of the table."""

    name: str
    kind: BucketKind
    share: float
    """Of the store, reserved; see `streams.py`."""
    max_age_s: float | None
    """Seconds after which an entry is gone; `None` = never, or as the results (`openwork-blobs`)."""
    is_cache: bool
    """True: one copy is enough, and a direct get may answer. False = copied, and asked of the leader."""
    keys: tuple[str, ...] = ("*",)
    """Key filters that a user of the bucket may write. Of objects: their names; none = by their content alone."""
    drops_oldest: bool = False
    """Of entries. What a full one does: True = the oldest goes, False = it refuses."""
    create_only: bool = False
    """Of objects. True: what is stored stays until its age, and a full bucket refuses; False: the oldest goes."""

    @property
    def stream(self) -> str:
        """The stream behind it."""
        return f"{'KV' if self.kind is BucketKind.KEY_VALUE else 'OBJ'}_{self.name}"


LIMITS = BucketSpec(
    "openwork-limits", BucketKind.KEY_VALUE, 0.003, None, is_cache=False, keys=("rate.>", "quota.>", "silent.*")
)
"""Rate slots and monthly quotas of outside services, and which of them kept a run waiting in vain."""
ANSWERS = BucketSpec("openwork-answers", BucketKind.KEY_VALUE, 0.008, 7 * _DAY_S, is_cache=True)
"""Cached answers of outside services; none is kept longer, whatever its service allows."""
LEDGER = BucketSpec("openwork-model-ledger", BucketKind.KEY_VALUE, 0.008, 7 * _DAY_S, is_cache=False)
"""One account per run: calls, tokens, dollars, notes. No text of questions or sources."""
MODEL_ANSWERS = BucketSpec("openwork-model-answers", BucketKind.KEY_VALUE, 0.016, _DAY_S, is_cache=True)
"""Answers of models by hash of what was asked; they may repeat what a question or source says."""
SCORES = BucketSpec("openwork-scores", BucketKind.KEY_VALUE, 0.008, _DAY_S, is_cache=True)
"""Scores of the cross-encoder by question and candidates, shared by the replicas of the reranker."""
TEXTS = BucketSpec("openwork-fulltext", BucketKind.OBJECTS, 0.08, 30 * _DAY_S, is_cache=False, keys=(">",))
"""Full texts that were read, by identifier; read anew after 30 days, since corrections appear."""
BLOBS = BucketSpec("openwork-blobs", BucketKind.OBJECTS, 0.10, None, is_cache=False, keys=(), create_only=True)
"""What is too large for an event and is referred to by `BlobRef`; lives as long as the events do."""

STATISTICS = BucketSpec(
    "openwork-statistics", BucketKind.KEY_VALUE, 0.004, 8 * _DAY_S, is_cache=False, drops_oldest=True
)
"""Figures of each run that ended, by run id: a day longer than the longest window that is shown of them. Numbers and
names of our own; no question, no owner."""

BUCKETS: tuple[BucketSpec, ...] = (LIMITS, ANSWERS, LEDGER, MODEL_ANSWERS, SCORES, TEXTS, BLOBS, STATISTICS)
"""Every bucket there is."""

_BY_NAME = {spec.name: spec for spec in BUCKETS}


def bucket_named(name: str) -> BucketSpec:
    """The row of a bucket; KeyError when there is none of that name."""
    return _BY_NAME[name]
