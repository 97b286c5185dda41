"""Part 1: how many injected errors the gate catches, how many faithful claims it flags."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem, Verdict
from openwork_language.sentences import split_sentences
from openwork_verifier.domain.gate import verify_claim

from tests.eval.fidelity import faithful, perturb
from tests.eval.fidelity.sources import Abstract, abstracts
from tests.eval.fidelity.statistics import share_line

SEED = 20240611
_INFORMATIVE = re.compile(
    r"\d|\b(?:reduc|increas|lower|higher|improv|associat|inhibit|prevent|differ|suggest|compared|versus)\w*"
)
# Sentences that lean on the one before, and aims, do not stand alone in an answer.
_NOT_ALONE = re.compile(
    r"\W*(?:(?:we|our|this|these|it|they|the (?:aim|objective|purpose))\b|to (?:determine|assess|evaluate|examine))",
    re.IGNORECASE,
)
_INVENTED = (
    "{drug} reduced all-cause mortality by {n}% in a randomised trial of {m} patients.",
    "Long-term use of {drug} was associated with a {n}% higher risk of {disease}.",
    "In people with {disease}, {drug} was well tolerated and improved quality of life.",
    "A meta-analysis found that {drug} prevents {disease}.",
    "The most common adverse events with {drug} were nausea and headache.",
)


@dataclass
class Tally:
    """Results per kind."""

    caught: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    flagged: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    verdicts: dict[str, Counter[Verdict]] = field(default_factory=lambda: defaultdict(Counter))
    """What was said of each kind of error, and of faithful claims as "faithful: kind"."""
    own_words: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """Conclusions against their abstract without the conclusion."""
    misses: list[tuple[str, str, str]] = field(default_factory=list)
    """(kind, original, text) of errors that passed and of faithful claims that were flagged."""


def claim_sentences(abstract: Abstract) -> list[str]:
    """Sentences of an abstract that could stand in an answer."""
    return [
        s.text
        for s in split_sentences(abstract.text)
        if 8 <= len(s.text.split()) <= 50
        and s.text.rstrip().endswith(".")
        and _INFORMATIVE.search(s.text)
        and not _NOT_ALONE.match(s.text)
    ]


def sampled(data: Path | None, per_source: int, random: Random) -> list[Abstract]:
    """At most `per_source` abstracts of every source."""
    groups: dict[str, list[Abstract]] = defaultdict(list)
    for abstract in abstracts(data):
        groups[abstract.source].append(abstract)
    return [a for group in groups.values() for a in random.sample(group, min(per_source, len(group)))]


def run(data: Path | None, per_source: int = 600) -> Tally:
    """Perturb, restate, verify."""
    random = Random(SEED)
    pool = sampled(data, per_source, random)
    tally = Tally()
    for abstract in pool:
        sentences = claim_sentences(abstract)
        if not sentences:
            continue
        others = random.sample(pool, 2)
        evidence = [
            EvidenceItem(n=n, title=a.title, text=a.text) for n, a in enumerate((abstract, *others), start=1) if a.text
        ]
        for text in random.sample(sentences, min(2, len(sentences))):
            _faithful(text, abstract, evidence, tally, random)
            _held_out(text, abstract, tally, random)
            for kind, changed, citations in _perturbed(text, others, random):
                verdict = verify_claim(changed, citations, evidence)
                caught = verdict.verdict not in {Verdict.SUPPORTED, Verdict.NOT_A_CLAIM}
                tally.caught[kind].append(caught)
                tally.verdicts[kind][verdict.verdict] += 1
                if not caught:
                    tally.misses.append((kind, text, changed))
    return tally


def _faithful(text: str, abstract: Abstract, evidence: list[EvidenceItem], tally: Tally, random: Random) -> None:
    for kind, rule in faithful.KINDS.items():
        restated = rule(text, random, abstract.text)
        if restated is None or (kind in {"verbatim", "framed"} and random.random() < 0.5):
            continue
        verdict = verify_claim(restated, (1,), evidence)
        flagged = verdict.verdict not in {Verdict.SUPPORTED, Verdict.NOT_A_CLAIM}
        tally.flagged[kind].append(flagged)
        tally.verdicts[f"faithful: {kind}"][verdict.verdict] += 1
        if flagged:
            reasons = "; ".join(f"{r.code.value}: {r.detail}" for r in verdict.reasons)
            tally.misses.append((f"faithful {kind} -> {verdict.verdict.value}", text, f"{restated}  <<{reasons}>>"))


def _held_out(text: str, abstract: Abstract, tally: Tally, random: Random) -> None:
    """The last sentence against the abstract without it: a claim in words of its own."""
    if not abstract.text.rstrip().endswith(text) or len(abstract.text) < 3 * len(text):
        return
    item = EvidenceItem(n=1, title=abstract.title, text=abstract.text.rstrip()[: -len(text)])
    verdict = verify_claim(text, (1,), [item])
    tally.own_words["faithful: flagged"].append(verdict.verdict is not Verdict.SUPPORTED)
    tally.own_words["faithful: called contradicted"].append(verdict.verdict is Verdict.CONTRADICTED)
    if verdict.verdict is Verdict.CONTRADICTED:
        reasons = "; ".join(f"{r.code.value}: {r.detail}" for r in verdict.reasons)
        tally.misses.append(("own words, called contradicted", text, reasons))
    for kind, rule in perturb.KINDS.items():
        changed = rule(text, random)
        if changed is not None and changed != text:
            wrong = verify_claim(changed, (1,), [item])
            tally.own_words[f"{kind}: caught"].append(wrong.verdict is not Verdict.SUPPORTED)
            if wrong.verdict is Verdict.SUPPORTED:
                tally.misses.append((f"own words, {kind} missed", changed, abstract.text))


def _perturbed(text: str, others: list[Abstract], random: Random) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    for kind, rule in perturb.KINDS.items():
        changed = rule(text, random)
        if changed is not None and changed != text:
            yield kind, changed, (1,)
    yield "citation_unknown", text, (9,)
    yield "citation_wrong", text, (2,)
    if random.random() < 0.5:
        template = random.choice(_INVENTED)
        drug = random.choice(perturb.DRUGS[:-1]).capitalize()
        disease = random.choice(perturb.DISEASES)
        yield (
            "invented",
            template.format(drug=drug, disease=disease, n=random.randint(11, 59), m=random.randint(200, 9000)),
            (1,),
        )
    else:
        foreign = claim_sentences(others[0])
        if foreign:
            yield "foreign_sentence", random.choice(foreign), (1,)


def report(tally: Tally) -> str:
    """Detection per kind, false alarms per kind, with Wilson's 95% intervals."""
    lines = ["Injected errors caught"]
    lines += [share_line(kind, sum(v), len(v)) for kind, v in sorted(tally.caught.items())]
    every = [x for v in tally.caught.values() for x in v]
    lines += [share_line("ALL", sum(every), len(every)), "", "Faithful claims flagged"]
    lines += [share_line(kind, sum(v), len(v)) for kind, v in sorted(tally.flagged.items())]
    flags = [x for v in tally.flagged.values() for x in v]
    lines.append(share_line("ALL", sum(flags), len(flags)))
    lines += ["", "Conclusions against their abstract, the conclusion taken out"]
    lines += [share_line(kind, sum(v), len(v)) for kind, v in sorted(tally.own_words.items())]
    return "\n".join(lines)
