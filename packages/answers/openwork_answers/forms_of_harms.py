"""The forms of the harms that stand behind what leads: with figures, in a source's words, or that there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.conclusion import Conclusion, ConclusionVerdict, StudyResult

from openwork_answers.figures_in_words import absolute_in_words, figures_in_words, sides_among
from openwork_answers.harms import is_more
from openwork_answers.lines import Line, lower_first
from openwork_answers.naming_people import in_group
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import OF_IT, is_harm, read_outcome

_V = ConclusionVerdict


def harm_lines(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """The first harm with its figures, else a source's words, else that none was found."""
    if c.harms:
        for harm in c.harms[:1]:
            figures = "; ".join(part for part in (figures_in_words(harm), absolute_in_words(harm)) if part)
            label = _LABELS.get(harm.verdict, "Harm") if harm.effect is not None else "Harm"
            label = "Worse" if harm.bad is False and harm.verdict is _V.HARM else label
            shown = _DIFFERS.get(harm.verdict, "") if harm.effect is not None else ""
            whom = in_group(harm.people) if harm.people and harm.people != lead.people else ""
            where = whom if harm.n == lead.n else f"{whom} in {harm.study}"
            sides = f" with {' v '.join(sides_among(harm, c.results))}" if len(harm.comparison) == 2 else ""
            yield Line(f"{label}: {lower_first(harm.outcome)}{sides}{where}: {figures}{shown}.", (harm.n,))
    elif c.harm_words and c.harm_n:
        label = "Of harms" if _tells_of_no_more(c.harm_words) else "Harm"
        yield Line(f"{label}: {lower_first(c.harm_words.rstrip('.'))}.", (c.harm_n,))
    elif not _is_more_harm(lead) and not is_harm(lead.outcome) and not _tells_harm(c, lead):
        yield Line("Harms: not reported in what was found.")


_LABELS = {
    _V.BENEFIT: "Harm, less frequent",
    _V.NOT_SHOWN: "Of harms",
    _V.LITTLE_OR_NO_DIFFERENCE: "Of harms",
}
_DIFFERS = {_V.NOT_SHOWN: ", not shown to differ", _V.LITTLE_OR_NO_DIFFERENCE: ", little or no difference"}
_NO_MORE = re.compile(
    r"\b(?:less (?:frequent|often|common)|fewer|did not|not (?:significantly )?(?:more|differ\w*)"
    r"|no (?:significant )?difference|similar\w*)\b",
    re.IGNORECASE,
)
"""What a sentence says that tells of a harm, and of no more of it."""


def _tells_of_no_more(text: str) -> bool:
    """Whether a sentence says so of a harm, or gives the first of two shares as no larger."""
    if _MORE.search(text):
        return False
    shares = [float(share) for share in _SHARES.findall(text)]
    return _NO_MORE.search(text) is not None or (len(shares) == _TWO and shares[0] <= shares[1])


_MORE = re.compile(
    r"(?<!not )(?<!not significantly )\bincreas(?:ed|es)\b(?! (?:risk|rate)s? of \w+ (?:was|were) not)", re.I
)
_SHARES = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s?%(?!\s?CI)")
_TWO = 2


def _is_more_harm(lead: StudyResult) -> bool:
    """Whether what leads is a harm itself: by its verdict, or where no effect tells one by the figures of its arms."""
    if lead.verdict is _V.HARM or lead.effect is not None or lead.bad is False:
        return lead.verdict is _V.HARM
    return is_more(lead)


def _tells_harm(c: Conclusion, lead: StudyResult) -> bool:
    """Whether a harm that was asked about is told beside the lead."""
    told = [r for r in c.others if is_harm(r.outcome) and r.bad is not False and _fit_of_any(r, c.asked.outcome)]
    return any(r is not lead for r in told)


def _fit_of_any(result: StudyResult, asked: Sequence[str]) -> bool:
    """Whether a result is of one of the outcomes asked about."""
    return any(fit_of(read_outcome(result.outcome), read_outcome(text)) in OF_IT for text in asked)
