"""Who a question is about: every phrase that restricts it, with polarity, figures and its own words.

The question is cut into phrases (`pieces`), a phrase into items; an item becomes a term, known to a list or not. What
is outcome, treatment or comparison is left out, unless the words before it make it a population ("patients on
dialysis", "after hip fracture").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from openwork_contracts.question import Entity, EntityKind, PopulationKind, PopulationTerm
from openwork_knowledge import mesh
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import words

from openwork_language.asking.alternatives import with_alternatives
from openwork_language.asking.being_on import people_are_on
from openwork_language.asking.figures import AGE, Figure, figures_in, plain_figure
from openwork_language.asking.kinds_of_terms import WARD, is_own_place, joined, kind_of
from openwork_language.asking.of_others import relation_before
from openwork_language.asking.pieces import (
    Piece,
    Span,
    before_people,
    is_how_found,
    parts_of,
    pieces_of,
    somebody_before,
    trimmed,
    word_before,
)
from openwork_language.asking.unsuited import unsuited, without_reasons
from openwork_language.asking.words import asking, disease_of, group_patterns, whole
from openwork_language.quantities.units import UNIT_PATTERN
from openwork_language.searching.polarity import is_absent_at

_NAMES_SOMETHING = re.compile(r"[^\W\d_]{2}")
_PREFIXED = re.compile(r"\b(?:non[-\s]?(?=[a-z]{4})|un(?=[a-z]{3,}ed\b)|never[-\s](?=[a-z]{4}))", re.IGNORECASE)
_GERUND = re.compile(
    r"(?!(?:age|breastfeed|liv|work|smok|grow|fail(?!ing to\b)|lactat|menstruat)ing)[a-z]{3,}ing\b(?!-)", re.IGNORECASE
)
"""In or for doing something: no people. Those excepted describe people."""
_HARMED = re.compile(
    r"\b(?:harm|hurt|affect|damage|protect|dangerous (?:to|for)|safe for)(?:s|ed|ing)?"
    r"\s+(?:the|an?|her|their)\s+(?:unborn\s+)?$",
    re.IGNORECASE,
)
""" "Do vitamins in pregnancy harm the baby" is not about babies."""
_WHO_ASKS = re.compile(r"\b(?:i'?m|i am|i work as|as) an?\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
""" "I am a practice nurse: ..." says who asks."""
_OF_A_PERSON = re.compile(r"\b(?:pregnant|breast-?feeding|lactating)$", re.IGNORECASE)
"""Says somebody is, whatever word for people stands behind it: "a pregnant traveller"."""
_ONLY_ADVERB = re.compile(r"\w+ly", re.IGNORECASE)
_TIME = re.compile(
    r"(?:the first |at least |up to |about )?[\d.–-]+\s*-?(?:hours?|days?|weeks?|months?|years?)\b", re.IGNORECASE
)
_AMOUNT = re.compile(rf"(?:(?:every|each)\s+)?[\d.]+\s?(?:{UNIT_PATTERN})", re.IGNORECASE)
""" "For every 1 mmol/L" counts something."""
_NOW = re.compile(
    r"(?:now|currently|at present)\s+(?:quite\s+|clinically\s+)?(?:stable|well|fine|better|improving|improved|ok|okay)",
    re.IGNORECASE,
)
"""How somebody is after what he had: "after decompensated heart failure, now stable"."""
_WHAT_IT_IS_FOR = re.compile(
    r"\d|at least|up to|(?:the )?(?:prevent|prophyla|reduc|treat(?:ing|ment)?\b)", re.IGNORECASE
)
_GOES_ON_BEHIND = re.compile(r"\s+(?:for|of|and|or|in|with|after|at|on|within)\b", re.IGNORECASE)
_OLDER_THAN = re.compile(
    r"\b(?:over|above|past|older than)\s(?P<age>[5-9]\d)"
    r"(?=\s*(?:$|[?.,;:)]|[-–]\s)|\s(?:with|without|who|and|or|in|on|is|are|does|do|if)\b"
    r"|\s(?:reduc|lower|prevent|increas|caus|rais|improv|help|affect|slow|protect|worsen|benefit|prolong)(?:e|es|s|ing)?\b)",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:treatment|therapy|use|anticoagulation|vaccination|screening|prevention|prophylaxis|management|care|surgery)$",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(r"\b(?:in|for|if|when|anyone|someone|somebody|everyone|people|patients?)$", re.IGNORECASE)
_NO_LINK = r"(?!(?:on|in|among|due|to|by|from|caused|secondary|because)\b)"
_WITH_A_KIND = re.compile(
    r"\b(?:with|after|has|have|had)\s+(?:an?\s+|the\s+)?"
    rf"({_NO_LINK}[^\W\d_][\w'-]+\s+(?:{_NO_LINK}[^\W\d_][\w'-]+\s+){{0,2}}?)$",
    re.IGNORECASE,
)
"""Words between what opens a condition and its name are part of it: "with [portal vein] thrombosis"."""
_IS_FOR = re.compile(r"(?P<for>\s+(?:for|of)\s+)(?:an?\s+|the\s+)?(?:(?!of\b|for\b)[\w-]+\s+){0,2}$", re.IGNORECASE)
_LINK = re.compile(r"\b(?:of|for)\s", re.IGNORECASE)
_CAUSED_BY = re.compile(
    r"\s+(?:which\s+(?:is|was)\s+)?(?:due to|caused by|secondary to|induced by|brought on by|resulting from"
    r"|as a (?:result|consequence) of)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,2}$",
    re.IGNORECASE,
)
""" "Diabetes caused by [pancreatectomy]" is not diabetes at large."""
_BEGINS = re.compile(
    r"(?:(?:(?:symptoms?|disease)[- ])?(?:onset|start|beginning|diagnosis|occurrence)"
    r"|exacerbations?|flares?(?:[- ]ups?)?|attacks?|episodes?|bouts?|relapses?|recurrences?) of\s",
    re.IGNORECASE,
)
""" "After [the onset of] a stroke" is after a stroke; who has an exacerbation of COPD has COPD."""
_WHOSE = re.compile(r"\bof (?:his|her|their|its|the|an?) ", re.IGNORECASE)
""" "An exacerbation of [his] COPD"."""
_TESTS = "E01"
"""MeSH 2024: diagnosis."""
_THOSE_WHO_HAVE_IT = re.compile(r"(?<![\w-])[a-z]{4,}(?:ics|ives)\b(?!-)", re.IGNORECASE)
""" "Do [diabetics] live longer on it?", where nothing opens who is meant."""
_SET_AGAINST = re.compile(r"\b(?:compared|comparison|versus|vs\.?|rather than|against)\s+$", re.IGNORECASE)
_MAX_ITEM_WORDS = 9
"""A longer run of words is a clause that was not understood; what is known in it is kept."""
_CARRIES = frozenset({"without", "after", "on", "undergoing"})
"""The words that open these phrases belong to the term: "after hip fracture"."""


def people_of(
    question: str,
    entities: Sequence[Entity],
    *,
    outcomes: Sequence[Span] = (),
    treatments: Sequence[Span] = (),
) -> tuple[PopulationTerm, ...]:
    """The terms in order of place; all of them hold together.

    Args:
        question: the user's words.
        entities: diseases, drugs and procedures that it names.
        outcomes: what is asked about; never a population, but where it is had already ("progression of CKD").
        treatments: intervention and comparison; a population only where the words before them say so.
    """
    return _Reader(question, entities, outcomes, treatments).terms()


class _Reader:
    def __init__(
        self, question: str, entities: Sequence[Entity], outcomes: Sequence[Span], treatments: Sequence[Span]
    ) -> None:
        self.question = question
        self.entities = entities
        self.outcomes = [span for span in outcomes if not self._is_had(span)]
        self.treatments = treatments
        self.figures = figures_in(question)
        self.names: list[Span] = [(e.start, e.end) for e in entities] + [(f.start, f.end) for f in self.figures]
        self.found: list[PopulationTerm] = []

    def terms(self) -> tuple[PopulationTerm, ...]:
        """All terms; no place of the question is in two of them."""
        for term in self._of_others():
            self._add(term)
        for figure in self.figures:
            if figure.in_words and _HARMED.search(self.question[: figure.start]):
                continue
            if not self._describes_another(figure.end) or not figure.in_words:
                self._add(self._of_figure(figure))
        for figure in self._ages_behind_names():
            self._add(self._of_figure(figure))
        for term in unsuited(self.question, self.entities):
            self._add(term)
        pieces = pieces_of(self.question, self.names)
        for piece in pieces:
            if piece.kind == "without" and not self._is_either_way(piece):
                self._read(piece)
        for piece in pieces:
            if piece.kind != "without" and self._is_population(piece):
                self._read(piece)
        for start, end in before_people(self.question, self.treatments):
            self._items(start, end, "people")
        for entity in self.entities:
            if entity.kind is EntityKind.DISEASE and not self._is_elsewhere(entity.start, entity.end):
                self._items(*self._with_modifiers(entity), "entity")
        for match in _THOSE_WHO_HAVE_IT.finditer(self.question):
            taken = any(term.start < match.end() and match.start() < term.end for term in self.found)
            if not taken and disease_of(match[0]) is not None:
                self._items(*match.span(), "in")
        for entity in self.entities:
            if self._is_cause(entity):
                self._add(self._term((entity.start, entity.end), "with", entity, entity.start))
        self._groups(0, len(self.question), everywhere=True)
        found = [term for term in self.found if not self._is_set_against(term)]
        terms = joined(self.question, sorted(found, key=lambda term: (term.start, term.end)))
        return with_alternatives(self.question, without_reasons(self.question, terms))

    def _is_set_against(self, term: PopulationTerm) -> bool:
        """Whether what is to be absent is a comparator: "compared [with no aspirin]"."""
        return not term.wanted and _SET_AGAINST.search(self.question, 0, term.start) is not None

    def _of_others(self) -> Iterator[PopulationTerm]:
        """People told by what another has, who need not have it: "household contacts of tuberculosis"."""
        for entity in self.entities:
            relation = relation_before(self.question, entity.start) if entity.kind is EntityKind.DISEASE else None
            if relation is not None:
                yield PopulationTerm(
                    text=self.question[relation.start : entity.end],
                    start=relation.start,
                    end=entity.end,
                    kind=PopulationKind.OTHER,
                    wanted=not self._is_negated(relation.start, entity.end, None),
                )

    def _ages_behind_names(self) -> Iterator[Figure]:
        """Ages that say so only by their place: "statins [over 75]"."""
        for match in _OLDER_THAN.finditer(self.question):
            before = self.question[: match.start()].rstrip()
            named = any(e.end == len(before) for e in self.entities)
            if named or _GIVEN.search(before) or _OF_WHOM.search(before):
                yield Figure(
                    PopulationKind.AGE, AGE, float(match["age"]), None, "years", match.start(), match.end(), match[0]
                )

    # phrases

    def _is_cause(self, entity: Entity) -> bool:
        """Whether it is what a disease of somebody comes from, whatever it is by itself."""
        cue = _CAUSED_BY.search(self.question, 0, entity.start)
        return cue is not None and any(
            e.kind is EntityKind.DISEASE and e.end == cue.start() and self._is_found(e) for e in self.entities
        )

    def _is_found(self, entity: Entity) -> bool:
        return any(term.start <= entity.start and entity.end <= term.end for term in self.found)

    def _is_had(self, outcome: Span) -> bool:
        """Whether an outcome is of people who have the disease: "progression of CKD"."""
        before = self.question[: outcome[0]].rstrip()
        return (
            before.endswith(" of")
            and re.fullmatch(asking("has it"), word_before(before, len(before) - 3), re.I) is not None
        )

    def _is_either_way(self, piece: Piece) -> bool:
        before = self.question[max(0, piece.cue - 16) : piece.start]
        return re.search(rf"{asking('either way')}\s*$", before, re.IGNORECASE) is not None

    def _is_population(self, piece: Piece) -> bool:
        text = self.question[piece.start : piece.end].strip()
        before = word_before(self.question, piece.cue)
        if not text or (piece.kind in ("in", "for") and self.question[piece.end :].lower().startswith("of ")):
            return bool(text) and whole("head").search(text) is not None
        if piece.kind in ("in", "for") and _GERUND.match(text) and not whole("head").search(text):
            return False
        if piece.kind == "in":
            unlikely = re.fullmatch(asking("not before in"), before, re.I) is not None
            return _not_after_in().match(text) is None and (not unlikely or whole("head").search(text) is not None)
        if piece.kind == "of":
            return re.fullmatch(asking("treatment of", "has it", "head"), before, re.I) is not None
        if piece.kind == "for":
            return _WHAT_IT_IS_FOR.match(text) is None and not re.fullmatch(asking("not before for"), before, re.I)
        if piece.kind == "on" and any(
            people_are_on(self.question, e, self.entities) for e in self.entities if piece.start < e.end <= piece.end
        ):
            return True
        if piece.kind in ("with", "on"):
            return self._follows_people(piece)
        if piece.kind == "has":
            return not any(piece.start < e.end <= piece.end and self._is_examined(e) for e in self.entities)
        if piece.kind == "undergoing":
            return not self._is_elsewhere(piece.cue - 2, piece.cue - 1, only_outcomes=True)  # "a bleed needing blood"
        return True

    def _is_examined(self, entity: Entity) -> bool:
        """Whether it is a test that anybody may have had: "she had a CT scan"."""
        return any(tree.startswith(_TESTS) for tree in mesh.trees_of(entity.mesh_id or ""))

    def _follows_people(self, piece: Piece) -> bool:
        """Whether people, a condition or another term of the population stand right before."""
        before = self.question[: piece.cue].rstrip(" ,")
        if not before or somebody_before(self.question, piece.cue):
            return True
        if self.found and re.search(r"\b(?:who|and|or|but|are|is|were)$", before):
            return True
        place = len(before)
        return (
            any(term.end == place for term in self.found)
            or any(e.end == place and e.kind is EntityKind.DISEASE for e in self.entities)
            or any(match.end() == place for _, pattern in group_patterns() for match in pattern.finditer(before))
        )

    def _read(self, piece: Piece) -> None:
        had = self.question[piece.cue : piece.start].casefold().split()[-1:] == ["had"]
        done = self._entity_in(piece.start, piece.end) if had and piece.kind == "with" else None
        if done is not None and done.kind is EntityKind.PROCEDURE:
            # what somebody had done is told of him, and not asked about: "people who [had bypass surgery] walk"
            goes_on = _GOES_ON_BEHIND.match(self.question, done.end, piece.end)
            piece = replace(piece, kind="undergoing", end=piece.end if goes_on else done.end)
        cue = piece.cue if piece.kind in _CARRIES or not self._is_simple(piece) else None
        end = self._end_of_first(piece) if piece.kind in {"without", "on"} else piece.end
        self._items(piece.start, end, "with" if piece.kind == "has" else piece.kind, cue)

    def _end_of_first(self, piece: Piece) -> int:
        """Where a name ends right behind which a disease stands: "not on dialysis [intracranial haemorrhage]"."""
        within = [e for e in self.entities if piece.start <= e.start and e.end <= piece.end]
        for one, other in pairwise(within):
            if other.kind is EntityKind.DISEASE and self.question[one.end : other.start].isspace():
                return one.end
        return piece.end

    def _is_simple(self, piece: Piece) -> bool:
        """Whether the words that open a phrase say nothing by themselves: "with", not "refractory to"."""
        opening = self.question[piece.cue : piece.start].strip()
        return piece.kind in ("in", "for", "of", "has") or re.fullmatch(asking("cue simple"), opening, re.I) is not None

    def _items(self, start: int, end: int, kind: str, cue: int | None = None) -> None:
        """The terms of a phrase; the first takes the words that open it where they belong to it."""
        if kind == "after" and (treated := self._treated_for(start, end)) is not None:
            self._items(treated[1], end, "with")
            end = treated[0]
        parts = list(parts_of(self.question, start, end, self.names))
        listed_with_treatment = kind in ("in", "for", "of") and any(self._is_treatment(*part) for part in parts)
        for n, (left, right) in enumerate(parts):
            if listed_with_treatment and not self._entity_in(left, right):
                continue
            for term in self._item(left, right, kind, cue if n == 0 else None):
                self._add(term)

    def _treated_for(self, start: int, end: int) -> Span | None:
        """Where "for" stands, and the disease behind it: "during beta-blocker therapy [for infantile haemangioma]"."""
        for entity in self.entities:
            if entity.kind is not EntityKind.DISEASE or not start < entity.start < end:
                continue
            what = _IS_FOR.search(self.question[start : entity.start])
            before = self.question[start : start + what.start()] if what else ""
            given = any(e.start >= start and e.end <= start + len(before) for e in self.entities if e is not entity)
            if what and before.strip() and (given or whole("treatment of").search(before)):
                return start + what.start(), start + what.end("for")
        return None

    def _is_treatment(self, start: int, end: int) -> bool:
        entity = self._entity_in(start, end)
        return entity is not None and entity.kind is not EntityKind.DISEASE

    def _entity_in(self, start: int, end: int) -> Entity | None:
        inside = (e for e in self.entities if e.start >= start and e.end <= end)
        return next((e for e in inside if not is_how_found(self.question, e.end)), None)

    # items

    def _item(self, start: int, end: int, kind: str, cue: int | None) -> Iterator[PopulationTerm]:
        for span in self._rest(start, end, kind):
            if (
                (entity := self._entity_in(*span))
                and kind in ("in", "for", "of")
                and entity.kind is not EntityKind.DISEASE
                and not (kind == "in" and people_are_on(self.question, entity, self.entities))
            ):
                continue
            text = self.question[slice(*span)]
            if (
                self._is_nothing(text, kind)
                or is_own_place(self.question, *span)
                or (entity is None and kind in ("on", "in") and WARD.fullmatch(text))
                or (kind != "people" and self._is_elsewhere(*span, only_outcomes=kind in _CARRIES))
            ):
                continue
            if entity is not None and self._is_counted(entity):
                continue
            is_first = trimmed(self.question, start, span[0]) is None
            yield self._term(span, kind, entity, cue if is_first and cue is not None else span[0])

    def _is_counted(self, entity: Entity) -> bool:
        """Whether the words behind a disease count it: "stroke prevention". "HFpEF mortality" is of people with it,
        "cancer mortality" may be of anybody."""
        behind = self.question[entity.end :]
        if re.match(rf"\s*-?{asking('is prevented')}\b", behind, re.I):
            return True
        trees = mesh.trees_of(entity.mesh_id) if entity.mesh_id else ()
        dies = re.match(rf"\s*-?{asking('dies of')}\b", behind, re.I) is not None
        return dies and any(tree.startswith("C04") for tree in trees)

    def _term(self, span: Span, kind: str, entity: Entity | None, start: int) -> PopulationTerm:
        text = self.question[slice(*span)]
        if entity is not None and _LINK.search(_BEGINS.sub("", self.question[span[0] : entity.start])):
            entity = None  # "an indication for anticoagulation" is not anticoagulation
        figure = plain_figure(text) if entity is None and kind in ("with", "in") else None
        plain = _WHOSE.sub("of ", _PREFIXED.sub("", text))
        known = (disease_of(plain) or mesh.subject(text)) if entity is None and not figure else None
        return PopulationTerm(
            text=self.question[start : span[1]],
            start=start,
            end=span[1],
            kind=PopulationKind.MEASURE
            if figure
            else kind_of(kind, entity, is_disease=known is not None and known.is_condition),
            wanted=kind != "without" and not self._is_negated(*span, entity),
            name=entity.name if entity else known.heading if known else None,
            mesh_id=entity.mesh_id if entity else known.mesh_id if known else None,
            measure=figure.measure if figure else None,
            low=figure.low if figure else None,
            high=figure.high if figure else None,
            unit=figure.unit if figure else None,
        )

    def _rest(self, start: int, end: int, kind: str) -> Iterator[Span]:
        """What is left of an item once figures and named groups are taken out; behind a group only a name counts."""
        groups = [span for span in self._groups(start, end) if not self._in_entity(*span)]
        ages = [(f.start, f.end) for f in self.figures if start <= f.start < end and f.measure == AGE]
        others = [(f.start, f.end) for f in self.figures if start <= f.start < end and f.measure != AGE]
        left, after_people = start, False
        for s, e in [*sorted(groups + ages + others), (end, end)]:
            span = trimmed(self.question, left, min(s, end)) if s > left else None
            if span and (not after_people or self._entity_in(*span)):
                yield span
            left, after_people = max(left, e), (s, e) not in others

    def _groups(self, start: int, end: int, *, everywhere: bool = False) -> list[Span]:
        """Groups of people, places and devices in [start, end), each made a term.

        With `everywhere`, those alone that stand for themselves: not the "physician" of "physician estimates".
        """
        spans = []
        for kind, pattern in group_patterns():
            for match in pattern.finditer(self.question, start, end):
                known = kind is not PopulationKind.PREGNANCY
                if any(f.start < match.end() and match.start() < f.end for f in self.figures):
                    continue
                if self._in_entity(*match.span()) or (known and self._is_elsewhere(*match.span())):
                    continue
                if everywhere and self._describes_another(match.end()):
                    continue
                if _WHO_ASKS.search(self.question[: match.start()]):
                    continue
                spans.append(match.span())
                wanted = not self._is_negated(*match.span(), None)
                self._add(PopulationTerm(text=match[0], start=match.start(), end=match.end(), kind=kind, wanted=wanted))
        return spans

    def _describes_another(self, end: int) -> bool:
        """Whether the word right behind makes the one before it part of another thing: "neonatal [outcome]"."""
        behind = re.match(r"[ -]([a-z][\w-]*)", self.question[end:])
        if behind is None or self.question[:end].endswith(("s", "en")) or _OF_A_PERSON.search(self.question[:end]):
            return False
        word, place = behind[1], end + 1
        if re.fullmatch(asking("head", "stop", "determiner", *_OPENING), word, re.I):
            return False
        if any(e.start == place for e in self.entities) or any(f.start == place for f in self.figures):
            return False
        return not any(
            pattern.match(self.question, place) for _, pattern in group_patterns()
        ) and not _effect().fullmatch(word)

    def _with_modifiers(self, entity: Entity) -> Span:
        """A disease with what describes it right before: "severe", "recent", "non-valvular"."""
        left = entity.start
        if opened := _WITH_A_KIND.search(self.question[:left]):
            return opened.start(1), entity.end
        while word := re.search(r"([^\W_][\w'’/-]*)\s$", self.question[:left]):
            if not (_time_course().fullmatch(word[1]) or _PREFIXED.match(word[1])):
                break
            left = word.start()
        return left, entity.end

    # judgements

    def _add(self, term: PopulationTerm) -> None:
        if not any(term.start < other.end and other.start < term.end for other in self.found):
            self.found.append(term)

    def _of_figure(self, figure: Figure) -> PopulationTerm:
        beside = (e for e in self.entities if 0 <= e.start - figure.end <= 1 or 0 <= figure.start - e.end <= 1)
        disease = next(beside, None) if figure.kind is PopulationKind.STAGE else None
        return PopulationTerm(
            text=figure.text,
            start=figure.start,
            end=figure.end,
            kind=figure.kind,
            wanted=not is_absent_at(self.question, figure.start, figure.end),
            name=disease.name if disease else None,
            mesh_id=disease.mesh_id if disease else None,
            measure=figure.measure,
            low=figure.low,
            high=figure.high,
            unit=figure.unit,
        )

    def _is_elsewhere(self, start: int, end: int, *, only_outcomes: bool = False) -> bool:
        others = self.outcomes if only_outcomes else (*self.outcomes, *self.treatments)
        return any(s < end and start < e for s, e in others)

    def _in_entity(self, start: int, end: int) -> bool:
        return any(e.start <= start and end <= e.end and e.end - e.start > end - start for e in self.entities)

    def _is_nothing(self, text: str, kind: str) -> bool:
        """Whether a phrase restricts nobody: a time, an adverb, "clinical practice", a clause not understood."""
        return (
            len(text.split()) > _MAX_ITEM_WORDS
            or not _NAMES_SOMETHING.search(text)
            or any(only.fullmatch(text) for only in (_never(), _ONLY_ADVERB, _TIME, _PRESSURE, _AMOUNT, _NOW))
            or _OF_STUDIES.search(text) is not None
            or _CHANCE.match(text) is not None
            or (kind not in _CARRIES and _is_about().fullmatch(text) is not None)
            or (kind not in _CARRIES and whole("not of people").search(text) is not None)
        )

    def _is_negated(self, start: int, end: int, entity: Entity | None) -> bool:
        """By the words before and behind; "non-" only where what follows is no name that holds it."""
        if entity is not None:
            return is_absent_at(self.question, start, entity.end) or is_absent_at(
                self.question, entity.start, entity.end
            )
        return _PREFIXED.match(self.question, start) is not None or is_absent_at(self.question, start, end)


_OPENING = tuple(f"cue {name}" for name in ("without", "after", "undergoing", "on", "with", "who", "in", "for", "of"))


_PRESSURE = re.compile(r"(?:blood )?pressures? (?:of|at|is|was) \d+/\d+|bed \d+", re.IGNORECASE)
""" "172/88" alone tells who has which pressure; what is asked is to be of those treated for it."""
_CHANCE = re.compile(r"(?:chances?|likelihood|odds|probability) of\b", re.IGNORECASE)
""" "Before conception, [chance of becoming] pregnant": what may come is nobody's state."""
_OF_STUDIES = re.compile(r"\b(?:all|both|the|these|those)\b.*\b(?:trials|studies|meta-analyses)\b", re.IGNORECASE)


@cache
def _never() -> re.Pattern[str]:
    return re.compile(rf"(?:the\s+)?{asking('never a population')}", re.IGNORECASE)


@cache
def _is_about() -> re.Pattern[str]:
    return re.compile(rf"(?:the\s+)?{asking('treatment of', 'has it')}", re.IGNORECASE)


@cache
def _not_after_in() -> re.Pattern[str]:
    return re.compile(rf"(?:the\s+)?{asking('not after in')}(?![\w-])", re.IGNORECASE)


@cache
def _time_course() -> re.Pattern[str]:
    return re.compile(any_of(words("groups-of-people", "time course")), re.IGNORECASE)


@cache
def _effect() -> re.Pattern[str]:
    return re.compile(any_of(words("question_slots", "effect")), re.IGNORECASE)
