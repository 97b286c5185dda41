"""Statements about the sources as a set, held against their records: years, designs, statuses, how many there are.

The program makes such statements of its run by itself; whoever else makes one is checked. What a record speaks against
is contradicted; what the records bear out is nothing that a passage could say; of all else nobody here can tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.notation import group
from openwork_knowledge.statuses import is_void

from openwork_verifier.domain.claims import is_about_the_set
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.own_statements import OwnStatements
from openwork_verifier.domain.set_records import SetRecord, is_of_kind
from openwork_verifier.domain.set_statements import ANY, Quantity, SetStatement, Years, read_statement

_CODE = ReasonCode.EVIDENCE_SET_DIFFERS
_MARKER = re.compile(rf"\b{group('evidence-set', 'marker')}\b", re.IGNORECASE)
_MARKER_BESIDE_CITATION = re.compile(rf"\b{group('evidence-set', 'marker beside a citation')}\b", re.IGNORECASE)
_OWN_FORM = re.compile(
    r"the evidence found (?:contains no [^.;]+"
    r"|includes an? [^:;]+: .+|is limited by an expression of concern[^:;]+: .+)",
    re.IGNORECASE | re.DOTALL,
)
"""How the program speaks of a run; the words are those of the synthesiser's `limitations`."""
_PLURAL = re.compile(r"(?:y|is|)$")
_MOST_SHOWN = 3
"""Sources that a reason names."""
_NOT_TOLD = "the records of the sources neither bear this out nor deny it"
_NOT_OF_THIS_RUN = "this run's own assessment of its sources does not say so"


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """The sources that a text may speak of."""

    records: tuple[SetRecord, ...]
    own: OwnStatements | None = None
    """What the program of this run may say of them; `None` = the text is from outside a run."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A statement beside the records."""

    holds: bool | None
    """`None` = they do not tell."""
    why: str = _NOT_TOLD
    by_more: bool = False
    """Refuted by what is there, not by what is missing: then it is refuted of the world too."""


def check_evidence_set(
    text: str, citations: Sequence[int], known: EvidenceSet, titles: Sequence[str] = ()
) -> tuple[Finding, ...] | None:
    """What the records say of a statement about them; empty = nothing against it; `None` = it is no such statement.

    Args:
        text: a sentence without its marks.
        citations: its marks; with them only a sentence is meant that names "the cited sources": those that it cites.
        known: the sources, and in a run what its program may say of them.
        titles: of the evidence; to name a source by its title is to claim nothing.
    """
    said = read_statement(text)
    if citations:
        cited = [record for record in known.records if record.n in citations]
        if said is None or not cited or not _MARKER_BESIDE_CITATION.search(text):
            return None
        return _findings(_held(said, cited))
    about = is_about_the_set(text, titles)
    if said is None and not about:
        return None
    held = _held(said, known.records) if said is not None else _Held(None)
    if not about and not _MARKER.search(text):
        # "There are only two trials": of the world, unless the set alone has more.
        return _findings(held) if held.holds is False and held.by_more else None
    if held.holds is not False and known.own is not None:
        return () if known.own.says(text) else _findings(_Held(None, _NOT_OF_THIS_RUN))
    if held.holds is None and _OWN_FORM.fullmatch(text.strip().rstrip(".")):
        return ()
    return _findings(held)


def _findings(held: _Held) -> tuple[Finding, ...]:
    if held.holds:
        return ()
    refuted = held.holds is False
    return (Finding(_CODE, held.why, proof=refuted, otherwise=refuted),)


def _held(said: SetStatement, records: Sequence[SetRecord]) -> _Held:
    """The statement beside these records."""
    if said.n_all is not None and said.n_all != len(records):
        return _Held(False, f"there are {len(records)} sources, not {said.n_all}")
    if said.quantity in {Quantity.NEWEST, Quantity.OLDEST}:
        return _held_of_years(said, records)
    whole = [(record, is_of_kind(record, said.among)) for record in records]
    told = [
        (record, _both(of, _both(is_of_kind(record, said.kind), _is_from(record, said.years)))) for record, of in whole
    ]
    yes = [record for record, is_so in told if is_so]
    open_ = [record for record, is_so in told if is_so is None]
    match said.quantity:
        case Quantity.NONE:
            return _counted(said, 0, yes, open_)
        case Quantity.EXACTLY | Quantity.AT_LEAST:
            return _counted(said, said.n, yes, open_)
        case Quantity.MOST:
            return _most([record for record, of in whole if of is not False], yes, open_)
        case _:
            return _all(said, whole)


def _counted(said: SetStatement, n: int, yes: Sequence[SetRecord], open_: Sequence[SetRecord]) -> _Held:
    if len(yes) > n and said.quantity is not Quantity.AT_LEAST:
        why = f"{_named(yes)} {_is_or_are(yes)} {_in_words(said, many=len(yes) > 1)}"
        return _Held(False, why, by_more=True)
    able = len(yes) + len(open_)
    if able < n:
        return _Held(False, f"at most {able} of the sources can be {_in_words(said, many=True)}")
    if said.quantity is Quantity.AT_LEAST and len(yes) >= n:
        return _Held(True)
    return _unknown(open_) if open_ else _Held(True)


def _all(said: SetStatement, whole: Sequence[tuple[SetRecord, bool | None]]) -> _Held:
    told = [(r, of, _both(is_of_kind(r, said.kind), _is_from(r, said.years))) for r, of in whole if of is not False]
    others = [r for r, of, is_so in told if of and is_so is False]
    if others:
        return _Held(False, f"{_named(others)} {_is_or_are(others)} not {_in_words(said, many=len(others) > 1)}")
    open_ = [r for r, of, is_so in told if is_so is None or (of is None and not is_so)]
    return _unknown(open_) if open_ or not told else _Held(True)


def _most(whole: Sequence[SetRecord], yes: Sequence[SetRecord], open_: Sequence[SetRecord]) -> _Held:
    if 2 * len(yes) > len(whole):
        return _Held(True)
    if 2 * (len(yes) + len(open_)) <= len(whole):
        return _Held(False, f"{len(yes)} of {len(whole)} sources")
    return _unknown(open_)


def _held_of_years(said: SetStatement, records: Sequence[SetRecord]) -> _Held:
    newest = said.quantity is Quantity.NEWEST
    of_kind = [(r, is_of_kind(r, said.kind)) for r in records if not is_void(r.status)]
    beyond = [r for r, of in of_kind if of and r.year is not None and (r.year > said.n if newest else r.year < said.n)]
    if beyond:
        return _Held(False, f"{_named(beyond)} is from {beyond[0].year}", by_more=True)
    able = [r for r, of in of_kind if of is not False]
    if not any(r.year in {None, said.n} for r in able):
        return _Held(False, f"no such source is from {said.n}")
    open_ = [r for r, of in of_kind if of is not False and (of is None or r.year is None)]
    return _unknown(open_) if open_ else _Held(True)


def _is_from(record: SetRecord, years: Years | None) -> bool | None:
    """Whether a source is from these years. One that was withdrawn is out of the set that years are said of."""
    if years is None:
        return True
    if record.year is None or is_void(record.status):
        return None
    return years.first <= record.year <= years.last


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _unknown(open_: Sequence[SetRecord]) -> _Held:
    return _Held(None, f"the records do not tell it of {_named(open_)}" if open_ else _NOT_TOLD)


def _named(records: Sequence[SetRecord]) -> str:
    more = len(records) - _MOST_SHOWN
    return ", ".join(record.named for record in records[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _is_or_are(records: Sequence[SetRecord]) -> str:
    return "is" if len(records) == 1 else "are"


def _in_words(said: SetStatement, *, many: bool) -> str:
    kind = "source" if said.kind == ANY else said.kind
    if many:
        kind = _PLURAL.sub(lambda ending: {"y": "ies", "is": "es"}.get(ending[0], "s"), kind, count=1)
    else:
        kind = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    match said.years:
        case None:
            return kind
        case Years(first, last) if first == last:
            return f"{kind} from {first}"
        case Years(first, last) if last == Years().last:
            return f"{kind} from {first} or later"
        case Years(_, last):
            return f"{kind} from {last} or earlier"
