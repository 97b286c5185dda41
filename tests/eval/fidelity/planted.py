"""Planted errors, and beside them the same kind of sentence verbatim and restated faithfully.

A sentence of an abstract that could stand in an answer gets one error by rule (`errors/`), and is put to the gate with
the abstract it is from, cited, and two others. For every kind, sentences are drawn from all abstracts until there are
`PER_KIND` cases, at most one per kind and abstract; kinds for which the data holds fewer have what there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem
from openwork_language.sentences import split_sentences

from tests.eval.fidelity import errors, faithful
from tests.eval.fidelity.errors.arms import exchange_arms
from tests.eval.fidelity.errors.names import DRUGS
from tests.eval.fidelity.judging import (
    Bar,
    Case,
    Figure,
    Judged,
    at_least,
    at_most,
    caught,
    contradicted,
    of_kind,
    supported,
)
from tests.eval.fidelity.perturb import DISEASES
from tests.eval.fidelity.sources import Abstract, abstracts, read_jsonl, screening_abstracts

PART = "planted"
SEED = 20241202
PER_KIND = 200
PER_FAITHFUL = 400
PER_VERBATIM = 1500
"""So many that half a percent can be told from one."""
VERBATIM = "verbatim"
_ARMS_OF_TRIALS = "arms exchanged, by name"
_STRICT = ("number", "unit", "citation", "drug")
"""Kinds of which 99 % are wanted; of the others 90 %."""
_INFORMATIVE = re.compile(
    r"\d|\b(?:reduc|increas|lower|higher|improv|associat|inhibit|prevent|differ|suggest|compared|versus)\w*"
)
# Sentences that lean on the one before, and aims, do not stand alone in an answer.
_NOT_ALONE = re.compile(
    r"\W*(?:(?:we|our|this|these|it|they|the (?:aim|objective|purpose))\b|"
    r"to (?:determine|assess|evaluate|examine|compare|investigate|study|test|describe|identify))",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^(?:[A-Z]{4,}(?: (?:AND|&) [A-Z]{4,}| [A-Z]{4,})*:? )(?=[A-Z0-9])"
)  # "METHODS AND RESULTS In ..."
_INVENTED = (
    "{drug} reduced all-cause mortality by {n}% in a randomised trial of {m} patients.",
    "Long-term use of {drug} was associated with a {n}% higher risk of {disease}.",
    "In people with {disease}, {drug} was well tolerated and improved quality of life.",
    "A meta-analysis found that {drug} prevents {disease}.",
    "The most common adverse events with {drug} were nausea and headache.",
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence that could stand in an answer, with its abstract and two others."""

    text: str
    source: Abstract
    others: tuple[Abstract, Abstract]

    @property
    def evidence(self) -> tuple[EvidenceItem, ...]:
        """Item 1 is the abstract the sentence is from."""
        return tuple(
            EvidenceItem(n=n, title=a.title, text=a.text) for n, a in enumerate((self.source, *self.others), 1)
        )

    @property
    def whole(self) -> str:
        """Title and text of the abstract."""
        return f"{self.source.title}\n{self.source.text}"


def claim_sentences(abstract: Abstract) -> list[str]:
    """Sentences of an abstract that could stand in an answer."""
    texts = (_HEADING.sub("", s.text) for s in split_sentences(abstract.text))
    return [
        text
        for text in texts
        if 8 <= len(text.split()) <= 50
        and text.rstrip().endswith(".")
        and _INFORMATIVE.search(text)
        and not _NOT_ALONE.match(text)
    ]


def pool(data: Path | None, random: Random) -> Iterator[list[Sentence]]:
    """The sentences of each abstract; the sources in turn, so that the largest does not stand for all."""
    by_source: dict[str, list[Abstract]] = {}
    for abstract in (*abstracts(data), *(screening_abstracts(data) if data else ())):
        if abstract.text:
            by_source.setdefault(abstract.source, []).append(abstract)
    for group in by_source.values():
        random.shuffle(group)
    found = [a for turn in zip_longest(*by_source.values()) for a in turn if a is not None]
    for abstract in found:
        others = random.sample(found, 2)
        sentences = claim_sentences(abstract)
        random.shuffle(sentences)
        if sentences and abstract not in others:
            yield [Sentence(text, abstract, (others[0], others[1])) for text in sentences]


def cases(data: Path | None) -> Iterator[Case]:
    """Wrong ones of every kind, verbatim and faithful ones."""
    random = Random(SEED)
    made: Counter[str] = Counter()
    if data:
        for of_trial in _trial_arms(data):
            made[_ARMS_OF_TRIALS] += 1
            yield of_trial
    wanted = dict.fromkeys(errors.KINDS, PER_KIND) | dict.fromkeys(faithful.KINDS, PER_FAITHFUL)
    wanted[VERBATIM] = PER_VERBATIM
    wanted |= dict.fromkeys(("citation wrong", "citation unknown", "invented sentence", "foreign sentence"), PER_KIND)
    for sentences in pool(data, random):
        lacking = [kind for kind, n in wanted.items() if made[kind] < n]
        if not lacking:
            return
        for kind in lacking:
            case = next(filter(None, (_case(kind, s, random) for s in sentences)), None)
            if case:
                made[kind] += 1
                yield case


def figures(judged: list[Judged]) -> list[Figure]:
    """Faithful ones first, then wrong ones."""
    right = [j for j in judged if j.case.right]
    wrong = [j for j in judged if not j.case.right]
    verbatim = of_kind(right, VERBATIM)
    restated = [kind for kind in faithful.KINDS if kind != VERBATIM]
    alarms = [
        Figure(PART, "verbatim: false alarms", sum(j.is_miss for j in verbatim), len(verbatim), at_most(0.005)),
        *(supported(PART, f"faithful, {kind}: supported", of_kind(right, kind)) for kind in restated),
        contradicted(PART, "verbatim and faithful: called contradicted", right),
    ]
    kinds = sorted({j.case.kind for j in wrong}, key=_order)
    return [*alarms, *(caught(PART, f"{kind}: caught", of_kind(wrong, kind), _bar(kind)) for kind in kinds)]


def _case(kind: str, sentence: Sentence, random: Random) -> Case | None:
    """The sentence with this error, or restated this way; None where the rule does not apply."""
    text, citations = sentence.text, (1,)
    if kind in faithful.KINDS:
        restated = faithful.KINDS[kind](text, random, sentence.source.text)
        return None if restated is None else Case(kind, restated, sentence.evidence, True, origin=text)
    if kind in errors.KINDS:
        changed = errors.KINDS[kind](text, sentence.whole, random)
        if changed is None or changed == text or changed in sentence.source.text:
            return None
        return Case(kind, changed, sentence.evidence, False, origin=text)
    if kind.startswith("citation"):
        citations = (9,) if kind == "citation unknown" else (2,)
    elif kind == "invented sentence":
        text = _invented(sentence.whole, random)
    else:
        foreign = claim_sentences(sentence.others[0])
        if not foreign:
            return None
        text = random.choice(foreign)
    return Case(kind, text, sentence.evidence, False, citations, origin=sentence.source.title)


def _invented(abstract: str, random: Random) -> str:
    """A sentence about a drug and a disease that the abstract does not name."""
    drug = random.choice([d for d in DRUGS if d not in abstract.lower()]).capitalize()
    disease = random.choice([d for d in DISEASES if d not in abstract.lower()])
    numbers = {"n": random.randint(11, 59), "m": random.randint(200, 9000)}
    return random.choice(_INVENTED).format(drug=drug, disease=disease, **numbers)


def _trial_arms(data: Path) -> Iterator[Case]:
    """Sentences of Evidence Inference's abstracts that name both arms of a prompt: the two change places."""
    seen = set()
    known = {a.key: a for a in abstracts(data) if a.source == "evidence-inference"}
    for row in read_jsonl(data / "benchmarks/evidence-inference/articles_v2.jsonl.gz"):
        abstract = known.get(row["pmcid"])
        for prompt in row["prompts"] if abstract else ():
            for sentence in split_sentences(abstract.text) if abstract else ():
                changed = exchange_arms(sentence.text, prompt["intervention"].strip(), prompt["comparator"].strip())
                if abstract and changed and changed not in seen:
                    seen.add(changed)
                    item = EvidenceItem(n=1, title=abstract.title, text=abstract.text)
                    yield Case(_ARMS_OF_TRIALS, changed, (item,), False, origin=sentence.text)


def _bar(kind: str) -> Bar:
    return at_least(0.99 if kind.startswith(_STRICT) and kind != "numbered entity" else 0.9)


def _order(kind: str) -> tuple[int, str]:
    kinds = list(errors.KINDS)
    return (kinds.index(kind) if kind in kinds else len(kinds), kind)
