"""Outcomes as they are asked for and reported: is this result about the outcome that was asked?

An outcome is one event or measure, or a composite of several. Of each the things that it names are compared (a disease
by its MeSH descriptor, an event by its group in `outcomes.tsv`, any other word by its stem), never the whole phrase: a
kind of the outcome asked ("haemorrhagic stroke" of "stroke") is a part of it, a composite that holds it is wider.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from openwork_contracts.conclusion import Fit
from openwork_contracts.question import EntityKind
from openwork_knowledge import mesh
from openwork_knowledge.notation import any_of
from openwork_knowledge.tables import table
from openwork_language.effects.valence import valence_of
from openwork_language.terms import find_terms, whole_term
from openwork_language.tokens import STOP_WORDS, tokenise

from openwork_answers.brackets import without_brackets
from openwork_answers.excluded_causes import without_cause, without_hyphen
from openwork_answers.outcome_names import standard_name
from openwork_answers.outcome_spelling import spelt_out, with_meanings

_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_LIST = re.compile(
    r"\s*(?:,\s*(?:and/or|or|and)\s+|,\s*|\s+(?:and/or|or|and|plus)\s+|;\s*"
    r"|(?!/(?:[dmµ]?L|min|kg|1\.73)\b)(?:(?<!\d)/|/(?!\d)))\s*",
    re.IGNORECASE,
)
_SHORT_FORM = re.compile(r"(?:\w+ )?[A-Z][A-Za-z]?[A-Z]{1,5}")
_MAKES_A_KIND = re.compile(r"-(?:related|specific|associated)$")
_ADJECTIVES = re.compile(r"(?:\w+(?:ic|al|ous|ive|ar|ed)(?:,?\s+(?:and|or)\s+|,\s+|$))+", re.IGNORECASE)
""" "Stroke (ischaemic or haemorrhagic)" is one event."""
_WHOSE = re.compile(r"non(?:-[a-z]{3,}|[a-z]{5,})|neonatal|maternal|perinatal|fo?etal|infant|obstetric", re.IGNORECASE)
"""Makes it an event of other people or of another cause: "neonatal complications", "noncardiovascular death"."""
_TIME = re.compile(
    r"\d[\d-]*|\d+-?[dwmy]|(?:(?:\d+|one|two|three|four|five|six|twelve|thirty|ninety)-)?(?:day|week|month|year)s?"
    r"|daily|annual"
)
"""When an outcome is looked at is no part of which it is."""
_NOT_GROUPS = frozenset(
    {
        "kind of",
        "tree",
        "tree apart",
        "same as",
        "composite",
        "neutral",
        "cause",
        "kind",
        "harm",
        "event",
        "good",
        "short form",
        "same word",
        "change",
        "counted",
    }
)

NEAR = (Fit.ASKED, Fit.PART, Fit.WIDER)
"""What is asked, a part of it or something that it is a part of; the better first."""
OF_IT = frozenset({Fit.ASKED, Fit.PART})
"""What is asked, or a part of it, and nothing besides."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What an outcome names: a disease of MeSH, or a group of `outcomes.tsv`."""

    name: str
    """Folded preferred name, or the group."""
    mesh_id: str | None = None


@dataclass(frozen=True, slots=True)
class Atom:
    """One event or measure."""

    text: str
    things: frozenset[Thing]
    words: frozenset[str]
    """What else it says of itself: "major", "nonfatal", "cardiovascular" before "death", stems of unknown words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome as it is worded."""

    text: str
    atoms: tuple[Atom, ...]
    """Several = a composite."""

    @property
    def is_composite(self) -> bool:
        return len(self.atoms) > 1

    @property
    def components(self) -> tuple[str, ...]:
        """Of a composite, in its own words."""
        return tuple(atom.text for atom in self.atoms) if self.is_composite else ()


@lru_cache(maxsize=4096)
def read_outcome(text: str) -> Outcome:
    """An outcome's words as what it names; brackets aside, of which only a list of components is read."""
    bare = _OF_A_MILD.sub(r"\g<event>", " ".join(without_brackets(_kind_first(text)).split()).strip(" ,.;:"))
    one = standard_name(bare) is not None or (_LIST.search(bare) is not None and whole_term(bare) is not None)
    whole = (_atom(bare),) if one and bare else _atoms(bare)  # "postoperative nausea and vomiting" is one
    listed = _death_or_event(bare) or whole
    if len(listed) < 2:
        inner = [found for found in re.findall(r"\(([^()]*)\)", text) if len(_atoms(found)) > 1]
        inner = [found for found in inner if not _ADJECTIVES.fullmatch(found)]
        listed = _atoms(inner[0]) if inner else listed
    return Outcome(bare or text, listed)


_FREE_SURVIVAL = re.compile(r"(?P<event>[^\W\d_]+(?:\s[^\W\d_]+)?)-free survival", re.IGNORECASE)
""" "Dementia-free survival" is death or dementia; "progression-free survival" has a name of its own."""
_OF_THEIR_EVENT = frozenset({None, "event-free survival", "disability-free survival"})


def _death_or_event(text: str) -> tuple[Atom, ...]:
    """The components of survival without an event that has a name; none of any other outcome."""
    match = _FREE_SURVIVAL.fullmatch(text)
    if match is None or standard_name(text) not in _OF_THEIR_EVENT:
        return ()
    return _atoms(f"death or {match['event']}")


_OF_A_MILD = re.compile(
    r"(?P<event>\b(?:attacks?|exacerbations?|flares?|worsening|relapses?) of )(?:mild|moderate|mild to moderate"
    r"|moderate to severe|persistent|stable|uncontrolled|poorly controlled)\s+(?!or\b|to\b|and\b)(?=[a-z])",
    re.IGNORECASE,
)
""" "Severe attacks of [mild] asthma": how ill they are who have them is no part of the event."""


def _kind_first(text: str) -> str:
    """ "Major gastrointestinal bleeding" of "gastrointestinal bleeding (major)"."""
    match = _KIND_BEHIND.fullmatch(text.strip())
    if match is None:
        return text
    words = _words(match["kind"])
    is_kind = bool(words) and words <= kinds_of_events()
    return f"{match['kind']} {match['what']}" if is_kind or _DESCRIBES.fullmatch(match["kind"]) else text


_DESCRIBES = re.compile(
    r"(?!(?:total|annual|overall|clinical|final|initial|additional|original|statistical|hierarchical)$)"
    r"[a-z-]{4,}(?:ic|al|ar|ous)",
    re.IGNORECASE,
)
""" "Stroke (ischemic)", "death (cardiovascular)"."""
_KIND_BEHIND = re.compile(r"(?P<what>[^(),;]+?)\s*(?:\((?P<kind>\w+(?:-\w+)?)\))")


def _atoms(text: str) -> tuple[Atom, ...]:
    """The components; a word before a list belongs to all of it only where the rest names nothing by itself.

    "Renal or cardiovascular death" is two deaths, "fatal or nonfatal stroke" is stroke, "stroke or systemic embolism"
    two events.
    """
    parts = [part.strip() for part in _LIST.split(text) if part and part.strip()]
    if len(parts) < 2:
        return (_atom(text),) if text else ()
    read = [_atom(part) for part in parts]
    if not any(atom.things for atom in read):
        return (_atom(text),)
    atoms: list[Atom] = []
    lone: list[Atom] = []
    for atom in read:
        if not atom.things and (atom.words <= kinds_and_causes() or not atom.words):
            lone.append(atom)
            continue
        if not atom.things and not valence_of(atom.text) and len(parts) > 2 and not _SHORT_FORM.fullmatch(atom.text):
            continue  # "toes, feet or legs": more words of the component before it
        if lone and atom.words and all(one.words for one in lone):
            if _are_whole(*(one.words for one in lone), atom.words):
                atom = Atom(text, atom.things, frozenset())
            else:
                head = _head_of(atom)
                atoms += [Atom(f"{one.text} {head}", atom.things, one.words) for one in lone]
        lone = []
        atoms.append(atom)
    return tuple(atoms) if atoms else (_atom(text),)


def _are_whole(*kinds: frozenset[str]) -> bool:
    """ "Fatal or nonfatal": together all there is."""
    return frozenset().union(*kinds) >= {"fatal", "nonfatal"}


def _head_of(atom: Atom) -> str:
    return " ".join(word for word in atom.text.split() if not (_words(word) & kinds_and_causes())) or atom.text


@lru_cache(maxsize=8192)
def _atom(text: str) -> Atom:
    rest, cause = without_cause(text)
    spelt = without_hyphen(spelt_out(rest))
    things, taken, spans = _named_in(spelt)
    if not things and (longer := with_meanings(spelt)) != spelt:
        spelt = longer
        things, taken, spans = _named_in(spelt)
    headings = " ; ".join(spelt[s:e] for s, e, thing in spans if (s, e) in taken and thing.mesh_id)
    fatal = bool(things) and "fatal" in _words(_without(spelt, taken))
    if fatal:  # a fatal stroke is a death from stroke
        things.add(Thing("death"))
    words = _words(_without(spelt, taken)) | (_words(headings) & kinds_of_events())  # "major bleeding" is MeSH's name
    where = _tokens_of_hospital() if any(one.name == "hospitalisation" for one in things) else frozenset()
    telling = words - _weak_words() - where
    words = telling if things or telling else words  # "drop in blood pressure" is blood pressure
    words = _graded(words, things) - ({"fatal"} if fatal else set())
    return Atom(text, frozenset(things), words | ({cause} if cause else set()))


def _named_in(text: str) -> tuple[set[Thing], list[tuple[int, int]], list[tuple[int, int, Thing]]]:
    """What a text names, the longest first; where; and every name that stands in it."""
    spans = [(m.start(), m.end(), Thing(group)) for group, found in _groups().items() for m in found.finditer(text)]
    named = (t for t in find_terms(text) if t.kind is not EntityKind.DRUG)  # a drug is what is done, no outcome
    spans += [(t.start, t.end, Thing(t.name.casefold(), t.mesh_id)) for t in named]
    things: set[Thing] = set()
    taken: list[tuple[int, int]] = []
    for start, end, thing in sorted(spans, key=lambda s: (s[0] - s[1], s[2].mesh_id is not None)):
        if not any(start < e and s < end for s, e in taken):
            taken.append((start, end))
            things.add(thing)
    return things, taken, spans


@cache
def _tokens_of_hospital() -> frozenset[str]:
    """Where somebody is admitted says no more of an admission: "hospital admissions for heart failure"."""
    return frozenset(tokenise("hospital"))


@cache
def _weak_words() -> frozenset[str]:
    """Stems of words that say that something changes, is counted or is needed: beside what it is they tell nothing."""
    listed = table("outcomes")
    return frozenset(token for name in ("change", "counted") for word in listed.words(name) for token in tokenise(word))


def _graded(words: frozenset[str], things: set[Thing]) -> frozenset[str]:
    """Of bleeding "serious", "severe" and "big" are words for what trials call major."""
    bleeds = any(is_kind(thing, Thing("bleeding")) for thing in things)
    return frozenset("major" if bleeds and word in _GRAVE_BLEEDING else word for word in words)


_GRAVE_BLEEDING = frozenset({"severe", "seriou", "big", "bad", "dangerous"})


def _without(text: str, taken: list[tuple[int, int]]) -> str:
    return "".join(" " if any(s <= i < e for s, e in taken) else c for i, c in enumerate(text))


def _words(text: str) -> frozenset[str]:
    """What words outside of names say: causes and kinds under one name, other telling words as stems."""
    found: set[str] = set()
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        if neutral_words().fullmatch(word) or word in STOP_WORDS or _TIME.fullmatch(word):
            continue
        named = _named_words().get(word) or _named_words().get(word.removesuffix("-related"))
        found.update((named,) if named else tokenise(word) or ())
    return frozenset(found)


def groups_in(text: str) -> list[tuple[int, int]]:
    """Where a text names an outcome of `outcomes.tsv`; but for words of safety in general, which name none."""
    found = [
        m.span()
        for group, words in _groups().items()
        for m in words.finditer(text)
        if group != "adverse events" or _GRAVE.search(text, 0, m.start())
    ]
    return sorted(found)


_GRAVE = re.compile(r"\b(?:serious|severe|grade\s[\d\s/to–-]+(?:or (?:higher|more|worse)\s)?)\s*$", re.IGNORECASE)
""" "Serious adverse events" are one outcome; "side effects" are whatever a treatment does unwanted."""


@cache
def event_names() -> re.Pattern[str]:
    """How events are named that happen to people and are in no group: "relapse", "fall"."""
    listed = (row[1] for row in table("outcomes").rows if row[0] == "event")
    return re.compile(rf"\b{any_of(listed)}(?!\w)", re.IGNORECASE)


def kinds_before(text: str, start: int) -> int:
    """Where the words begin that make a kind of what stands at `start`: "cardiovascular" death, "new-onset" AF."""
    while match := re.search(r"([^\W\d_]+(?:-[^\W\d_]+)*)\s+$", text[:start]):
        word = match[1].casefold()
        if (
            not _MAKES_A_KIND.search(word)
            and not _WHOSE.fullmatch(word)
            and word not in _named_words()
            and word
            not in {
                "new",
                "new-onset",
                "recurrent",
                "renal",
                "all-cause",
                "stroke-related",
            }
        ):
            break
        start = match.start()
    both = _FATAL_OR.search(text, 0, start) if FATAL.match(text, start) else None
    return both.start() if both else start


FATAL = re.compile(r"(?:non-?)?fatal\b", re.IGNORECASE)
""" "Fatal", "nonfatal": of an event that nobody has already."""
_FATAL_OR = re.compile(r"\b(?:non-?)?fatal\s*(?:\s(?:or|and)\s|/)\s*$", re.IGNORECASE)
""" "[Fatal or] nonfatal stroke"."""


def follows_admission(before: str) -> bool:
    """Whether a text ends with a noun for admission and what opens its reason: "stays in hospital for"."""
    return _admission().search(before) is not None


@cache
def _admission() -> re.Pattern[str]:
    listed = table("outcomes")
    nouns = any_of(w for g in ("hospitalisation", "readmission") for w in listed.words(g) if not w.endswith("ed"))
    return re.compile(
        rf"\b(?:{nouns}\s+(?:for|due to|because of|from)|(?:up|land\w*|stays?) in (?:the )?hospital with)\s+"
        r"(?:an?\s+|the\s+)?(?:(?:worsening|acute)\s+)?$",
        re.IGNORECASE,
    )


@cache
def _groups() -> dict[str, re.Pattern[str]]:
    listed = table("outcomes")
    return {
        group: re.compile(rf"\b{any_of(listed.words(group))}(?!\w)", re.IGNORECASE)
        for group in listed.groups()
        if group not in _NOT_GROUPS
    }


@cache
def neutral_words() -> re.Pattern[str]:
    return re.compile(any_of(table("outcomes").words("neutral")), re.IGNORECASE)


def is_good(outcome: Outcome) -> bool:
    """Whether more of it is good, by its group; of a composite, of each component."""
    good = set(table("outcomes").words("good"))
    return bool(outcome.atoms) and all(any(thing.name in good for thing in atom.things) for atom in outcome.atoms)


def is_disease(outcome: Outcome) -> bool:
    """Whether each component that names anything names a disease (of MeSH C and F03, or a group of them): it is bad."""
    named = [atom.things for atom in outcome.atoms if atom.things]
    return bool(named) and all(any(map(_is_disease, things)) for things in named)


def _is_disease(thing: Thing) -> bool:
    if thing.mesh_id is None:
        return thing.name in trees_of_groups()
    return any(tree.startswith(("C", "F03")) for tree in mesh.trees_of(thing.mesh_id))


def is_neutral(word: str) -> bool:
    """Whether a word says nothing about which outcome is meant."""
    return neutral_words().fullmatch(word) is not None


@cache
def _named_words() -> dict[str, str]:
    rows = (row for row in table("outcomes").rows if row[0] in {"cause", "kind", "same word"})
    return {row[1].casefold(): row[2] for row in rows}


def event_words(text: str) -> frozenset[str]:
    """The names of the events that words of a text stand for: exacerbation of "attacks"."""
    same = table("outcomes").values("same word")
    return frozenset(same[word] for m in _WORD.finditer(text) if (word := m[0].casefold()) in same)


@cache
def kinds_of_events() -> frozenset[str]:
    return frozenset(table("outcomes").values("kind").values())


@cache
def kinds_and_causes() -> frozenset[str]:
    """Names of what makes a kind of any event: how grave it is, where it happens, its cause."""
    return kinds_of_events() | frozenset(table("outcomes").values("cause").values())


@cache
def groups_above() -> dict[str, tuple[str, ...]]:
    """Group -> the groups that it is a kind of, all the way up."""
    direct = table("outcomes").values("kind of")
    found: dict[str, tuple[str, ...]] = {}
    for group in direct:
        chain, at = [], group
        while at in direct and direct[at] not in chain:
            at = direct[at]
            chain.append(at)
        found[group] = tuple(chain)
    return found


@cache
def trees_of_groups() -> dict[str, tuple[str, ...]]:
    """Group -> the trees of MeSH whose diseases are kinds of it."""
    return _trees("tree")


@cache
def _trees_apart() -> dict[str, tuple[str, ...]]:
    """Group -> the trees below it of which nobody thinks by its name: of "kidney outcomes" acute kidney injury."""
    return _trees("tree apart")


def _trees(kind: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for row in table("outcomes").rows:
        if row[0] == kind:
            found.setdefault(row[2], []).append(row[1])
    return {group: tuple(trees) for group, trees in found.items()}


def _are_below(places: Iterable[str], tops: Iterable[str]) -> bool:
    return any(place == top or place.startswith(f"{top}.") for place in places for top in tops)


@lru_cache(maxsize=8192)
def is_kind(one: Thing, other: Thing) -> bool:
    """Whether one thing is the other or a kind of it."""
    if one.name == other.name:
        return True
    if one.mesh_id and other.mesh_id:
        return mesh.is_same_or_kind(one.mesh_id, other.mesh_id) or other.name in groups_above().get(one.name, ())
    if one.mesh_id:  # a disease or a procedure, and a group
        if one.mesh_id in _roots().get(other.name, ()) or other.name in groups_above().get(one.name, ()):
            return True
        places = mesh.trees_of(one.mesh_id)
        apart = _trees_apart()
        groups = [
            g
            for g, tops in trees_of_groups().items()
            if _are_below(places, tops) and not _are_below(places, apart.get(g, ()))
        ]
        return any(group == other.name or other.name in groups_above().get(group, ()) for group in groups)
    if other.mesh_id:  # "bleeding" is the disease Hemorrhage
        return other.mesh_id in _roots().get(one.name, ())
    return other.name in groups_above().get(one.name, ())


@cache
def _roots() -> dict[str, frozenset[str]]:
    """Group -> the descriptors that are the same thing under its name in MeSH."""
    trees = table("outcomes").values("same as")
    return {name: mesh.descriptors_at([t for t, group in trees.items() if group == name]) for name in trees.values()}


@cache
def harm_words() -> re.Pattern[str]:
    """How unwanted effects of treatments are named."""
    listed = (row[1] for row in table("outcomes").rows if row[0] == "harm")
    return re.compile(rf"\b{any_of(listed)}(?!\w)", re.IGNORECASE)


def is_harm(outcome: str) -> bool:
    """Whether an outcome is one that treatments cause unwanted."""
    return harm_words().search(outcome) is not None
