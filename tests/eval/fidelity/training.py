"""Claims with labels that we make ourselves, to fit the soft part of the gate on. None is of a judged set.

Evidence Inference (MIT) gives intervention, comparator, outcome, the direction and the sentence that shows it;
PubMedQA (MIT) conclusions and the parts of the abstract they rest on; BioASQ (CC BY 2.5) answers in experts' own words
and the snippets they were written from. Opposites and neutral pairs are made by rule.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from openwork_language.sentences import split_sentences
from openwork_language.wording import content

from tests.eval.fidelity import perturb
from tests.eval.fidelity.sources import read_jsonl

ENTAILED, REFUTED, NEUTRAL = "entailed", "refuted", "neutral"
_RISE = (
    "{i} increased {o} compared with {c}.",
    "{O} was higher with {i} than with {c}.",
    "{I} raises {o}.",
    "{I} leads to more {o} than {c}.",
    "{I} is linked to greater {o}.",
)
_FALL = (
    "{i} reduced {o} compared with {c}.",
    "{O} was lower with {i} than with {c}.",
    "{I} lowers {o}.",
    "{I} leads to less {o} than {c}.",
    "{I} is linked to a decrease in {o}.",
)
_SAME = (
    "There was no significant difference in {o} between {i} and {c}.",
    "{I} did not affect {o} compared with {c}.",
    "{I} has no effect on {o}.",
    "{O} was similar with {i} and {c}.",
)
_BY_LABEL = {1: _RISE, -1: _FALL, 0: _SAME}
_TITLE = re.compile(r"TITLE:\s*(.+)")
_SECTION = re.compile(r"^[A-Z]+[.:][^\n]*:?$", re.MULTILINE)
_RESULTS = re.compile(r"RESULT|FINDING|OUTCOME", re.IGNORECASE)
_SETTING = re.compile(r"BACKGROUND|OBJECTIVE|AIM|PURPOSE|METHOD|DESIGN|SETTING|PATIENTS|PARTICIPANTS", re.IGNORECASE)
_SAYS = re.compile(r"\b(is|are|was|were|can|may|should|does|do|did|has|have)\b(?! not)")
_NEAREST = 3
"""Other texts that a claim is held against, the nearest ones: the hardest that are surely not its source."""


@dataclass(frozen=True, slots=True)
class Example:
    """A claim, the text it is held against, and what is true of the two."""

    origin: str
    claim: str
    title: str
    evidence: str
    label: str


def examples(data: Path, random: Random) -> Iterator[Example]:
    """All examples; the same seed gives the same ones."""
    yield from evidence_inference(data, random)
    yield from pubmedqa(data, random)
    yield from bioasq(data, random)


def evidence_inference(data: Path, random: Random) -> Iterator[Example]:
    """Templates over intervention, comparator, outcome; other spans and sentences of the same article are neutral."""
    for row in read_jsonl(data / "benchmarks/evidence-inference/articles_v2.jsonl.gz"):
        found = _TITLE.search(row["text"])
        title = found.group(1) if found else ""
        sentences = [s.text for s in split_sentences(_SECTION.sub("", row["text"][:12_000])) if len(s.text) > 60]
        for prompt in row["prompts"]:
            spans = [a["evidence"] for a in prompt["annotations"] if a["valid_label"] and len(a["evidence"]) > 40]
            codes = {a["label_code"] for a in prompt["annotations"] if a["valid_label"]}
            if len(codes) != 1 or not spans:
                continue
            (code,) = codes
            others = [
                a["evidence"]
                for p in row["prompts"]
                if p["outcome"] != prompt["outcome"]
                for a in p["annotations"]
                if a["evidence"] not in spans
            ]
            neutral = random.sample(others, min(2, len(others))) + random.sample(sentences, min(2, len(sentences)))
            yield from _of_prompt(prompt, code, title, spans, neutral, random)


def _of_prompt(
    prompt: dict[str, str], code: int, title: str, spans: Sequence[str], neutral: Sequence[str], random: Random
) -> Iterator[Example]:
    for label in _BY_LABEL:
        claim = _filled(random.choice(_BY_LABEL[label]), prompt)
        for span in sorted(set(spans))[:2]:
            truth = ENTAILED if label == code else REFUTED
            yield Example("evidence-inference", claim, random.choice(("", title)), span, truth)
        if label == code:
            for text in neutral:
                yield Example("evidence-inference", claim, random.choice(("", title)), text, NEUTRAL)


def _filled(template: str, prompt: dict[str, str]) -> str:
    i, c, o = (" ".join(prompt[k].split()).rstrip(".") for k in ("intervention", "comparator", "outcome"))
    text = template.format(i=i, c=c, o=o, I=i, O=o)
    return text[0].upper() + text[1:]


def pubmedqa(data: Path, random: Random) -> Iterator[Example]:
    """Conclusions against the abstract, against its results, against its methods, against the nearest other one."""
    with gzip.open(data / "benchmarks/pubmedqa/pqa_labeled.json.gz", "rt", encoding="utf-8") as file:
        rows = list(json.load(file).values())
    texts = [" ".join(row["CONTEXTS"]) for row in rows]
    for row, text in zip(rows, texts, strict=True):
        parts = list(zip(row["LABELS"], row["CONTEXTS"], strict=False))
        results = " ".join(t for label, t in parts if _RESULTS.search(label))
        setting = " ".join(t for label, t in parts if _SETTING.search(label))
        claims = [s.text for s in split_sentences(row["LONG_ANSWER"]) if len(s.text.split()) > 6]
        for claim in claims[:2]:
            yield Example("pubmedqa", claim, "", results or text, ENTAILED)
            yield Example("pubmedqa", claim, row["QUESTION"], text, ENTAILED)
            opposite = opposite_of(claim, random)
            if opposite:
                yield Example("pubmedqa", opposite, row["QUESTION"], text, REFUTED)
                yield Example("pubmedqa", opposite, "", results or text, REFUTED)
            if setting and results:
                yield Example("pubmedqa", claim, "", setting, NEUTRAL)
            for other in _nearest(claim, texts, text)[:_NEAREST]:
                yield Example("pubmedqa", claim, "", other, NEUTRAL)


def bioasq(data: Path, random: Random) -> Iterator[Example]:
    """Experts' answers against the snippets they were written from, and against those of the nearest other question."""
    with gzip.open(data / "benchmarks/bioasq/bioasq_12b_golden.json.gz", "rt", encoding="utf-8") as file:
        read = json.load(file)
    rows = read["questions"] if isinstance(read, dict) else read
    texts = [" ".join(s["text"] for s in row["snippets"][:6]) for row in rows]
    for row, text in zip(rows, texts, strict=True):
        ideal = row.get("ideal_answer") or ""
        answer = ideal[0] if isinstance(ideal, list) else ideal
        for claim in [s.text for s in split_sentences(answer) if len(s.text.split()) > 6][:2]:
            yield Example("bioasq", claim, "", text, ENTAILED)
            opposite = opposite_of(claim, random)
            if opposite:
                yield Example("bioasq", opposite, "", text, REFUTED)
            for other in _nearest(claim, texts, text)[:_NEAREST]:
                yield Example("bioasq", claim, "", other, NEUTRAL)


def opposite_of(claim: str, random: Random) -> str | None:
    """The claim with its direction turned, or with a negation put in or taken out."""
    turned = perturb.direction(claim, random) if random.random() < 0.6 else _antonym(claim, random)
    if turned is not None and turned != claim and random.random() < 0.7:
        return turned
    if re.search(r"\bnot\b", claim):
        return re.sub(r"\bnot ", "", claim, count=1)
    said = _SAYS.search(claim)
    return claim[: said.end()] + " not" + claim[said.end() :] if said else turned


_ANTONYMS = {
    "positive": "negative",
    "effective": "ineffective",
    "safe": "unsafe",
    "common": "rare",
    "present": "absent",
    "sufficient": "insufficient",
    "similar": "different",
    "different": "similar",
    "high": "low",
    "low": "high",
    "early": "late",
    "beneficial": "harmful",
    "useful": "useless",
    "important": "unimportant",
    "strong": "weak",
    "likely": "unlikely",
    "possible": "impossible",
    "necessary": "unnecessary",
    "all": "none of",
    "before": "after",
    "acute": "chronic",
}


def _antonym(claim: str, random: Random) -> str | None:
    """One adjective becomes its opposite."""
    found = [m for word in _ANTONYMS for m in re.finditer(rf"\b{word}\b", claim)]
    if not found:
        return None
    match = random.choice(found)
    return claim[: match.start()] + _ANTONYMS[match.group()] + claim[match.end() :]


def _nearest(claim: str, texts: Sequence[str], own: str) -> list[str]:
    """The other texts that share most words with the claim, most first."""
    words = content(claim)
    rated = sorted((-len(words & content(t)), i) for i, t in enumerate(texts) if t != own)
    return [texts[i] for _, i in rated[:_NEAREST]]
