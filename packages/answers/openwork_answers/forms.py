"""The sentences of the direct answer: forms filled from the answer object, and nothing else.

Whoever stops after the first has not been misled: it holds the verdict, the people, both arms, the effect with its
interval, and what it comes to in people. Order and wording follow the verdict (`Conclusion.verdict`), never the asker's
hopes: yes and no are said to a yes-or-no question only, by the direction it asks about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_contracts.conclusion import (
    Conclusion,
    ConclusionVerdict,
    Fit,
    Regimen,
    StudyResult,
)

from openwork_answers.choosing import unled
from openwork_answers.closest_rows import MOST_OF_ITS_OUTCOME
from openwork_answers.directions import AS_GOOD, direction_of
from openwork_answers.figures_in_words import (
    absolute_in_words,
    effect_in_words,
    figures_in_words,
    short_sides,
    sides_among,
    when,
)
from openwork_answers.forms_of_guidelines import recommended
from openwork_answers.forms_of_harms import harm_lines
from openwork_answers.lines import Line, lower_first
from openwork_answers.naming_people import in_group, in_people
from openwork_answers.noninferior_words import NO_TEST, as_good_opening, in_analysis, is_worse_within, of_test
from openwork_answers.outcome_fits import fit_of
from openwork_answers.outcomes import NEAR, is_harm, read_outcome
from openwork_answers.weighing import thresholds_of
from openwork_answers.yes_or_no import is_exact, not_told_apart, yes_or_no

_V = ConclusionVerdict
_UNDECIDED = frozenset({_V.LITTLE_OR_NO_DIFFERENCE, _V.NOT_SHOWN, _V.TOO_LITTLE, _V.NONINFERIOR})
"""Of these no side is said to have less."""
_PER_PROTOCOL = re.compile(r"per[- ]protocol|on[- ]treatment|as[- ]treated", re.IGNORECASE)
_PLURAL = re.compile(r"(?<!diabete)(?<!herpe)(?<!ascite)(?<!rabie)(?<!measle)(?<![siu])s$", re.IGNORECASE)
_HEAD = re.compile(
    r"\s*(?:[(,:;]|\b(?:of|from|due to|for|in|with|that|which|who|requiring|leading to|after|by|at|without)\b)"
)
"""What ends the head of an outcome's name: one "death from cardiac causes", one "amputation of toes or feet"."""


MOST_WORDS, MOST_WORDS_OF_ALL = 130, 141
"""Of the direct answer; with what was searched and citation marks it is read in 150. Only beyond the latter another
outcome that was asked about, or a further result that conflicts, stands in the table alone."""


def lines_of(conclusion: Conclusion) -> tuple[Line, ...]:
    """The direct answer. Empty where the object holds no result."""
    lead = conclusion.lead
    if conclusion.verdict is _V.RECOMMENDATION:
        advised = (*_absence(conclusion), *recommended(conclusion.guidelines[:2]))
        both = (*advised, *_in_words(conclusion))
        return both if _n_words(both) <= MOST_WORDS else advised
    if conclusion.regimens:
        return tuple(_given(conclusion.regimens))
    if lead is None:
        return tuple(_apart(conclusion) if conclusion.others else _nearest(conclusion))
    also = list(_also_asked(conclusion, lead))
    in_words = list(_in_words(conclusion))
    beside = [*_parts(conclusion, lead), *_alone_elsewhere(conclusion, lead), *_composite(conclusion, lead)]
    told_in_full = [one for one in also if one.citations]
    verdict = list(_verdict(conclusion, lead))
    beside = [one for one in beside if not any(_tells_the_same(one, other) for other in also)]
    told = (*also, *in_words)
    harm = [one for one in harm_lines(conclusion, lead) if not any(_tells_the_same(one, other) for other in told)]
    lines = [
        *_absence(conclusion),
        *verdict,
        *in_words,
        *also,
        *_whole(conclusion, lead),
        *beside,
        *harm,
        *_basis(conclusion, lead),
    ]
    last = (*told_in_full[:1], *reversed(verdict[_OF_A_CONFLICT:]))
    again = harm if is_harm(lead.outcome) else ()  # another harm goes before another outcome that was asked about
    may_go = [(one, MOST_WORDS) for one in (*reversed(beside), *again, *reversed(told_in_full[1:]), *in_words)]
    for left_out, most in (*may_go, *((one, MOST_WORDS_OF_ALL) for one in last)):  # the table has it, or the source
        if _n_words(lines) > most:
            lines = [line for line in lines if line is not left_out]
    return tuple(lines)


_OF_A_CONFLICT = 2
"""The leading result, and one that conflicts with it."""


def _tells_the_same(one: Line, other: Line) -> bool:
    """Whether a line on the same source tells figures that another has told."""
    _, _, figures = one.text.rpartition(": ")
    return one.citations == other.citations and figures.rstrip(".") in other.text


def _n_words(lines: Sequence[Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


def _given(regimens: Sequence[Regimen]) -> Iterator[Line]:
    """ "RECOVERY 2021 compared dexamethasone 6 mg once daily for up to 10 days with usual care, in 6,425 people."."""
    for one in regimens:
        people = f", in {one.people:,} people" if one.people else ""
        first, *others = one.arms
        time = when(one.time) if one.time else ""
        yield Line(f"{one.study} compared {first} with {' and with '.join(others)}{people}{time}.", (one.n,))


def _apart(c: Conclusion) -> Iterator[Line]:
    """What is missing first, then what stands nearest to it."""
    yield from _absence(c)
    for other in c.others:
        told = _told(other, c)
        yield Line(f"{told[:1].upper()}{told[1:]}{_caveat(other)}.", (other.n,))


def _nearest(c: Conclusion) -> Iterator[Line]:
    """Results that say nothing of some of what was asked: "Where \"aged 80\" is not told: ...".

    Of a study of which no result is known to be of the asked outcome no figure is told: the table has them, as it has
    what was found in parts of its people.
    """
    where = _where_untold(c.nearest_without)
    for n in dict.fromkeys(result.n for result in c.nearest_told):
        first, *rest = (result for result in c.nearest_told if result.n == n)
        if first.outcome_fit is Fit.OTHER:
            sides = " v ".join(short_sides(first.comparison))
            untold = f", w{where}" if where else ""
            yield Line(f"{first.study} compared {sides}{untold}; the table has its results.", (n,))
            continue
        told = _told(first, c)
        opening = f"W{where}: " if where else ""
        yield Line(f"{opening}{told if opening else told[:1].upper() + told[1:]}{_caveat(first)}.", (n,))
        for result in [r for r in rest if not r.is_subgroup][: MOST_OF_ITS_OUTCOME - 1]:
            told = _told(result, c)
            yield Line(f"{told[:1].upper()}{told[1:]}{_caveat(result)}.", (n,))
    said = {(result.n, c.nearest_without) for result in c.nearest_told}
    for sentence in c.sentences_told:
        where = _where_untold(sentence.without) if (sentence.n, sentence.without) not in said else ""
        said.add((sentence.n, sentence.without))
        yield Line(f"W{where}: {sentence.text}" if where else sentence.text, (sentence.n,))


def _where_untold(without: Sequence[str]) -> str:
    """ "here \"aged 80\" is not told", after a W of either case."""
    words = " and ".join(f'"{text}"' for text in without)
    return f"here {words} {'are' if len(without) > 1 else 'is'} not told" if words else ""


def _absence(c: Conclusion) -> Iterator[Line]:
    for missing in c.missing[:1]:
        yield Line(f"The evidence found contains no {missing}.")


def _verdict(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    if c.verdict is _V.CONFLICTING:
        yield Line(f"Results conflict{_in_people(c, lead)}: {_told(lead, c)}.", (lead.n,))
        for other in c.conflicts:
            yield Line(f"By contrast, {_told(other, c)}.", (other.n,))
        return
    opening = _opening(c, lead)
    told = _told(lead, c)
    sentence = f"{opening}{told if opening.endswith(': ') else told[:1].upper() + told[1:]}"
    untested = c.asked.direction == AS_GOOD and lead.noninferiority is None and lead.verdict is _V.NOT_SHOWN
    yield Line(f"{sentence}{NO_TEST if untested else _caveat(lead)}.", (lead.n,))


def _in_people(c: Conclusion, lead: StudyResult) -> str:
    """ " in atrial fibrillation" where the result is of the asked people; which of them it does not tell apart."""
    if lead.people_fit not in NEAR:
        return ""
    told = in_people([text for text in c.people_told if text.casefold() != lead.outcome.casefold()])
    wider = not_told_apart(c)
    if not wider:
        return told
    of_others = " in wider people" if set(wider) & set(c.asked.people) else ""
    return f"{told or of_others} ({', '.join(wider)} not told apart)"


def _opening(c: Conclusion, lead: StudyResult) -> str:
    """ "Yes, in ...: ", "Harm in ...: ", "Little or no difference in ...: "."""
    where = _in_people(c, lead)
    if (tested := as_good_opening(lead, asked=c.asked.direction == AS_GOOD, to_say_yes=is_exact(c, lead))) is not None:
        return f"{tested}{where}: "
    match lead.verdict:
        case _V.LITTLE_OR_NO_DIFFERENCE:
            return f"Little or no difference{where}: "
        case _V.NOT_SHOWN:
            return f"Not shown{where}: "
        case _V.BENEFIT | _V.HARM:
            answer = yes_or_no(c, lead)
            harm = "harm" if lead.verdict is _V.HARM else ""
            said = ", ".join(part for part in (answer, harm) if part) or (where and "Found")
            return f"{said[:1].upper()}{said[1:]}{',' if answer and where else ''}{where}: " if said else ""
        case _:
            found = "Found" if lead.effect is not None else "Reported"  # figures alone tell not how sure they are
            return f"{found}{where}: " if where else ""


def _told(r: StudyResult, c: Conclusion) -> str:
    """ "death from any cause was less frequent with X than with placebo in people ...: 11.6% v 13.9%, HR ..."."""
    outcome = lower_first(r.outcome)
    sides = _sides(r, c)
    if r.people and r.people.startswith(("with", "without")):
        where = f" ({r.people})"
    else:
        where = in_group(r.people) if r.people else ""
    figures = "; ".join(part for part in (figures_in_words(r), absolute_in_words(r)) if part)
    return f"{outcome}{_how(r)}{sides}{where} in {r.study}: {figures}"


def _how(r: StudyResult) -> str:
    if r.verdict in _UNDECIDED and not is_worse_within(r):
        return ""
    direction = direction_of(r)
    more, less = ("more frequent", "less frequent") if _counts_events(r) else ("higher", "lower")
    head = _HEAD.split(r.outcome, maxsplit=1)[0]
    verb = "were" if _PLURAL.search(head) or " and " in head else "was"
    return f" {verb} {less if direction == 'lower' else more}"


def _counts_events(r: StudyResult) -> bool:
    return r.effect is None or r.effect.measure.upper() not in {"MD", "SMD", "WMD"}


def _sides(r: StudyResult, c: Conclusion) -> str:
    if len(r.comparison) != 2:
        return ""
    first, second = sides_among(r, c.results, c.asked.doses)
    if r.verdict in _UNDECIDED and not is_worse_within(r):
        return f" with {first} or with {second}"
    return f" with {first} than with {second}"


def _caveat(r: StudyResult) -> str:
    if (told := of_test(r)) is not None:
        return told
    if r.analysis and _PER_PROTOCOL.search(r.analysis):
        return f" ({in_analysis(r.analysis)})"
    if r.verdict is _V.LITTLE_OR_NO_DIFFERENCE and r.effect is not None:
        limits = thresholds_of(read_outcome(r.outcome))
        return f" (the whole interval lies between {limits.low:g} and {limits.high:g})"
    if r.verdict is _V.NOT_SHOWN:
        return "; the interval holds no difference and a worthwhile one" if _counts_events(r) else _NO_DIFFERENCE
    return ""


_NO_DIFFERENCE = "; the interval holds no difference"
"""Of means: how much of one matters is the instrument's matter."""


def _also_asked(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """Each other outcome that was asked about, with its result; where none was found, that is said."""
    said: list[StudyResult] = []
    of_each = {text: read_outcome(text) for text in c.asked.outcome}
    untold = unled(lead, list(of_each.values()))
    for text, asked in of_each.items():
        if asked not in untold or not any(atom.things for atom in asked.atoms):
            continue
        result = next((r for r in c.others if fit_of(read_outcome(r.outcome), asked) in NEAR), None)
        if result is None and text in c.untold:
            yield Line(f"Of {text} no result was found beside it.")
        elif result is not None and result not in said:
            said.append(result)
            opening = _OPENINGS.get(result.verdict, "")
            words = _told(result, c)
            yield Line(f"{opening}{words if opening else words[:1].upper() + words[1:]}{_caveat(result)}.", (result.n,))


_OPENINGS = {_V.LITTLE_OR_NO_DIFFERENCE: "Little or no difference: ", _V.NOT_SHOWN: "Not shown: ", _V.HARM: "Harm: "}


def _whole(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """Beside a part of a source's people all of them: a difference between parts may be chance."""
    if not lead.is_subgroup:
        return
    outcome = read_outcome(lead.outcome)
    for other in c.others:
        if other.n == lead.n and not other.is_subgroup and fit_of(read_outcome(other.outcome), outcome) is Fit.ASKED:
            yield Line(f"In all of its people: {figures_in_words(other)}.", (other.n,))
            return


def _parts(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """Subgroups of the same source that do not all point the way of the whole."""
    if lead.is_subgroup:
        return
    own = [r for r in c.others if r.n == lead.n and r.is_subgroup and r.effect is not None and r.people]
    if own:
        told = "; ".join(f"{r.people}, {effect_in_words(r.effect)}" for r in own if r.effect is not None)
        yield Line(f"By subgroup: {told}.", (lead.n,))


def _alone_elsewhere(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """The asked outcome by itself, where only wider evidence has it: of the drug's class, or of it with others."""
    if lead.outcome_fit is not Fit.WIDER or lead.comparison_fit is Fit.WIDER:
        return
    for other in c.others:
        if other.outcome_fit in {Fit.ASKED, Fit.PART} and other.comparison_fit is Fit.WIDER:
            yield Line(f"Wider, not of this drug alone: {_told(other, c)}{_caveat(other)}.", (other.n,))
            return


def _composite(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """The composite of the same source that the asked outcome is a part of; what leads, with another dose."""
    for other in c.others:
        if other.n == lead.n and other.components and other.outcome_fit is Fit.WIDER and not other.harm:
            figures = "; ".join(part for part in (figures_in_words(other), absolute_in_words(other)) if part)
            name = lower_first(other.outcome).removesuffix(" (composite)")
            sides = sides_among(other, c.results)
            if sides != sides_among(lead, c.results) and other.outcome == lead.outcome:
                yield Line(f"With {' v '.join(sides)}: {figures}.", (other.n,))
                return
            yield Line(f"Its composite of {name}: {figures}.", (other.n,))
            return


def _in_words(c: Conclusion) -> Iterator[Line]:
    """The sentence that is likely to be asked for, where the result that leads is not certain to be."""
    if c.in_words is not None:
        yield Line(f"Closest to the question in words: {c.in_words.text}", (c.in_words.n,))


def _basis(c: Conclusion, lead: StudyResult) -> Iterator[Line]:
    """What a certainty would rest on; nobody rates it here."""
    facts = [f"{c.n_studies} source{'s' if c.n_studies != 1 else ''} of this comparison and outcome"]
    people = f"{c.n_people:,} people" if c.n_people is not None else ""
    events = f"{c.n_events:,} events" if c.n_events is not None else ""
    if counts := " and ".join(part for part in (people, events) if part):
        facts.append(counts if c.n_studies == 1 else f"{counts} in the first")
    newest = f"; the newest source is from {c.newest_year}" if c.newest_year else ""
    yield Line(f"Certainty not rated: it would rest on {', '.join(facts)}{newest}.")
