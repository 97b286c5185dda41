"""What was held back and why, in words: sentences against which something is proved, and those nobody could confirm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from openwork_contracts.verdict import OPEN_VERDICTS, ClaimVerdict, Verdict

from openwork_report.markdown import escaped

_PROVED = "Something is proved against these:"
_OPEN = "These could not be confirmed:"
_COUNTED = {
    Verdict.CONTRADICTED: "contradicted",
    Verdict.UNSUPPORTED: "not borne out",
    Verdict.UNCITED: "without a citation",
    Verdict.NOT_CONFIRMED: "not confirmed",
    Verdict.PARTLY_SUPPORTED: "not confirmed",
}


def held_back_parts(withheld: Sequence[ClaimVerdict]) -> Iterator[str]:
    """Markdown blocks: for each of the two groups a line and a list."""
    for words, group in _groups(withheld):
        lines = [f"- “{escaped(c.text)}” {escaped('; '.join(r.detail for r in c.reasons))}" for c in group]
        yield f"{words}\n\n" + "\n".join(lines)


def counted(withheld: Sequence[ClaimVerdict]) -> str:
    """How many there are of each verdict, what is proved first: "1 contradicted, 2 not confirmed"."""
    verdicts = [claim.verdict for _, group in _groups(withheld) for claim in group]
    counts = Counter(_COUNTED.get(verdict, verdict.value.replace("_", " ")) for verdict in verdicts)
    return ", ".join(f"{n} {words}" for words, n in counts.items())


def _groups(withheld: Sequence[ClaimVerdict]) -> Iterator[tuple[str, list[ClaimVerdict]]]:
    open_ = [claim for claim in withheld if claim.verdict in OPEN_VERDICTS]
    proved = [claim for claim in withheld if claim.verdict not in OPEN_VERDICTS]
    order = list(_COUNTED)
    proved.sort(key=lambda claim: order.index(claim.verdict) if claim.verdict in order else len(order))
    yield from ((words, group) for words, group in ((_PROVED, proved), (_OPEN, open_)) if group)
