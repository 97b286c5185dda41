"""A model's revision: failed claims in other words, by number. Claims that passed are kept byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from openwork_contracts.answer import DraftClaim, DraftSection, SectionKind
from openwork_contracts.verdict import ClaimVerdict

from openwork_synthesiser.domain.model_claims import Fault, MendedClaim, Part, Sieve, Sifted
from openwork_synthesiser.domain.revise import key_of

_PARTS = {SectionKind.DIRECT_ANSWER: Part.ANSWER, SectionKind.LIMITATIONS: Part.LIMITATION}


def _key(claim: DraftClaim) -> tuple[str, tuple[int, ...]]:
    return key_of(claim.text, claim.citations)


def mended_claims(
    claims: Sequence[MendedClaim], failed: Sequence[ClaimVerdict], sections: Sequence[DraftSection], sieve: Sieve
) -> tuple[dict[int, DraftClaim], Sifted]:
    """What takes the place of the failed claims, by number, and what was left out.

    A number that was not asked about, or that comes twice, does not count; nor does what failed before, word by word.

    Args:
        sections: the draft: a sentence has to be fit for the part in which it stands.
    """
    parts = {_key(c): _PARTS.get(s.kind, Part.EVIDENCE) for s in sections for c in s.claims}
    rejected = {key_of(v.text, v.citations) for v in failed}
    mended: dict[int, DraftClaim] = {}
    faults: Counter[Fault] = Counter()
    for claim in claims:
        if not 1 <= claim.id <= len(failed) or claim.id in mended:
            continue
        verdict = failed[claim.id - 1]
        part = parts.get(key_of(verdict.text, verdict.citations), Part.EVIDENCE)
        found = sieve.read(claim.text, claim.quotes, part)
        if isinstance(found, Fault):
            faults[found] += 1
        elif len(found) == 1 and found[0].part is part and _key(found[0].claim) not in rejected:
            mended[claim.id] = found[0].claim
    return mended, Sifted((), faults)


def with_mended(
    sections: Sequence[DraftSection], failed: Sequence[ClaimVerdict], mended: Mapping[int, DraftClaim]
) -> tuple[DraftSection, ...]:
    """The draft with each failed claim in its new words, or without it; all others as they were."""
    instead = {key_of(v.text, v.citations): mended.get(number) for number, v in enumerate(failed, start=1)}
    revised = []
    for section in sections:
        found = (instead.get(_key(claim), claim) for claim in section.claims)
        claims = tuple(dict.fromkeys(claim for claim in found if claim is not None))
        if claims:
            revised.append(section.model_copy(update={"claims": claims}))
    return tuple(revised)
