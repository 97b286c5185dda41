"""What a reader gets of a run: progress while it goes on, then its document. Owner: gateway.

Stored on `openwork.results.v1.<account>.<run_id>`, one subject per run, and told at once on `openwork.results.<run_id>`
of the asker's account. Order and gaps come from the server: each told message carries `Nats-Sequence` and
`Nats-Last-Sequence` of its subject. Whoever sees a gap asks `openwork.show`.
"""

from __future__ import annotations

from pydantic import AwareDatetime

from openwork_contracts.answer import AnswerDocument
from openwork_contracts.enums import OpenEnum
from openwork_contracts.meta import BlobRef, Contract
from openwork_contracts.progress import Progress
from openwork_contracts.text import Text

RESULT_HEADER = "Openwork-Result"
"""The kind of a result, as a header: what is only waited for need not be decoded."""


class ResultKind(OpenEnum):
    """What a message on a run's results subject is."""

    PROGRESS = "progress"
    """The run goes on; at most two a second."""
    DOCUMENT = "document"
    """The run is over, or was never begun (`refused`): this is what it came to."""
    NOTICE = "notice"
    """Something that was published under this run id was not taken; the run itself is untouched."""
    DELETED = "deleted"
    """Its asker had it removed: all that was stored of it before is gone."""


class RunResult(Contract):
    """One message of a run's results."""

    run_id: Text
    """A ULID; of what was refused for it, whatever stood in its place."""
    kind: ResultKind
    at: AwareDatetime
    progress: Progress | None = None
    document: AnswerDocument | None = None
    """Of kind `document`, unless it is too large for a message."""
    body: BlobRef | None = None
    """Where the document is then, as JSON."""
    message: Text | None = None
    """Of a notice: plain words."""
