"""Figures that a sentence tells of the arms of its source, which the sentence names in short, in part, or not again.

"A occurred in 5% with the low target and 9% with the high one, and B in 1% and 3%": the figures of B are of the same
arms in the same order. "B (29% versus 34%) was less frequent with X": the other arm is the one that the source set
against X. "B (9% versus 8%) did not differ": the tested arm first. Words and figures that go different ways, and a row
whose arms are not known, make nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from openwork_contracts.evidence import EffectEstimate

from openwork_answers.arms import is_control_name
from openwork_answers.excluded import add_up, is_change
from openwork_answers.figures import VERSUS, contradicts, turned
from openwork_answers.found import Found, is_a_side, times_in
from openwork_answers.outcome_before import LEAD, outcome_before
from openwork_answers.outcomes_by_place import is_no_share
from openwork_answers.rates import rates_in
from openwork_answers.reported import Arm
from openwork_answers.shares import Share, opening_of
from openwork_answers.source_arms import SourceArms

_I = re.IGNORECASE
_BRACKETS = re.compile(r"\([^()]*\)")
_PEOPLE = r"(?:people|patients|participants|women|men|children|infants|adults|babies|those|events|cases)"
_COUNTED = rf"(?:\d[\d,]*(?:\s+{_PEOPLE})?\s*[(,]\s*)?"
_VERB = (
    r"(?:also\s+)?(?:(?:was|were)(?:\s+(?:\w+ly\s+)?(?:reported|found|seen|observed|needed|used|started|confirmed|recorded))?"
    r"|occurred|developed|came|happened)"
)
_BEFORE_FIGURE = re.compile(rf"(?:\s+{_VERB})?(?:\s+(?:in|at|among|to))?\s+{_COUNTED}$", _I)
"""What stands between an outcome and its figures: "occurred in", "in 23 people (24%)"."""
_AND = re.compile(rf"%?\)?,?\s+(?:and\s+)?{_COUNTED}", _I)
"""Between two figures that follow each other, with nobody named."""
_END = re.compile(r"%?\)?(?:\s*[,;.(]|\s+(?:and|but|while)\s|\s*$)", _I)
"""Behind the last figure of a row, where no arm is named."""
_AT_A_TIME = re.compile(r"\s*(?:at|by|within)\s", _I)
_SEVERAL = re.compile(
    r"\sand\s|\bpresent$|\b(?:one|two|\d+)[- ](?:year|month|day)\b.*\b(?:one|two|\d+)[- ](?:year|month|day)\b", _I
)
_RESPECTIVELY = re.compile(r"%?\)?,?\s*(?:respectively|depending)\b", _I)
_ARM_END = re.compile(
    r"[,;(]|\.(?:\s|$)|\s(?:and|but|while|whereas|compared|versus|than|over|within|during|at|by)\s|$", _I
)
"""Where the name of an arm behind its figure ends."""
_BOUNDARY = re.compile(r"[,;]\s+(?:(?:and|while|but)\s+)?|\s+(?:and|while|but)\s+", _I)
"""Where what is counted begins, behind the figures of something else."""
_CLAUSE = re.compile(r";\s+|,?\s+(?:but|whereas|while|although|however)\s+", _I)
_SAME = re.compile(r"\b(?:differ\w*|similar\w*|equally|as\s+frequent|about\s+the\s+same)\b", _I)
_WHO = r"(?:people|patients|participants|women|men|children|infants|adults|babies|girls|boys|smokers|those)(?!'|’)"
_OPENS_WITH = re.compile(
    rf"(?:^|,\s+)(?:in|among)\s+(?P<who>(?:the\s+)?(?:(?:[^\s,]|,(?=\S))+\s+){{0,5}}?{_WHO}\b(?:[^,]|,(?=\S)){{0,120}}?),\s+",
    _I,
)
""" "Among [women], ...", "In REDUCE, in [people with asthma], ..."."""
_IN_WHOM = re.compile(
    rf"\s(?:(?:in|among)\s+(?P<who>(?!\d)(?:the\s+)?(?:[\w,.-]+\s+){{0,3}}?{_WHO}\b[^;()]*?)"
    r"|(?P<after>(?:after|before)\s+(?:stopping|starting)\b[^;()]*?))\s*$",
    _I,
)
"""Before a bracket with figures: "in the 630 people with ...", no count of people."""
_IS_PERCENT = re.compile(r"\s?%")
_MEAN = re.compile(r"\b(?:mean|median|average)\b", _I)
_UNIT_BEHIND = re.compile(r"^%?\)?(?:\s+(?:events?\s+)?per\s+[\d,]+\s+[\w-]+)?")
_NEXT_TOLD = re.compile(r",\s+(?:and|while|but|without|whereas)\b|;|\d\s?%|\d\s+of\s+\d", _I)
_OR_LATER = re.compile(r"\s+or\s+(?:later|earlier|more|longer)\b", _I)
_THAN = re.compile(r"\b(?:than|versus|relative\s+to|compared\s+(?:with|to)|as\s+(?:with|in|on|after))\b", _I)
_BOTH_WAYS = re.compile(r"\bwith\s+(?:and|or)\s+without\b", _I)
_PERCENT = re.compile(
    r"\d\s?%(?!\)?\s+(?:or\s+(?:more|less|higher|lower|above|below)|fall|decline|decrease|reduction|rise|increase))", _I
)
_GOES_ON = re.compile(r"%?\)?[^,;()]*?(?:,\s+(?:and\s+)?|\s+and\s+)", _I)
"""Between a row and one more figure of it."""


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect with its interval, and where it stands."""

    start: int
    end: int
    estimate: EffectEstimate


def is_set_against(clause: str, at: int) -> bool:
    """Whether the first arm of a clause, at a place, is what the other is compared with: "compared with B, A ..."."""
    than = _THAN.search(clause)
    return than is not None and than.start() < at


def with_those_beside(reading: Reading, found: Sequence[Found]) -> tuple[Found, ...]:
    """What a sentence was read to tell, with what it tells of the arms of its source besides.

    Args:
        found: what was read of it; an effect without arms gets those whose figures stand before it.
    """
    free = _free(reading.shares, found)
    first = min((share.start for share in reading.shares), default=0)
    who = reading.people_at(0) or reading.in_whom_it_occurred(first)
    told = [replace(one, people=who) if one.people is None else one for one in found]
    rows = [*reading.named(free), *reading.of_brackets(free), *reading.continued(free, found)]
    for row, own, outcome in sorted(rows, key=lambda one: one[1][0].per is not None):  # counts before rates of the same
        if len(own) == 2:
            effect = reading.effect_behind(row)
            if effect is not None and turned(own, effect) is not False:
                continue
            place = next((i for i, one in enumerate(told) if one.effect and one.effect == effect), None)
            if place is not None:
                if not told[place].arms and _is_same(told[place].outcome, outcome):
                    told[place] = _with_arms(told[place], own, outcome, reading.people_at(row[0].start))
                continue
        else:
            effect = None
        time = reading.time_of(row, outcome)
        who = reading.people_at(row[0].start) or reading.in_whom_it_occurred(row[0].start)
        controls = [arm for arm in own if is_control_name(arm.name)]
        last = max(own, key=lambda arm: reading.arms.names.index(arm.name))
        control = own[-1] if len(own) == 2 else controls[0] if len(controls) == 1 else last
        tested = [one for one in own if one is not control]
        told += [Found(outcome, (one.name, control.name), (one, control), effect, time, who) for one in tested]
    return tuple(told)


def _is_same(one: str, other: str) -> bool:
    """Whether two names of an outcome hold each other."""
    return one.casefold() in other.casefold() or other.casefold() in one.casefold()


def _with_arms(found: Found, arms: tuple[Arm, ...], outcome: str, people: str | None) -> Found:
    """An effect with the figures of its arms; where its outcome was read in part, with the whole of its name."""
    is_longer = outcome.casefold().startswith(f"{found.outcome} ".casefold())
    whole = outcome if is_longer else found.outcome
    return replace(found, arms=arms, comparison=(arms[0].name, arms[1].name), outcome=whole, people=people)


_OCCURRED = re.compile(
    r"[a-z]\s(?:in|among)\s(?:the\s)?(?P<who>(?:people|patients|participants|women|men|adults|children|those)\s"
    r"(?:with|without|on|aged|who|under|over)\s[^,;()]{3,80}?)\s(?:occurred|was|were|developed|happened)\s[^,;()]*$",
    re.IGNORECASE,
)


def with_rates(sentence: str, shares: Sequence[Share]) -> list[Share]:
    """Shares of people, and rates, in their order."""
    rates = list(rates_in(sentence))
    counted = [s for s in shares if s.arm.events is not None or "%" in sentence[s.start : s.end + 1]]
    shared = [s for s in counted if not any(s.start < rate.end and rate.start < s.end for rate in rates)]
    since = min((rate.start for rate in rates if _IS_PERCENT.match(sentence, rate.end)), default=len(sentence))
    shared = [s for s in shared if s.start < since or s.arm.events is not None]  # percentages of a year, all of them
    return sorted((*shared, *rates), key=lambda share: share.start)


def _free(shares: Sequence[Share], found: Sequence[Found]) -> list[Share]:
    """Figures that no result has."""
    taken = [_figure(arm) for one in found for arm in one.arms]
    free = []
    for share in shares:
        own = _figure(share.arm)
        if own in taken:
            taken.remove(own)
        else:
            free.append(share)
    return free


def _figure(arm: Arm) -> tuple[int, int] | str | float | None:
    if arm.per is not None:
        return f"{float(arm.percent or 0):g} a time"
    if arm.events is not None and arm.n is not None:
        return arm.events, arm.n
    return float(arm.percent) if arm.percent is not None else None


_Row = tuple[Sequence[Share], tuple[Arm, ...], str]
"""Figures, the arms that they are of, and what they count."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, its figures and the arms of its source."""

    sentence: str
    shares: Sequence[Share]
    """Of people, and rates, in their order."""
    effects: Sequence[Effect]
    """In their order."""
    arms: SourceArms

    def clause(self, at: int) -> str:
        marks = [m for m in _CLAUSE.finditer(self.sentence) if not opening_of(self.sentence, m.start())]
        start = max((m.end() for m in marks if m.end() <= at), default=0)
        return self.sentence[start : min((m.start() for m in marks if m.start() >= at), default=len(self.sentence))]

    def bare_clause(self, at: int) -> str:
        """The clause of a place without what stands in brackets."""
        return _BRACKETS.sub("", self.clause(at))

    def before(self, at: int) -> str:
        """What stands before a place, from the bracket before it on."""
        return re.sub(r"^.*[)\]]", "", self.sentence[:at], flags=re.DOTALL)

    def people_at(self, at: int) -> str | None:
        """Of whom figures are, by what opens the sentence or stands before their bracket; `None` = it does not say."""
        opening = opening_of(self.sentence, at)
        lead = LEAD.match(self.sentence)
        opens = [m["who"] for m in _OPENS_WITH.finditer(self.sentence, 0, lead.end())] if lead else []
        beside = _IN_WHOM.search(self.before(opening - 1), lead.end() if lead else 0) if opening else None
        who = (*opens, *((beside["who"] or beside["after"],) if beside else ()))
        return ", ".join(one.strip() for one in who) or None

    def in_whom_it_occurred(self, at: int) -> str | None:
        """ "Major bleeding in [people with gastric cancer] occurred in 36%"."""
        event = _OCCURRED.search(self.sentence, 0, at)
        return event["who"] if event else None

    def time_of(self, row: Sequence[Share], outcome: str) -> str | None:
        """The time point that stands with a row: behind what it counts, else around its figures."""
        at = self.sentence.rfind(outcome, 0, row[0].start)
        beside = self.sentence[max(0, at) : row[0].start]
        if times_in(beside):
            return self.time_in(beside)
        return self.time_around(row[-1].end)

    def time_around(self, end: int) -> str | None:
        """The time point behind figures, before anything else is told, or what opens the sentence."""
        behind = re.sub(r"^[^()]*\)|\([^()]*\)", " ", self.sentence[end:])
        stop = _NEXT_TOLD.search(behind)
        opens = LEAD.match(self.sentence)
        told = self.time_in(behind[: stop.start()] if stop else behind)
        return told or (self.time_in(opens[0]) if opens else None)

    def time_in(self, text: str) -> str | None:
        """The first time point; `None` where it is how long an arm was treated, or "34 weeks or later"."""
        time = next(iter(times_in(text)), None)
        at = text.find(time) + len(time) if time else 0
        return None if time is None or self.arms.places(time) or _OR_LATER.match(text, at) else time

    def effect_behind(self, row: Sequence[Share]) -> EffectEstimate | None:
        """The effect that stands in the bracket of a row, or in the one behind it; rates may stand between."""
        end = row[-1].end
        behind = next((effect for effect in self.effects if effect.start >= end), None)
        own = [share for share in self.shares if share.arm.per is None or row[0].arm.per is not None]
        if behind is None or any(end <= share.start < behind.start for share in own):
            return None
        opening = opening_of(self.sentence, behind.start)
        if not opening:
            return None
        if opening == opening_of(self.sentence, end):
            return behind.estimate
        outside = re.sub(r"^[^()]*\)|\([^()]*\)", "", self.sentence[end : opening - 1])
        return None if _BOUNDARY.search(outside) else behind.estimate

    def named(self, free: Sequence[Share]) -> Iterator[_Row]:
        """Rows of which each figure has its arm behind it: "7.9% of people on A and 3.5% of people on B"."""
        for row, own in self._with_arms_behind(free):
            yield from self._counted(row, own)

    def _with_arms_behind(self, free: Sequence[Share]) -> Iterator[tuple[list[Share], list[int]]]:
        i = 0
        while i < len(free):
            row: list[Share] = []
            own: list[int] = []
            for share in free[i:]:
                until = free[i + len(row) + 1].start if i + len(row) + 1 < len(free) else len(self.sentence)
                arm = None if row and self._is_apart(row[-1], share) else self._arm_behind(share, until)
                if arm is None or arm in own:
                    break
                row.append(share)
                own.append(arm)
            i += max(1, len(row))
            if len(row) < 2 or (i < len(free) and _GOES_ON.fullmatch(self.sentence[row[-1].end : free[i].start])):
                continue  # an arm that is not known is told of, too
            if not opening_of(self.sentence, row[0].start) or self._is_only_percent(row[0]):
                yield row, own

    def _is_apart(self, one: Share, other: Share) -> bool:
        return ";" in self.sentence[one.end : other.start]

    def _is_only_percent(self, share: Share) -> bool:
        opening = opening_of(self.sentence, share.start)
        return not self.sentence[opening : share.start].strip()

    def _arm_behind(self, share: Share, until: int) -> int | None:
        behind = _UNIT_BEHIND.sub("", self.sentence[share.end : until])
        if _AT_A_TIME.match(behind):
            return None
        end = _ARM_END.search(behind, 1)
        while end and self.arms.only(behind[: end.start()]) is None and end[0].strip(" ,") in {"and", "at"}:
            end = _ARM_END.search(behind, end.end())
        return self.arms.only(behind[: end.start()] if end else behind)

    def of_brackets(self, free: Sequence[Share]) -> Iterator[_Row]:
        """Two figures of one bracket that are set against each other."""
        if len(self.arms.names) != 2:
            return
        for first, second in pairwise(free):
            opening = opening_of(self.sentence, first.start)
            if not opening or opening != opening_of(self.sentence, second.start):
                continue
            order = self.order(first.start)
            if order is None or not VERSUS.search(self.sentence[first.end : second.start]):
                continue
            before = self.before(opening - 1)
            if _MEAN.search(self.sentence, opening, first.start):
                continue
            yield from self._of(before, (first, second), order, bare=self.bare_clause(opening))

    def order(self, at: int) -> tuple[int, int] | None:
        """Of the two arms that which the clause names first, or alone; as the source has them where it says that they
        were alike."""
        clause = self.bare_clause(at)
        places = self.arms.places(clause)
        if not places:
            clause = clause if _SAME.search(clause) else _BRACKETS.sub("", self.sentence)
            places = self.arms.places(clause)
        if not places or _BOTH_WAYS.search(clause):
            return (0, 1) if _SAME.search(clause) else None
        first = min(places, key=places.__getitem__)
        if is_set_against(clause, places[first]):
            return 1 - first, first  # "compared with B, A ..."; of one before it, only that it is not this is known
        return None if len(places) == 1 and first else (first, 1 - first)

    def continued(self, free: Sequence[Share], found: Sequence[Found]) -> Iterator[_Row]:
        """Rows behind one whose arms are named, and those of a sentence that names no arm."""
        anchor, end = self._anchor(found)
        i = 0
        while i < len(free):
            order = anchor if anchor and end <= free[i].start else None
            if order is None and not self.arms.places(LEAD.sub("", self.sentence)):
                order = tuple(range(len(self.arms.names)))
            row = free[i : i + len(order or ())]
            i += 1
            if order is None or len(row) < len(order) or not self._is_row(row) or self._is_of_several(row):
                continue
            i += len(row) - 1
            yield from self._counted(row, order)

    def _anchor(self, found: Sequence[Found]) -> tuple[tuple[int, ...] | None, int]:
        """The arms in the order in which the sentence names them beside figures, and where the last one stands."""
        if (first := next(self._with_arms_behind(self.shares), None)) is not None:
            return tuple(first[1]), first[0][-1].end
        for one in found:
            own = [self.arms.only(arm.name) for arm in one.arms]
            places = [self.sentence.find(arm.name) for arm in one.arms]
            if len(own) == 2 and None not in own and own[0] != own[1] and min(places) >= 0:
                pairs = sorted(zip(places, own, strict=True))
                return tuple(arm for _, arm in pairs if arm is not None), pairs[-1][0]
        return None, 0

    def _is_of_several(self, row: Sequence[Share]) -> bool:
        """Whether the figures of a row are of as many outcomes, times or groups: "death and stroke in 5% and 3%"."""
        counted = _BEFORE_FIGURE.sub("", self._part(row[0]))
        return bool(_SEVERAL.search(counted) or _RESPECTIVELY.match(self.sentence[row[-1].end :]))

    def _is_row(self, row: Sequence[Share]) -> bool:
        """Whether figures follow each other without a name, up to the end of what they are told of."""
        for one, other in pairwise(row):
            between = self.sentence[one.end : other.start]
            if not _AND.fullmatch(between) or (other is row[-1] and " and " not in between):
                return False
        if opening_of(self.sentence, row[0].start) and not self._is_only_percent(row[0]):
            return False
        return _END.match(self.sentence[row[-1].end :]) is not None

    def _counted(self, row: Sequence[Share], order: Sequence[int]) -> Iterator[_Row]:
        """A row outside of brackets, with what stands before it as what it counts."""
        before = _BEFORE_FIGURE.sub("", self._part(row[0]))
        yield from self._of(before, row, order, bare=before)

    def _of(self, before: str, row: Sequence[Share], order: Sequence[int], *, bare: str) -> Iterator[_Row]:
        arms = tuple(replace(share.arm, name=self.arms.names[arm]) for share, arm in zip(row, order, strict=True))
        outcome = outcome_before(before, self.arms)
        if outcome is None or is_no_share(outcome, before) or is_change(before) or is_a_side(outcome, self.arms.names):
            return
        against = VERSUS.search(self.sentence[row[0].end : row[-1].start])
        if len(arms) == 2 and (
            contradicts(bare, arms)
            or (not against and row[0].arm.per is None and add_up([share.quantity for share in row], ""))
        ):
            return
        yield row, arms, outcome

    def _part(self, first: Share) -> str:
        """What stands before a row, from where it begins behind the figures of something else."""
        before = self.sentence[: first.start]
        opening = opening_of(self.sentence, first.start)
        figures = list(_PERCENT.finditer(before, 0, opening or len(before)))
        if not figures:
            last = max((m.end() for m in re.finditer(r";\s+", before) if not opening_of(before, m.start())), default=0)
            return LEAD.sub("", before[last:])
        bare = _BRACKETS.sub(lambda m: " " * len(m[0]), before)
        boundary = _BOUNDARY.search(bare, figures[-1].end())
        return before[boundary.end() :] if boundary else ""
