"""The harms that were found beside the asked outcome: with figures where a source has them, else in its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.conclusion import ConclusionVerdict, Fit, StudyResult
from openwork_contracts.evidence import EvidenceCandidate
from openwork_contracts.ranking import RankedPassage
from openwork_language.effects.find import Certainty, Direction, find_effects
from openwork_language.mentions import speaks_of
from openwork_language.sentences import split_sentences

from openwork_answers.asked import Question
from openwork_answers.choosing import same_sides
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import harm_words, is_harm, read_outcome
from openwork_answers.pack import Pack
from openwork_answers.retold import tells_again, tells_nothing_else
from openwork_answers.special_people import sources_of_harm

MOST_HARMS = 2
_MORE = frozenset({Direction.HIGHER, Direction.WORSE})


def harms_of(question: Question, results: Sequence[StudyResult], lead: StudyResult | None) -> tuple[StudyResult, ...]:
    """Results of harms, of the lead's source first: an outcome that treatments cause, or a bad one that is more.

    Args:
        results: of the asked comparison and people.
    """
    told = [
        r for r in results if r is not lead and _has_figures(r, lead) and _is_beside(r, lead) and _is_of_them(r, lead)
    ]
    found = [r for r in told if _is_one(r) and not _is_asked(r, question) and not _leads_already(r, lead)]
    found.sort(
        key=lambda r: (
            lead is not None and r.n == lead.n,
            lead is not None and set(r.comparison) == set(lead.comparison),
            r.comparison_fit is Fit.ASKED,
            r.verdict is ConclusionVerdict.HARM or (r.effect is None and is_more(r)),
            r.harm or is_harm(r.outcome),
            not r.is_subgroup,
            r.absolute is not None,
            r.year or 0,
        ),
        reverse=True,
    )
    chosen: list[StudyResult] = []
    for result in found:
        if len(chosen) < MOST_HARMS and not any(_is_again(result, one) for one in chosen):
            chosen.append(result)
    return tuple(chosen)


def harms_beside(
    question: Question, alike: Sequence[StudyResult], told: Sequence[StudyResult], pack: Pack
) -> tuple[tuple[StudyResult, ...], tuple[int, str] | None]:
    """The harms with figures, or where there are none the words of a source: (harms, (its number, sentence)).

    What the leading source itself says comes before the figures of others, where it says how much.

    Args:
        alike: results of the asked comparison and people.
        told: what stands there, the lead first.
    """
    lead = told[0]
    harms = harms_of(question, alike, lead)
    if any(harm.n == lead.n for harm in harms):
        return harms, None
    own = _harm_sentence(question, pack.passages, pack.documents, (lead.n,), told)
    if own is not None and (not harms or _TELLS_HOW_MUCH.search(own[1])):
        return (), own
    if harms:
        return harms, None
    return (), _harm_sentence(question, pack.passages, pack.documents, sources_of_harm(lead, alike), told)


_TELLS_HOW_MUCH = re.compile(
    r"\d|\b(?:increas\w+|more|higher|less|fewer|lower|similar\w*|differ\w*|no|none"
    r"|rare\w*|common\w*|frequent\w*|led to|caus\w+)\b",
    re.IGNORECASE,
)
"""What a sentence about harms says of how many there were: "recorded at each visit" does not."""


def _has_figures(result: StudyResult, lead: StudyResult | None) -> bool:
    """Whether it has an effect, or, of the lead's own source, a share of each arm of which the first is the larger."""
    is_own = lead is not None and result.n == lead.n
    return result.effect is not None or (is_own and is_harm(result.outcome) and is_more(result))


def is_more(result: StudyResult) -> bool:
    """Whether the share of the first of two arms is the larger."""
    found = [_PERCENT.match(arm.percent or "") for arm in result.arms]
    shares = [float(match[0]) for match in found if match is not None]
    return len(found) == len(shares) == _SIDES and shares[0] > shares[1]


_PERCENT = re.compile(r"\d+(?:\.\d+)?")
_SIDES = 2


def _is_beside(result: StudyResult, lead: StudyResult | None) -> bool:
    """Whether a harm may stand beside the lead: where its treatment is set against the same, as far as is told."""
    if lead is None or (result.n == lead.n and len(result.comparison) != len(lead.comparison)):
        return True
    return len(lead.comparison) != _SIDES or same_sides(result, lead)


def _is_of_them(result: StudyResult, lead: StudyResult | None) -> bool:
    """Whether a harm is of no smaller part of its source than what leads, or what treatments cause: that more of "those
    with a previous haemorrhage" had a stroke is no harm of all in whom fewer had one."""
    if not result.is_subgroup or result.people_fit is Fit.ASKED or result.harm or is_harm(result.outcome):
        return True
    return lead is not None and result.people == lead.people


def _is_one(result: StudyResult) -> bool:
    return (
        result.harm
        or (is_harm(result.outcome) and not result.components and result.bad is not False)
        or (result.verdict is ConclusionVerdict.HARM and result.outcome_fit not in {Fit.ASKED, Fit.WIDER})
    )


def _is_asked(result: StudyResult, question: Question) -> bool:
    """A worse part of what was asked ("fatal stroke" of death) is a harm all the same."""
    asked = {Fit.ASKED} if result.verdict is ConclusionVerdict.HARM else {Fit.ASKED, Fit.PART}
    return bool(question.outcomes) and result.outcome_fit in asked


def _leads_already(result: StudyResult, lead: StudyResult | None) -> bool:
    """Where a harm leads the answer, what is the same harm is not told again beside it."""
    return lead is not None and is_harm(lead.outcome) and _is_again(result, lead)


def _is_again(one: StudyResult, other: StudyResult) -> bool:
    return fit_of(read_outcome(one.outcome), read_outcome(other.outcome)) is not Fit.OTHER


def _harm_sentence(
    question: Question,
    passages: Sequence[RankedPassage],
    documents: Sequence[EvidenceCandidate],
    sources: Sequence[int],
    told: Sequence[StudyResult],
) -> tuple[int, str] | None:
    """A sentence of a source that tells a harm of the treatment, those of `sources` first: (its number, sentence).

    Where none tells of more harm, what the first of them says of harms in a part of that name. No sentence tells alone
    what stands there already.

    Args:
        told: what stands there, the lead first: of a question about a harm the harm itself.
    """
    lead = told[0]
    if is_harm(lead.outcome) or lead.verdict is ConclusionVerdict.HARM:
        sources = sources[:1]  # what others found of other comparisons is no harm beside this one
    if not sources:
        return None
    order = {n: place for place, n in enumerate(sources)}
    for n, sentence in sorted(_sentences(passages, documents), key=lambda one: order.get(one[0], len(order))):
        if n not in order or not harm_words().search(sentence) or len(sentence.split()) > _MOST_WORDS:
            continue
        if _stands_there(sentence, told):
            continue
        named = any(speaks_of(sentence, idea) for idea in question.treatments)
        effects = find_effects(_PREVENTS.sub("lowered", sentence))
        worse = any(e.net in _MORE and e.certainty is Certainty.ASSERTED for e in effects)
        if named and worse:
            return n, sentence
    return _said_of_harms(documents, sources, told)


def _stands_there(sentence: str, told: Sequence[StudyResult]) -> bool:
    """Whether a sentence tells again what one of the results tells, and nothing else."""
    return any(tells_nothing_else(sentence, one) or tells_again(sentence, one) for one in told)


_PREVENTS = re.compile(r"\b(?:prevent\w*|avert\w*|avoid\w*|saved?)\s+more\b", re.IGNORECASE)
"""What prevents more of something makes it less."""
_OF_HARMS = re.compile(
    r"^\W*(?:harms?|adverse (?:events?|effects?)|safety|side effects?|tolerability)\b", re.IGNORECASE
)
_MOST_WORDS = 45


def _said_of_harms(
    documents: Sequence[EvidenceCandidate], sources: Sequence[int], told: Sequence[StudyResult]
) -> tuple[int, str] | None:
    """What the part of the leading source's abstract says that is of harms: that none was more frequent too."""
    for n in sources[:1]:
        for part in documents[n - 1].abstract:
            if not part.label or not _OF_HARMS.match(part.label):
                continue
            for sentence in split_sentences(part.text):
                if len(sentence.text.split()) <= _MOST_WORDS and not _stands_there(sentence.text, told):
                    return n, sentence.text
    return None


_NO_RESULTS = ("population", "participants", "patients", "methods", "question", "objective", "limitations")
"""Labels of the parts of an abstract that tell no harm that was found."""


def _sentences(passages: Sequence[RankedPassage], documents: Sequence[EvidenceCandidate]) -> Iterator[tuple[int, str]]:
    """Sentences without the labels of their parts, of parts that tell results."""
    parts = {n: document.abstract for n, document in enumerate(documents, 1)}
    for passage in passages:
        own = parts.get(passage.n, ())
        apart = [part.text for part in own if (part.label or "").casefold() in _NO_RESULTS]
        labels = tuple(f"{part.label.rstrip(':')}: " for part in own if part.label)
        for sentence in split_sentences(passage.text):
            text = next((sentence.text[len(x) :] for x in labels if sentence.text.startswith(x)), sentence.text)
            if not any(text in other for other in apart):
                yield passage.n, text
    for n, document in enumerate(documents, 1):
        for part in document.abstract:
            if (part.label or "").casefold() not in _NO_RESULTS:
                yield from ((n, sentence.text) for sentence in split_sentences(part.text))
