"""Which records are one work. Union-find over pairs that agree, guarded by what must never be one work.

Pairs are tried from the strongest evidence to the weakest (PMID, DOI, PMCID, registration number, label set id,
address, title) and, among equals, in an order that comes from the records themselves, so the result does not depend on
the order in which the sources answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from openwork_normaliser.domain.entries import Entry, comparable_url
from openwork_normaliser.domain.merging import clean_abstract
from openwork_normaliser.domain.thresholds import THRESHOLDS
from openwork_normaliser.domain.titles import NOTICE_KINDS, n_words, same_title


@dataclass(slots=True)
class _Group:
    """What is known of a growing group; two groups whose facts contradict each other are never joined."""

    pmids: set[str] = field(default_factory=set)
    dois: set[str] = field(default_factory=set)
    registrations: set[str] = field(default_factory=set)
    set_ids: set[str] = field(default_factory=set)
    trust: tuple[int, bool] = (0, False)
    """Of its most trusted record."""
    text_trust: tuple[int, bool] | None = None
    """Of the most trusted of its records that have a text; `None` = none has."""


class Joiner:
    """Union-find over entries, in which contradictory groups stay apart."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._parent = list(range(len(entries)))
        self._facts = [_facts_of(entry) for entry in entries]
        self.contradictions: set[tuple[str, str]] = set()
        """(identifier both carry, why they were kept apart) of pairs that an identifier would have joined."""

    def find(self, i: int) -> int:
        """The representative of i's group."""
        while self._parent[i] != i:
            self._parent[i] = self._parent[self._parent[i]]
            i = self._parent[i]
        return i

    def join(self, i: int, j: int, *, shared: str | None) -> bool:
        """Make i and j one work unless their groups contradict; `shared` names the identifier they share, if any."""
        a, b = self.find(i), self.find(j)
        if a == b:
            return True
        reason = self._contradiction(a, b, by_identifier=shared is not None)
        if reason is not None:
            if shared is not None:
                self.contradictions.add((shared, reason))
            return False
        keep, drop = (a, b) if a < b else (b, a)
        self._parent[drop] = keep
        ours, theirs = self._facts[keep], self._facts[drop]
        ours.pmids |= theirs.pmids
        ours.dois |= theirs.dois
        ours.registrations |= theirs.registrations
        ours.set_ids |= theirs.set_ids
        ours.trust = min(ours.trust, theirs.trust)
        ours.text_trust = min(filter(None, (ours.text_trust, theirs.text_trust)), default=None)
        return True

    def _contradiction(self, a: int, b: int, *, by_identifier: bool) -> str | None:
        ours, theirs = self._facts[a], self._facts[b]
        if len(ours.pmids | theirs.pmids) > 1:
            return "different PMIDs"
        if len(ours.registrations | theirs.registrations) > 1:
            return "different registrations"
        if bool(ours.registrations) != bool(theirs.registrations):
            return "a registration and a publication"
        if len(ours.set_ids | theirs.set_ids) > 1:
            return "different labels"
        # One article may have two DOIs (a re-hosted copy); but then an identifier must say that they are one.
        if not by_identifier and len(ours.dois | theirs.dois) > 1:
            return "different DOIs"
        if not by_identifier and (_only_text_is_less_trusted(ours, theirs) or _only_text_is_less_trusted(theirs, ours)):
            return "a text of less trust"
        return None

    def groups(self) -> list[list[int]]:
        """Members of each group, in order of the entries."""
        members: dict[int, list[int]] = defaultdict(list)
        for i in range(len(self._entries)):
            members[self.find(i)].append(i)
        return list(members.values())


def _only_text_is_less_trusted(trusted: _Group, other: _Group) -> bool:
    """By its title alone a text never comes under the identifiers of a record that is trusted more and has none."""
    return trusted.text_trust is None and other.text_trust is not None and trusted.trust < other.text_trust


def _has_text(entry: Entry) -> bool:
    """Whether there is anything to read: an abstract, results, recommendations."""
    work = entry.work
    return bool(clean_abstract(work.abstract) or work.results or work.recommendations)


def _facts_of(entry: Entry) -> _Group:
    ids = entry.identifiers
    return _Group(
        pmids={ids.pmid} if ids.pmid else set(),
        dois={ids.doi} if ids.doi else set(),
        registrations=set(ids.nct_ids[:1] or ("unnumbered",)) if entry.is_registration else set(),
        set_ids={ids.set_id} if ids.set_id else set(),
        trust=entry.trust,
        text_trust=entry.trust if _has_text(entry) else None,
    )


def join_works(entries: Sequence[Entry]) -> Joiner:
    """Join all entries that are one work. `entries` must be sorted by their key."""
    joiner = Joiner(entries)
    _join_by(joiner, entries, lambda e: e.identifiers.pmid, "PMID")
    _join_by(joiner, entries, lambda e: e.identifiers.doi, "DOI", _agree_on_notice)
    _join_by(joiner, entries, lambda e: e.identifiers.pmcid, "PMCID", _agree_on_notice)
    _join_by(joiner, entries, lambda e: (e.identifiers.nct_ids or (None,))[0] if e.is_registration else None, "NCT")
    _join_by(joiner, entries, lambda e: e.identifiers.set_id, "set id")
    _join_by(joiner, entries, _url_of_unidentified, "address")
    for i, j in _title_pairs(entries):
        joiner.join(i, j, shared=None)
    return joiner


def _url_of_unidentified(entry: Entry) -> str | None:
    ids = entry.identifiers
    if ids.url is None or ids.pmid or ids.doi or ids.pmcid or ids.nct_ids or ids.set_id:
        return None
    return comparable_url(ids.url)


def _agree_on_notice(first: Entry, second: Entry) -> bool:
    """A publisher may print a retraction under the DOI of the article; the two remain two works."""
    return (first.kind in NOTICE_KINDS) == (second.kind in NOTICE_KINDS) or first.folded_title == second.folded_title


def _join_by(
    joiner: Joiner,
    entries: Sequence[Entry],
    value_of: Callable[[Entry], str | None],
    name: str,
    may_join: Callable[[Entry, Entry], bool] = lambda first, second: True,
) -> None:
    """Join entries that share an identifier: each with the first group before it that it does not contradict."""
    seen: dict[str, list[int]] = defaultdict(list)
    for i, entry in enumerate(entries):
        value = value_of(entry)
        if value is None:
            continue
        leaders = seen[value]
        if not any(may_join(entries[j], entry) and joiner.join(j, i, shared=f"{name} {value}") for j in leaders):
            leaders.append(i)


def _title_pairs(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Pairs that agree in title, year and first author, exact titles before similar ones.

    Only pairs that share a word of the first author's name and lie a year apart at most are compared: of 5,000 records
    of a few very common names that is 2% of all pairs, of real ones far less.
    """
    by_title: dict[str, list[int]] = defaultdict(list)
    by_author: dict[tuple[str, int], list[int]] = defaultdict(list)
    for i, entry in enumerate(entries):
        if entry.is_registration or entry.is_label or n_words(entry.folded_title) < THRESHOLDS.min_title_words:
            continue
        by_title[entry.folded_title.replace(" ", "")].append(i)
        if entry.work.year is not None:
            for word in entry.author_words:
                by_author[word, entry.work.year].append(i)
    for block in by_title.values():
        yield from _pairs_within(entries, block, _same_work_by_equal_title)
    for (word, year), block in sorted(by_author.items()):
        yield from _pairs_within(entries, block, _same_work_by_similar_title)
        later = by_author.get((word, year + THRESHOLDS.max_year_gap), [])
        yield from ((i, j) for i in block for j in later if _same_work_by_similar_title(entries[i], entries[j]))


def _pairs_within(
    entries: Sequence[Entry], block: Sequence[int], same: Callable[[Entry, Entry], bool]
) -> Iterator[tuple[int, int]]:
    for at, i in enumerate(block):
        for j in block[at + 1 :]:
            if same(entries[i], entries[j]):
                yield i, j


def _same_sort(first: Entry, second: Entry) -> bool:
    return first.kind is second.kind and first.is_preprint is second.is_preprint


def _same_work_by_equal_title(first: Entry, second: Entry) -> bool:
    """Titles are equal. Author and year must agree; where one source gives no author, a long title and the year do."""
    if not _same_sort(first, second):
        return False
    years = (first.work.year, second.work.year)
    if first.author_words and second.author_words:
        if not first.author_words & second.author_words:
            return False
        return None in years or _years_agree(first, second)
    return n_words(first.folded_title) >= THRESHOLDS.min_words_without_author and _years_agree(first, second)


def _same_work_by_similar_title(first: Entry, second: Entry) -> bool:
    """Author and year already agree."""
    return _same_sort(first, second) and same_title(first.folded_title, second.folded_title)


def _years_agree(first: Entry, second: Entry) -> bool:
    if first.work.year is None or second.work.year is None:
        return False
    return abs(first.work.year - second.work.year) <= THRESHOLDS.max_year_gap


def preprint_pairs(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """(preprint, published version) pairs of the same title and first author, up to 3 years later.

    A preprint's title is often changed on publication; what is not found here stays two unlinked works.
    """
    published: dict[str, list[int]] = defaultdict(list)
    for i, entry in enumerate(entries):
        if not entry.is_preprint and not entry.is_registration and entry.kind not in NOTICE_KINDS:
            published[entry.folded_title.replace(" ", "")].append(i)
    for i, entry in enumerate(entries):
        if not entry.is_preprint or n_words(entry.folded_title) < THRESHOLDS.min_title_words:
            continue
        for j in published.get(entry.folded_title.replace(" ", ""), []):
            other = entries[j]
            if not (entry.author_words and other.author_words) or entry.author_words & other.author_words:
                gap = (other.work.year or 0) - (entry.work.year or 0)
                if entry.work.year is None or other.work.year is None or 0 <= gap <= 3:
                    yield i, j
