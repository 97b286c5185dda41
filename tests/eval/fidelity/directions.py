"""Directions: claims made by template from Evidence Inference against what its annotators read.

A prompt says: with respect to this outcome, the intervention against the comparator is significantly higher, lower, or
no different. From it come claims that are right, that say the opposite, that claim an effect where there is none, and
that deny one where there is. Which wording a claim gets is drawn with a seed, not chosen.

A prompt is used only if *all* of its annotations, the ones marked invalid too, have the same label (annotators who
disagree had a reason), both arms and the outcome read as one thing each (`prompt_words.py`), and it is not in `UNSURE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from openwork_contracts.verdict import EvidenceItem
from openwork_language.sentences import split_sentences

from tests.eval.fidelity.judging import Case, Figure, Judged, at_least, at_most, contradicted, supported
from tests.eval.fidelity.prompt_words import Arm, Outcome, read_arm, read_outcome
from tests.eval.fidelity.sources import read_jsonl

PART = "directions"
SEED = 20241201
PER_KIND = 4
"""Claims of each kind and prompt."""
FORMS = ("annotated sentences", "abstract")
RIGHT, OPPOSITE, NULL_OF_EFFECT, RIGHT_NULL, EFFECT_OF_NULL = (
    "right direction",
    "opposite direction",
    "no difference told of an effect",
    "no difference told of none",
    "effect told of no difference",
)
# Read one by one before any claim was judged; the label does not settle which way the level moved.
UNSURE = {
    "12941": "the intervention is consultations about the named drugs, not the drugs",
    "12041": "the diameter fell in both arms, less with the intervention: the level at the end is lower",
    "12134": "each arm against its own start",
    "13049": "the dimension of a scale on which higher is better, labelled by the annotators as better",
    "13051": "the same",
    "13052": "the same",
    "13585": "more improvement on a scale on which lower is better, labelled higher",
}
_EFFECTS = (
    "{O} {was} significantly {higher} {with_i} than {with_c}.",
    "{O} {was} {higher} {with_i} than {with_c}.",
    "Compared {against}, {o} {was} significantly {higher} {with_i}.",
    "There was a significant {rise} in {o} {with_i} relative to {c}.",
    "{I} significantly {raised} {o} compared with {c}.",
    "{I} {raised} {o} more than {c} did.",
    "{I} led to {higher} {o} than {c}.",
    "{O} {was} {raised_passive} by {i} compared with {c}.",
    "Compared with {c}, {i} was associated with significantly {higher} {o}.",
    "Those assigned to {i} had significantly {higher} {o} than those assigned to {c}.",
)
_GREATER = (
    "{O} {was} significantly {greater} {with_i} than {with_c}.",
    "{O} {was} {greater} {with_i} than {with_c}.",
    "Compared {against}, {o} {was} significantly {greater} {with_i}.",
    "{I} led to {greater} {o} than {c}.",
    "{I} was associated with significantly {greater} {o} than {c}.",
    "Those assigned to {i} had significantly {greater} {o} than those assigned to {c}.",
)
_TIMES = ("{O} {was} significantly {longer} {with_i} than {with_c}.", "{I} significantly {lengthened} {o} versus {c}.")
_EVENTS = (
    "{O} {was} significantly {more_often} {with_i} than {with_c}.",
    "{O} occurred {more_often_adverb} {with_i} than {with_c}.",
)
_NULLS = (
    "There was no significant difference in {o} between {i} and {c}.",
    "{O} did not differ significantly between {i} and {c}.",
    "{O} {was} similar {with_i} and {with_c}.",
    "{I} did not significantly change {o} compared with {c}.",
    "{I} had no significant effect on {o} compared with {c}.",
    "{O} {was} not significantly different {with_i} compared {against}.",
    "{O} {was} no different {with_i} than {with_c}.",
)
_WORDS = {
    1: {
        "higher": "higher", "greater": "greater", "rise": "increase", "raised": "increased", "longer": "longer",
        "raised_passive": "increased", "lengthened": "lengthened", "more_often": "more frequent",
        "more_often_adverb": "more often",
    },
    -1: {
        "higher": "lower", "greater": "smaller", "rise": "reduction", "raised": "reduced", "longer": "shorter",
        "raised_passive": "decreased", "lengthened": "shortened", "more_often": "less frequent",
        "more_often_adverb": "less often",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt whose parts can stand in a sentence."""

    key: str
    outcome: Outcome
    intervention: Arm
    comparator: Arm
    label: int
    evidence: dict[str, EvidenceItem]
    """By form; the abstract only where an annotated span lies in it."""


def prompts(data: Path) -> Iterator[Prompt]:
    """The usable prompts of the shared half."""
    for row in read_jsonl(data / "benchmarks/evidence-inference/articles_v2.jsonl.gz"):
        text = str(row["text"])
        title = " ".join(text.removeprefix("TITLE:").split("\n\n")[0].split())
        for raw in row["prompts"]:
            annotations = raw["annotations"]
            labels = {a["label_code"] for a in annotations}
            parts = read_outcome(raw["outcome"]), read_arm(raw["intervention"]), read_arm(raw["comparator"])
            outcome, intervention, comparator = parts
            if len(labels) != 1 or raw["prompt_id"] in UNSURE or not (outcome and intervention and comparator):
                continue
            label = labels.pop()
            arms = (intervention.name, comparator.name)
            if arms[0] == arms[1] or any(outcome.name in arm for arm in arms):
                continue
            if label and not outcome.allows_effects:
                continue
            spans = [(int(a["start"]), int(a["end"])) for a in annotations if a["valid_label"]]
            if spans:
                found = _evidence(text, title, spans)
                yield Prompt(raw["prompt_id"], outcome, intervention, comparator, label, found)


def claims(prompt: Prompt, random: Random) -> Iterator[tuple[str, str, bool]]:
    """(kind, claim, whether it is right), `PER_KIND` of each kind."""
    effects = templates(prompt)
    if prompt.label == 0:
        for template in _drawn(random, [t for t in effects if "significant" in t]):
            yield EFFECT_OF_NULL, _filled(template, prompt, random.choice((1, -1))), False
        for template in _drawn(random, _fitting(_NULLS, prompt)):
            yield RIGHT_NULL, _filled(template, prompt, 1), True
        return
    for template in _drawn(random, effects):
        yield RIGHT, _filled(template, prompt, prompt.label), True
    for template in _drawn(random, effects):
        yield OPPOSITE, _filled(template, prompt, -prompt.label), False
    for template in _drawn(random, _fitting(_NULLS, prompt)):
        yield NULL_OF_EFFECT, _filled(template, prompt, 1), False


def templates(prompt: Prompt) -> list[str]:
    """The wordings of an effect that are grammatical and true for certain with this outcome and these arms."""
    outcome = prompt.outcome
    chosen = [*(_GREATER if outcome.turned else _EFFECTS)]
    chosen += [*(_TIMES if outcome.is_time else ()), *(_EVENTS if outcome.is_event else ())]
    return _fitting(chosen, prompt)


def cases(data: Path) -> Iterator[Case]:
    """Every claim against every form of its evidence; the kind names both."""
    for prompt in prompts(data):
        for kind, text, right in claims(prompt, Random(f"{SEED}:{prompt.key}")):
            for form, item in prompt.evidence.items():
                told = ", arms and outcome named" if names_all(prompt, item) else ""
                yield Case(f"{kind} | {form}{told}", text, (item,), right, origin=f"{prompt.key}: {item.text[:600]}")


def names_all(prompt: Prompt, item: EvidenceItem) -> bool:
    """Whether the evidence has a word of each arm and half of the outcome's: without them nobody could tell."""
    text = f"{item.title} {item.text}".lower()
    arms = (prompt.intervention.name, prompt.comparator.name)
    outcome = _content(prompt.outcome.name)
    told = sum(word[:6] in text for word in outcome)
    return all(any(word[:6] in text for word in _content(arm)) for arm in arms) and 2 * told >= len(outcome)


def figures(judged: list[Judged]) -> list[Figure]:
    """Right beside wrong, for each form of evidence; then the same where it names arms and outcome."""
    found = []
    for form in FORMS:
        for named in ("", ", arms and outcome named"):
            found += _figures([j for j in judged if f"| {form}{named}" in j.case.kind], f"{form}{named}", bool(named))
    return found


def _figures(judged: list[Judged], form: str, only_named: bool) -> list[Figure]:
    def of(kind: str) -> list[Judged]:
        return [j for j in judged if j.case.kind.startswith(kind)]

    right = of(RIGHT)
    wanted = (at_least(0.8), at_most(0.02), at_most(0.1), at_most(0.08), at_most(0.1))
    bars = (None,) * 5 if only_named else wanted
    return [
        supported(PART, f"{form}: {RIGHT}, supported", right, bars[0]),
        contradicted(PART, f"{form}: {RIGHT}, called contradicted", right, bars[1]),
        supported(PART, f"{form}: {OPPOSITE}, supported", of(OPPOSITE), bars[2]),
        supported(PART, f"{form}: {EFFECT_OF_NULL}, supported", of(EFFECT_OF_NULL), bars[3]),
        supported(PART, f"{form}: {NULL_OF_EFFECT}, supported", of(NULL_OF_EFFECT), bars[4]),
        supported(PART, f"{form}: {RIGHT_NULL}, supported", of(RIGHT_NULL)),
        contradicted(PART, f"{form}: {RIGHT_NULL}, called contradicted", of(RIGHT_NULL)),
    ]


def _drawn(random: Random, wordings: list[str]) -> list[str]:
    return random.sample(wordings, min(PER_KIND, len(wordings)))


def _fitting(wordings: tuple[str, ...] | list[str], prompt: Prompt) -> list[str]:
    """Those that need no noun where an arm is none."""
    if prompt.intervention.is_noun and prompt.comparator.is_noun:
        return list(wordings)
    return [t for t in wordings if not re.search(r"\{[Iic]\}", t)]


def _filled(template: str, prompt: Prompt, direction: int) -> str:
    i, c, o = prompt.intervention, prompt.comparator, prompt.outcome
    against = f"with {c.name}" if c.is_noun else f"with those {c.name}"
    text = template.format(
        O=o.first, o=o.name, was=o.was, I=i.name, i=i.name, c=c.name,
        with_i=i.given, with_c=c.given, against=against, **_WORDS[direction],
    )  # fmt: skip
    return text[0].upper() + text[1:]


def _evidence(text: str, title: str, spans: list[tuple[int, int]]) -> dict[str, EvidenceItem]:
    """The annotated sentences, and the abstract where one of them stands in it."""
    told = list(dict.fromkeys(_sentence_at(text, start, end) for start, end in sorted(spans)))
    found = {FORMS[0]: EvidenceItem(n=1, title=title, text=" ".join(told))}
    body = text.find("\nBODY.")
    sections = re.findall(r"^ABSTRACT\.[^\n]*:\n(.*?)(?=\n\n[A-Z]+[.:]|\Z)", text[:body], re.DOTALL | re.MULTILINE)
    if sections and any(start < body for start, _ in spans):
        found[FORMS[1]] = EvidenceItem(n=1, title=title, text="\n".join(s.strip() for s in sections))
    return found


def _sentence_at(text: str, start: int, end: int) -> str:
    """The span widened to the sentences of its paragraph."""
    first = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    last = text.find("\n\n", end)
    paragraph = text[first : last if last > 0 else len(text)]
    heading = re.match(r"[A-Z]+\.[^\n]*:\n", paragraph)
    offset = first + (heading.end() if heading else 0)
    touched = [
        s.text
        for s in split_sentences(text[offset : first + len(paragraph)])
        if offset + s.start < end and offset + s.end > start
    ]
    return " ".join(touched).strip() or text[start:end]


def _content(phrase: str) -> list[str]:
    return [w.lower() for w in re.findall(r"[A-Za-z][\w-]+", phrase) if len(w) > 2 and w.lower() not in _EMPTY]


_EMPTY = frozenset({"the", "and", "with", "for", "alone", "plus", "group", "per", "mean", "total"})
