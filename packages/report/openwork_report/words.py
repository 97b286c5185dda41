"""What enums of a document are called where people read them. A value of a newer service is printed as it is."""

from __future__ import annotations

from openwork_contracts.answer import Reference, RunStatus
from openwork_contracts.evidence import EvidenceStatus, TextOrigin
from openwork_contracts.measures import measure_in_words
from openwork_contracts.record import Decision
from openwork_contracts.text import clean

WHOSE_WORDS = {
    TextOrigin.PUBLISHER: "the publication's own",
    TextOrigin.REGISTRY: "the registry's",
    TextOrigin.LABEL: "the drug label's",
    TextOrigin.PREPRINT: "the preprint's own",
    TextOrigin.OUR_SUMMARY: "a summary by Open Work, not the publication's own",
    TextOrigin.WEB_PAGE: "the web page's",
    TextOrigin.USER_DOCUMENT: "a document's of the asker",
    TextOrigin.UNKNOWN_ORIGIN: "not recorded",
}
STATUS_WORDS = {
    EvidenceStatus.RETRACTED: "RETRACTED",
    EvidenceStatus.WITHDRAWN: "WITHDRAWN",
    EvidenceStatus.CONCERN: "expression of concern",
    EvidenceStatus.CORRECTED: "corrected since",
}
"""`none` and `not_checked` are said of all references together."""
WENT_OUT = {
    Decision.PASSAGE_CHOSEN: "read, not cited by the answer",
    Decision.FULLTEXT_READ: "full text read, no passage of it chosen",
    Decision.ABSTRACT_READ: "abstract read, no passage of it chosen",
    Decision.SHORTLISTED: "the run ended before it was read",
    Decision.BELOW_THRESHOLD: "ranked too low for the question",
    Decision.RETRACTED: "retracted or withdrawn",
    Decision.WITHOUT_TEXT: "nothing to read",
    Decision.SUPERSEDED: "an older version of a Cochrane review",
    Decision.REFERENCE_ONLY: "its source is for reference only",
    Decision.FOUND: "the run ended before it was ranked",
}
"""Why a work that was found is not cited; of `without_text` the record has the reason in more words."""

RUN_STATUS = {
    RunStatus.ANSWERED: "Answered",
    RunStatus.TOO_LITTLE_EVIDENCE: "Too little evidence",
    RunStatus.REJECTED: "Not searched for",
    RunStatus.REFUSED: "The question was not taken",
    RunStatus.FAILED: "The run failed",
    RunStatus.CANCELLED: "The run was cancelled",
    RunStatus.RUNNING: "The run has not ended yet",
}
NAMED_AUTHORS = 3
"""Before "et al." in a list of references; as many as a summary of ours names at most."""


def authors_of(reference: Reference) -> str:
    """The first authors on one line, and whether there are more; empty = none is known."""
    names = [one_line(name) for name in reference.authors[:NAMED_AUTHORS]]
    more = " et al." if is_cut(reference) or len(reference.authors) > NAMED_AUTHORS else ""
    return f"{', '.join(names)}{more}"


def is_cut(reference: Reference) -> bool:
    """Whether there may be more authors than the reference names."""
    return reference.text_origin is TextOrigin.OUR_SUMMARY and len(reference.authors) == NAMED_AUTHORS


def run_status_words(status: RunStatus) -> str:
    """How a run stands."""
    return RUN_STATUS.get(status) or _spoken(status.value).capitalize()


def whose_words(origin: TextOrigin) -> str:
    """Whose words a cited text is, as what follows "Words cited: "."""
    return WHOSE_WORDS.get(origin, _spoken(origin.value))


def why_out(decision: Decision, reason: str | None = None) -> str:
    """Why a work is not cited; the record's own reason is preferred."""
    return reason or WENT_OUT.get(decision, _spoken(decision.value))


def one_line(text: str | None) -> str:
    """Text of other people on one line, without what steers a terminal or turns the direction of reading."""
    return " ".join(clean(text or "").split())


def _spoken(value: str) -> str:
    return one_line(value).replace("_", " ")


def measure_words(measure: str) -> str:
    """A measure of effect as it heads a column: "Hazard ratio", "Risk difference, percentage points"."""
    words = measure_in_words(measure)
    unit = ", percentage points" if measure == "RD" else ""
    return f"{words[:1].upper()}{words[1:]}{unit}"
