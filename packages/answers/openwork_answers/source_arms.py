"""The arms of a source as its sentences call them: in short, by another name of the drug, by what sets them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from openwork_contracts.evidence import EvidenceCandidate
from openwork_knowledge.tables import words
from openwork_language.mentions import names_in

from openwork_answers.arms import is_control_name
from openwork_answers.reported import results_of

_I = re.IGNORECASE
_WORD = re.compile(
    r"[A-Za-z][A-Za-z-]{2,}|\d[\d.]*(?=[\s-]?(?:mg|mcg|g|micrograms?|units?|IU|mL|hours?|days?|weeks?|months?)\b)", _I
)
"""Words, and doses and durations."""
_OF_ANY = frozenset(words("arm-words", "said of any"))
"""What is said of any arm."""
_NONE = re.compile(r"no|without|none|neither", _I)
_NOT_GIVEN = re.compile(
    r"\b(?P<bare>none|neither|without(?=\s*(?:$|[(,;.)]|treatment\b|it\b)))\b|\b(?:without|no)\s+(?:an?\s+)?(?P<what>[\w-]+)",
    _I,
)
_EITHER = re.compile(r"[\w-]+ or [\w-]+", _I)
_ONLY_DESIGN = re.compile(r"\bplacebo[- ]controlled\b", _I)


class SourceArms:
    """Two or more arms.

    Args:
        names: as the source names them in full, the tested ones first.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        parts = [_words(name) for name in names]
        self._own = [
            mine.difference(*(other for j, other in enumerate(parts) if j != i)) for i, mine in enumerate(parts)
        ]
        without = [i for i, name in enumerate(names) if _NONE.match(name)]
        self._without = without[0] if len(without) == 1 else None
        controls = [i for i, name in enumerate(names) if is_control_name(name)]
        self._control = controls[0] if len(controls) == 1 and not without else None
        bare = [i for i, own in enumerate(self._own) if not own and i != self._without]
        self._bare = bare[0] if len(bare) == 1 else None
        if self._without is not None and len(names) == 2:
            self._bare = 1 - self._without
        self._drugs = frozenset().union(*map(names_in, names))
        self._shared = parts[0].intersection(*parts[1:]) if self._bare is not None else frozenset()

    def places(self, text: str) -> dict[int, int]:
        """Of each arm that is named, by its number, where it first is."""
        text = _ONLY_DESIGN.sub(lambda m: " " * len(m[0]), text)
        found: dict[int, int] = {}
        for at, arm in sorted(self._named(text)):
            found.setdefault(arm, at)
        if not found and self._bare is not None:  # "statin" beside "statin plus ezetimibe", or beside "no statin"
            shared = next((m.start() for m in _WORD.finditer(text) if self._shared & _word(m[0])), None)
            found |= {self._bare: shared} if shared is not None else {}
        return found

    def _named(self, text: str) -> Iterator[tuple[int, int]]:
        denied = [m for m in _NOT_GIVEN.finditer(text) if m["bare"] or self._is_of_arm(m["what"])]
        if self._without is not None:
            yield from ((m.start(), self._without) for m in denied)
        for match in _WORD.finditer(text):
            if self._without is not None and any(m.start() <= match.start() < m.end() for m in denied):
                continue
            told = _word(match[0])
            yield from ((match.start(), i) for i, own in enumerate(self._own) if i != self._without and told & own)
            if self._control is not None and is_control_name(match[0]):
                yield match.start(), self._control

    def _is_of_arm(self, word: str) -> bool:
        return self._without is not None and bool(_words(word) & _words(self.names[self._without]))

    def gives(self, text: str) -> bool:
        """Whether a text names a drug that some arm is given."""
        return bool(names_in(text) & self._drugs)

    def only(self, text: str) -> int | None:
        """The arm that a text names; `None` = none, or several."""
        found = self.places(text)
        return next(iter(found)) if len(found) == 1 else None


@lru_cache(maxsize=16384)
def _words(text: str) -> frozenset[str]:
    return frozenset().union(*(_word(match[0]) for match in _WORD.finditer(text)), names_in(text))


@lru_cache(maxsize=16384)
def _word(word: str) -> frozenset[str]:
    """A word, its parts and what it names."""
    parts = {word.casefold(), *(part for part in word.casefold().split("-") if len(part) > 2)}
    return frozenset(parts - _OF_ANY | set(names_in(word)))


@lru_cache(maxsize=2048)
def _arms(names: tuple[str, ...]) -> SourceArms:
    """One object for the same names: what is read by it is kept by it."""
    return SourceArms(names)


def arms_of_source(document: EvidenceCandidate) -> SourceArms | None:
    """Its arms, the tested ones first, or the only two that its results compare; `None` = they are not known, or its
    results compare others too (a factorial trial)."""
    names = tuple(arm.name for arm in document.arms)
    if not names:
        compared = {one.comparison for one in results_of(1, document)}
        names = compared.pop() if len(compared) == 1 else ()
    known = set(names)
    if len(known) < 2 or any(arm.arm not in known for result in document.results for arm in result.arms):
        return None
    drugs = [names_in(name) for name in names]
    if all(_EITHER.match(name) for name in names) and any(one & other for one, other in combinations(drugs, 2)):
        return None  # "A or B" against "C or B" are pairs of several comparisons
    return _arms(names)
