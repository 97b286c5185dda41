"""What a near-verbatim claim changed: a word for its opposite, a negation, a name, a number, a thing, a restriction.

Only for a claim that shares most of its words with one sentence of its source; the two are laid side by side word by
word (`aligned`), and the differences are judged. Words that mean the same, and words that writers add, are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import EntityKind
from openwork_contracts.verdict import ReasonCode
from openwork_knowledge.patterns import pattern
from openwork_knowledge.tables import table, words
from openwork_language.effects.find import Direction, conflict
from openwork_language.effects.words import CUE, NEGATION
from openwork_language.quantities.compare import QuantityKind, find_quantities, matches
from openwork_language.terms import Term, find_terms
from openwork_language.tokens import fold
from openwork_language.wording import concepts, is_writers_word, near_match

from openwork_verifier.domain.aligned import Alignment, Edit
from openwork_verifier.domain.findings import Finding
from openwork_verifier.domain.naming import is_named_in, is_same_thing
from openwork_verifier.domain.passages import Definitions, Passage, expanded

_K = QuantityKind
_NEGATIONS = frozenset(words("edit-words", "negation"))
_AUXILIARY = frozenset(words("edit-words", "auxiliary"))
_WEAK = frozenset(words("edit-words", "weak"))
_LONGEST_EDIT = 3
"""Two words apart by more than this many are a rewritten passage, not an edit."""
_LONGEST_LOSS = 16
_SYMBOL = 5
"""Capitals from which a name in capitals is a trial's and no gene's."""
_CLOSE = 0.75
"""From this likeness on every other content word counts, also one that stands elsewhere in the passage."""
_LINKS = frozenset(
    {
        "but",
        "and",
        "also",
        "or",
        "nor",
        "either",
        "though",
        "although",
        "however",
        "both",
        "with",
        "having",
        "had",
        "those",
        "in",
    }
)
_MEASURES = frozenset(
    concepts("hazard odds risk relative rate ratio hr or rr irr confidence interval ci p value percent per cent")
)
_NAMED = re.compile(r"(?=\w*[A-Za-z])(?=\w*\d)[\w-]+")
_PREFIX = re.compile(r"^(?:non-?|un|in|im|dis|de|ex|in)(?=\w{4})", re.IGNORECASE)
# (what the source says, what the claim says in its place)
_SURER = tuple(
    (re.compile(rf"\b(?:{before})\b"), re.compile(rf"\b(?:{after})\b"))
    for before, after in (
        ("may|might|could|possibly|probably|perhaps|potentially", "will|is|are|was|were|does|do|did|must|definitely"),
        ("suggest(?:s|ed|ing)?", "pro(?:ve|ves|ved|ving)|establish(?:es|ed)?|confirm(?:s|ed)?|demonstrat(?:e|es|ed)"),
        ("associat(?:ed|ion|ions)|correlat(?:ed|ion|ions)|linked", "caus(?:e|es|ed|ing|al)|due"),
    )
)
_STILL_UNSURE = re.compile(
    r"\b(?:thought|believed|likely|suggested|possibl[ey]|hypothesi[sz]ed|assumed|not|may|might|could)\b"
)
_PEOPLE, _WORDS = (
    frozenset(frozenset((one, other)) for one, other, how in table("opposites").rows if how == use)
    for use in ("people", "edit")
)
_QUANTIFIER = re.compile(rf"\b{pattern('quantifiers')}\b|\bsome\b|\bmany\b|\bseveral\b|\bhalf\b", re.IGNORECASE)
_WHO = (
    r"(?:patients|women|men|people|children|adults|subjects|participants|those|infants|girls|boys|males?|females?|"
    r"elderly|smokers|diabetics|"
    r"individuals|volunteers|recipients|students|survivors|mothers|neonates|newborns|adolescents|users|carriers|"
    r"persons|cases|years)"
)
_UNIVERSAL = re.compile(r"\b(?:all|every|each|always|never|none|invariably|entire|whole)\b", re.IGNORECASE)
_RESTRICTS = re.compile(
    rf"\b(?:only|subgroups?|subset|post[- ]hoc|exploratory|pre-?specified|stratum|among|aged?|except\w*|excluding|"
    rf"without|other\s+than|but\s+not|unless)\b"
    rf"|\b(?:in|for|of|with|when|among)\s+(?:[\w-]+\s+){{0,5}}{_WHO}\b|\bwho\s+(?:had|were|received)\b"
    r"|\bwith(?=\s+(?:a|severe|mild|moderate|high|low|higher|lower|baseline|prior|previous))",
    re.IGNORECASE,
)
_COUNTS_ALL = re.compile(
    r"\b(?:in|of|among)\s+(?:the\s+|all\s+|these\s+)?\d[\d,]*\s|^(?:of|in|among)\s+(?:the\s+)?(?:patients|people|participants|subjects)$",
    re.IGNORECASE,
)
_TELLS_A_FIGURE = re.compile(
    r"^compar|\b(?:incidences?|rates?|risks?|odds|mean|median|ratios?|scores?|levels?|probability|sensitivity|"
    r"specificity) of$",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"\b(?:rather\s+than|instead\s+of|except\w*|excluding|without|with|other\s+than|including|but\s+not|unless|"
    r"apart\s+from|as\s+well\s+as|free\s+of|only\s+in|also\s+outside|outside|inside)\b",
    re.IGNORECASE,
)
_GRADE = re.compile(
    r"\b(?:strong\w*|weak\w*|conditional\w*|limited|little|insufficient|conclusive|recommended|considered)"
    r"\b(?!\s*\()"
)
_CLASSES = re.compile(r"\b(?:I{1,3}[abc]?|IV|[A-D])\b")
_DESIGN = re.compile(
    r"\b(?:randomi[sz]ed|observational|double-blind|single-blind|open-label|meta-analys[ie]s|retrospective|prospective|"
    r"case-control|cross-sectional|"
    r"cohort|in\s+vitro|in\s+vivo|animal|crossover|placebo-controlled|uncontrolled|double|single|blind)\b",
    re.IGNORECASE,
)
_TIMES = {
    f"{unit}{end}": unit
    for unit in ("second", "minute", "hour", "day", "week", "month", "year")
    for end in ("", "s", "ly")
}
_EQUAL = re.compile(r"(?:as|equally|similarly|comparably|just\s+as|no\s+(?:more|less))", re.IGNORECASE)
_DEGREE = re.compile(r"\b(?:more|less|better|superior|most)\b", re.IGNORECASE)


def check_edits(alignment: Alignment | None, passages: Sequence[Passage]) -> tuple[Finding, ...]:
    """Findings for what differs from the one sentence a claim restates."""
    if alignment is None or alignment.is_verbatim:
        return ()
    present = frozenset().union(*(p.words for p in passages))
    passage, sentence = alignment.scored.passage, alignment.scored.sentence
    findings = [
        Finding(
            ReasonCode.ARMS_SWAPPED,
            f"{one!r} and {other!r} have changed places beside [{passage.item.n}]",
            passage=passage,
            sentence=sentence,
        )
        for one, other in alignment.exchanged[:1]
    ]
    for edit in alignment.edits:
        if _same_concepts(edit, passage):
            continue
        code = _judge(edit, alignment, present)
        if code is not None:
            detail = f"[{passage.item.n}] says {edit.was!r} where the claim says {edit.now!r}"
            proof = code is ReasonCode.DRUG_NOT_FOUND
            findings.append(Finding(code, detail, proof=proof, otherwise=proof, passage=passage, sentence=sentence))
    return tuple(findings)


def _same_concepts(edit: Edit, passage: Passage) -> bool:
    """Other words for the same, abbreviations that the passage defines included."""
    was, now = concepts(edit.was), concepts(edit.now)
    numbers = any(c.isdigit() for c in edit.was + edit.now)
    one, other = _sole_term(edit.was), _sole_term(edit.now)
    if one is not None and other is not None and is_same_thing(one, other):
        return True
    return bool(was) and not numbers and expanded(was, passage.defined) == expanded(now, passage.defined)


def _judge(edit: Edit, alignment: Alignment, present: frozenset[str]) -> ReasonCode | None:
    was, now = edit.was, edit.now
    if len(was.split()) <= _LONGEST_EDIT and len(now.split()) <= _LONGEST_EDIT:
        if was and now and _is_another_ingredient(was, now, alignment.scored.passage):
            return ReasonCode.DRUG_NOT_FOUND
        code = _judge_words(was, now, edit)
        if code is ReasonCode.CERTAINTY_OVERSTATED and edit.after == "not":
            return None  # "could not be pooled", "was not pooled"
        if code is not None:
            return code
        if was and now:
            close = alignment.ratio >= _CLOSE
            return (
                (None if alignment.same_numbers else _number_changed(was, now, alignment))
                or _name_changed(was, now)
                or _thing_replaced(was, now, present, alignment.scored.passage.defined, close=close)
            )
    if (
        len(was.split()) <= _LONGEST_LOSS
        and len(now.split()) <= 1
        and not edit.in_brackets
        and not _TELLS_A_FIGURE.search(was)
        and not _COUNTS_ALL.search(was)
        and _RESTRICTS.search(f"{edit.before} {was}")
    ):
        return ReasonCode.SUBGROUP_AS_WHOLE
    return None


def _judge_words(was: str, now: str, edit: Edit) -> ReasonCode | None:
    """What it means that `was` became `now`; None for a change of wording."""
    if _negation_changed(was, now):
        return ReasonCode.DIRECTION_REVERSED
    graded = edit.before in {"class", "level", "grade", "recommendation", "evidence"}
    if was and now and _grades(was, graded=graded) != _grades(now, graded=graded):
        return ReasonCode.RECOMMENDATION_DIFFERS
    was, now = was.lower(), now.lower()
    if not was or not now:
        return ReasonCode.QUANTIFIER_CHANGED if not was and _widened(now) else None
    if frozenset({was, now}) in _PEOPLE or frozenset({was, now}) in _WORDS:
        return ReasonCode.POPULATION_NOT_FOUND if frozenset({was, now}) in _PEOPLE else ReasonCode.DIRECTION_REVERSED
    before, after = CUE.search(was), CUE.search(now)
    if before and after and conflict(Direction(after.lastgroup or ""), Direction(before.lastgroup or "")):
        return ReasonCode.DIRECTION_REVERSED
    if before and after and before.lastgroup == "non_inferior" and after.lastgroup == "better":
        return ReasonCode.NONINFERIORITY_OVERSTATED
    if bool(_DESIGN.search(was)) != bool(_DESIGN.search(now)) or _designs(was) != _designs(now):
        return ReasonCode.DESIGN_DIFFERS
    if was in _TIMES and now in _TIMES and _TIMES[was] != _TIMES[now]:
        return ReasonCode.UNIT_MISMATCH
    if _EQUAL.fullmatch(was) and _DEGREE.search(now):
        return ReasonCode.NONINFERIORITY_OVERSTATED
    if (_SCOPE.search(was) and _SCOPE.search(now) and _scopes(was) != _scopes(now)) or _is_denial(was, now):
        return ReasonCode.SCOPE_CHANGED
    if _UNIVERSAL.search(now) and not _UNIVERSAL.search(was):
        return ReasonCode.QUANTIFIER_CHANGED
    if _QUANTIFIER.search(was) and _QUANTIFIER.search(now) and _QUANTIFIER.findall(was) != _QUANTIFIER.findall(now):
        return ReasonCode.QUANTIFIER_CHANGED
    names, others = find_terms(was), find_terms(now)
    if names and others and names[0].kind is others[0].kind and not is_same_thing(names[0], others[0]):
        return ReasonCode.ARMS_SWAPPED
    return ReasonCode.CERTAINTY_OVERSTATED if _made_surer(was, now) else None


def _is_another_ingredient(was: str, now: str, passage: Passage) -> bool:
    """Whether one known ingredient stands in place of another: no other name for it, no class, not in the text."""
    before, after = _sole_term(was), _sole_term(now)
    if before is None or after is None or {before.kind, after.kind} != {EntityKind.DRUG}:
        return False
    if before.is_class or after.is_class:
        return False
    return not is_same_thing(before, after) and not is_named_in(after, [passage])


def _sole_term(text: str) -> Term | None:
    """The one known name that a text is, and nothing besides."""
    terms = find_terms(text)
    return terms[0] if len(terms) == 1 and len(terms[0].text.split()) == len(text.split()) else None


def _designs(text: str) -> set[str]:
    return {m.group().lower()[:6] for m in _DESIGN.finditer(text)}


def _is_denial(was: str, now: str) -> bool:
    """ "Excluded" for "included", "nonsmokers" for "smokers", "independent" for "dependent"."""
    for one, other in ((was, now), (now, was)):
        bare = _PREFIX.sub("", one)
        if bare != one and (other.startswith(bare[:5]) or _PREFIX.sub("", other)[:5] == bare[:5] != other[:5]):
            return True
    return False


def _grades(text: str, *, graded: bool) -> list[str]:
    """Words of strength, and what follows "class" or "level"."""
    found = [m.group().lower() for m in _GRADE.finditer(text)]
    return found + [m.group().lower() for m in _CLASSES.finditer(text)] if graded else found


def _scopes(text: str) -> set[str]:
    return {
        "out"
        if re.match(
            r"exce|exclu|without|other|but|unless|apart|rather|instead|free|outside|also", m.group(), re.IGNORECASE
        )
        else "in"
        for m in _SCOPE.finditer(text)
    }


def _widened(now: str) -> bool:
    """ "All", put in before a noun."""
    return re.fullmatch(r"(?:all|every|always|invariably|universally)", now) is not None


def _number_changed(was: str, now: str, alignment: Alignment) -> ReasonCode | None:
    """Another number stands in this one's place, and not the share of a count, both of which the sentence has."""
    before, after = find_quantities(was), find_quantities(now)
    if len(before) == len(after) == 1:
        cells = alignment.scored.sentence.cells
        was_kinds, now_kinds = (
            {c.quantity.kind for c in cells if c.quantity.value == q[0].value} for q in (before, after)
        )
        if was_kinds | now_kinds >= {_K.PERCENT} and now_kinds and not was_kinds & now_kinds and len(now_kinds) == 1:
            return None
    if len(before) != 1 or len(after) != 1 or matches(after[0], before[0]) or after[0].in_words or before[0].in_words:
        return None
    return ReasonCode.NUMBER_NOT_BOUND


def _name_changed(was: str, now: str) -> ReasonCode | None:
    """ "CYP2D6" for "CYP2C19": names with a number in them."""
    before, after = _NAMED.findall(was), _NAMED.findall(now)
    return (
        ReasonCode.ENTITY_NOT_FOUND
        if before and after and {fold(b) for b in before} != {fold(a) for a in after}
        else None
    )


def _thing_replaced(
    was: str, now: str, present: frozenset[str], defined: Definitions, *, close: bool
) -> ReasonCode | None:
    """Another content word stands in a word's place: one that no passage holds, or in a close copy any other."""
    was, now = _apart(was, now)
    if any(c.isdigit() for c in was + now):
        return None
    if was.isupper() and len(was) > _SYMBOL and concepts(now) <= present:
        return None  # who was studied, in place of the trial's name
    if expanded(concepts(was), defined) & expanded(concepts(now), defined):
        return None  # a name and its abbreviation, or the same thing with another word beside it
    lost = {w for w in concepts(was) - _MEASURES if not is_writers_word(w)}
    found = {w for w in concepts(now) - _MEASURES if not is_writers_word(w)}
    new = {w for w in found - lost if close or (w not in present and not near_match(w, present))}
    if not new or not lost or any(a[:4] == b[:4] for a in lost for b in new):
        return None
    return ReasonCode.WORD_REPLACED


def _apart(was: str, now: str) -> tuple[str, str]:
    """Of two compounds what differs: "dexamethasone-induced" and "insulin-induced" share their second half."""
    if was.count("-") != now.count("-") or " " in was + now:
        return was, now
    kept = [(a, b) for a, b in zip(was.split("-"), now.split("-"), strict=True) if a.lower() != b.lower()]
    return " ".join(a for a, _ in kept), " ".join(b for _, b in kept)


def _made_surer(was: str, now: str) -> bool:
    """Whether a possibility, a suggestion or an association became a fact, a proof or a cause."""
    if _STILL_UNSURE.search(now):
        return False
    return any(before.search(was) and after.search(now) and not before.search(now) for before, after in _SURER)


def _negation_changed(was: str, now: str) -> bool:
    """Whether a negation, and nothing else that matters, was added or lost."""
    before, after = _negated(was), _negated(now)
    if before == after or _same_sense(was, now):
        return False
    others = {w.lower() for w in (was if before else now).split()} - _NEGATIONS
    return others <= (_AUXILIARY | _WEAK | _LINKS if was and now else _AUXILIARY | _LINKS)


def _negated(text: str) -> bool:
    # "NO" is nitric oxide, "No 12" a number.
    if re.search(r"\bNo \d", text):
        return False
    return "n't" in text or any(w.lower() in _NEGATIONS and w != "NO" for w in text.split())


def _same_sense(was: str, now: str) -> bool:
    """ "did not differ" for "were similar": both sides say no difference."""
    before, after = CUE.search(was), CUE.search(now)
    return bool(before and after and not NEGATION.search(was + now) and before.lastgroup == after.lastgroup)
