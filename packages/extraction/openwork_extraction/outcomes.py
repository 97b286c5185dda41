"""How well the headings of a row name the outcome that was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.tables import Table

from openwork_extraction.forms import matched
from openwork_extraction.labels import LabelKind, is_figure, is_whole
from openwork_extraction.names import CHANGED, Names, bare, outcome_score, overlap, total
from openwork_extraction.records import TIMES, Record

_CAPTION = 0.1
"""Most that a caption adds to the fit of a row."""
_LEAST_BY_CAPTION = 0.85
"""Share of what was asked that a caption has to say where no row says any of it."""
_SUBJECT_ENDS = re.compile(
    r"\b(?:in|by|at|for|among|between|during|after|from|according|depending)\b|[,.;:(]", re.IGNORECASE
)
"""What a caption is about stands before these."""
_OWN_SHORT_FORM = re.compile(r"\s*[(\[]\s*(?P<short>[A-Za-z0-9][\w./+-]{1,11})\s*[)\]]")
"""What was asked gives its own short form: "peak expiratory flow (PEF)"."""


_MOST_OF_A_LETTER = 2
"""Characters of a row that is called by a letter or a number: the head of its column says of what, "Ward" over "B"."""

_DENIES = re.compile(r"[\W\d]*(?:no|not|without)\s+(?!of\b|one\b)[a-z]{3}", re.IGNORECASE)
"""Of a heading that begins with a denial: "No relapse" is not "relapse"; "No. of relapses" and "No (%)" are counts."""

_AMONG = re.compile(r"\b(?:among|of\s+(?:those|whom|which)|in\s+those)\W*$", re.IGNORECASE)
"""At the end of a heading over rows that are the people it was counted among, and not what was counted."""

_SPELT = Names()


def spellings(outcome: str) -> tuple[str, ...]:
    """Ways to call an outcome: as asked without its times, without the short form that it gives, that form alone."""
    timeless = without_times(outcome)
    match = _OWN_SHORT_FORM.search(timeless)
    if match is None or not any(c.isupper() or c.isdigit() for c in match["short"]):
        return (timeless,)
    long = (timeless[: match.start()] + " " + timeless[match.end() :]).strip()
    short = match["short"] if not _SPELT.words(timeless[match.end() :]) else ""
    return tuple(dict.fromkeys(text for text in (timeless, long, short) if text))


def without_times(text: str) -> str:
    """A name without the times it tells, unless it is nothing else."""
    rest = " ".join(TIMES.sub(" ", text).split()).strip(" ,;-")
    return rest if re.search(r"[A-Za-z]{2}", rest) else text


def is_time_asked(time: str | None, outcome: str, names: Names) -> bool:
    """Whether the outcome was asked at a time in the words of a heading: "at the end of surgery"."""
    words = names.words(time) if time else frozenset()
    return bool(words) and words <= names.words(outcome)


def score_all(records: Sequence[Record], outcome: str, names: Names, title: str) -> frozenset[str]:
    """Score each record against a spelling of the outcome.

    Returns:
        The words that were asked.
    """
    headings = [text for record in records for text in (*record.outcome, record.table.caption or "")]
    wanted = _wanted(outcome, names.without(headings), title, records)
    of_rows = names.without([outcome])
    of_tables = {record.table: of_rows.with_notes(record.table.footnotes).without([outcome]) for record in records}
    printed = {
        piece
        for record in records
        for text in (*record.outcome, record.table.caption or "")
        for piece in of_tables[record.table].pieces(text)
    }
    forms = matched(names.without(headings).pieces(outcome), printed)
    wanted = frozenset(forms.get(word, word) for word in wanted)
    denied = _DENIES.match(outcome) is not None
    for record in records:
        _score(record, wanted, of_tables[record.table])
        if denied is not any(map(_DENIES.match, record.outcome)):
            record.score = 0.0
    return wanted


def _wanted(outcome: str, names: Names, title: str, records: Sequence[Record]) -> frozenset[str]:
    """The words asked of an outcome, without the people that the whole study is about ("... in heart failure")."""
    head, _, tail = outcome.rpartition(" in ")
    people = names.words(tail)
    in_rows = frozenset().union(*(names.words(text) for record in records for text in record.outcome))
    if head and people and people <= names.words(title) and not people & in_rows:
        return names.words(head)
    return names.words(outcome)


def _score(record: Record, wanted: frozenset[str], names: Names) -> None:
    """How well the headings of a record name the outcome.

    Words that the caption has and no row of its table are said for every row, and are not asked of a row. Where rows
    are only times, or the whole and its parts, the caption is what was measured.
    """
    own, around, units = _words_of(record, names)
    if record.time is not None:  # "at the end of surgery" is asked of the time, not of the row
        at = names.words(record.time.text) & wanted
        wanted = wanted - at if wanted - at else wanted
    record.own, record.around, record.units = own, around | units, units
    caption = names.words(record.table.caption or "")
    record.said = caption & wanted
    if not own and not around - {"percent"}:
        subject = names.words(_SUBJECT_ENDS.split(record.table.caption or "", maxsplit=1)[0])
        subject -= _row_words(record.table, names) - wanted  # what other rows name is theirs
        if wanted and overlap(wanted, subject) < _LEAST_BY_CAPTION * total(wanted):
            subject = subject | (caption & wanted)
        recall = overlap(wanted, subject) / total(wanted) if wanted else 0.0
        record.score = outcome_score(wanted, subject, frozenset()) if recall >= _LEAST_BY_CAPTION else 0.0
        record.own = subject
        return
    said = (caption - _row_words(record.table, names)) & wanted
    asked = wanted - said if wanted - said else wanted
    record.score = outcome_score(asked, own, record.around)
    if said:
        record.score = record.score * (1 - _CAPTION) + _CAPTION * total(said) / total(wanted)


def _words_of(record: Record, names: Names) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of the row itself, those of its groups of rows, and those of its units."""
    own: set[str] = set()
    around: set[str] = set()
    units: set[str] = set()
    leaf_is_whole = is_whole(record.leaf)
    for label in record.figures[0][0].labels:
        if label.kind is LabelKind.STATISTIC:
            around |= {"percent"} if "%" in label.text else set()
            around |= names.words(label.text) & {CHANGED}
        if bare(label.text) not in record.outcome:
            continue
        words = names.words(without_times(label.text)) or frozenset({label.text.casefold()})
        if label.axis == "row" and len(bare(label.text)) <= _MOST_OF_A_LETTER:
            words |= names.words(label.above)
        is_section = label.level.startswith("section") and record.leaf != bare(label.text)
        if is_section and not leaf_is_whole and not _AMONG.search(bare(label.text)):
            around |= words
        elif not is_whole(label.text):
            own |= words
            units |= names.every_word(label.text) - words
    return frozenset(own), frozenset(around), frozenset(units - own - around)


def _row_words(table: Table, names: Names) -> frozenset[str]:
    """Words of everything in a table that is no figure."""
    texts = {text for row in table.rows for text in row if text and not is_figure(text)}
    return frozenset().union(*(names.words(text) for text in texts))
