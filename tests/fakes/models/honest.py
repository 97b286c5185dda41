"""Good answers, made from the prompt's own passages by rule: enough for a whole run, and always the same."""

from __future__ import annotations

import json
import re

from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms
from openwork_language.tokens import token_set

from tests.fakes.models.reading import Asked

_RESULT = re.compile(
    r"\b(?:reduc|lower|increas|higher|associat|compared|versus|risk|hazard|significant|recommend)", re.I
)
_DANGLING = re.compile(r"^(?:it|they|this|these|that|those|we|our|both|however|in (?:this|both))\b", re.IGNORECASE)
_AIM = re.compile(r"\b(?:whether|aims?|aimed)\b", re.IGNORECASE)
_LABEL = re.compile(r"^[A-Z][A-Z /&,-]{3,}: ")
MAX_SENTENCES = 8
Claim = dict[str, object]
"""JSON, as the synthesiser asks for it."""
_IN_QUESTION = re.compile(r"""(?P<quote>['"])(?P<text>.*?)(?P=quote)""")
UNTOLD = {"arm": "", "outcome": "", "time": ""}
_PARAPHRASES = (
    (re.compile(r"\bpatients with\b"), "people with"),
    (re.compile(r"\bcompared with\b"), "versus"),
    (re.compile(r"\breduced\b"), "lowered"),
    (re.compile(r"\brandomized\b"), "randomised"),
    (re.compile(r"\bincreased\b"), "raised"),
)
"""A careful model's changes: other words, the same meaning."""


def honest_answer(asked: Asked) -> str:
    """What a careful model would answer."""
    match asked.step:
        case "query":
            return json.dumps(_query(asked))
        case "gap":
            return json.dumps(
                {"assessment": "sufficient", "contradictions": [], "missing_elements": [], "recommendation": "proceed"}
            )
        case "synthesiser":
            return json.dumps({"claims": synthesis(asked)})
        case "reviser":
            return json.dumps({"claims": revision(asked)})
        case "verifier":
            return json.dumps(_verifier(asked))
        case "screener":
            return json.dumps(_screener(asked))
        case _:
            return "I am a stand-in."


def _screener(asked: Asked) -> dict[str, object]:
    """In doubt a record is read: each is included, with words of its own."""
    records = {name: text for name, text in asked.blocks().items() if name.startswith("record ")}
    return {
        "decisions": [
            {
                "n": int(name.removeprefix("record ")),
                "decision": "include",
                "criterion": "",
                "quotation": " ".join(text.split()[:8]),
            }
            for name, text in records.items()
        ]
    }


def _query(asked: Asked) -> dict[str, object]:
    question = asked.blocks()["question"]
    words = question.rstrip(" ?.!")
    by_kind: dict[str, list[str]] = {"disease": [], "drug": [], "procedure": []}
    for term in find_terms(question):
        by_kind[term.kind.value].append(term.text)
    return {
        "is_biomedical": True,
        "is_instruction": False,
        "is_personal_advice": False,
        "is_harmful": False,
        "harmful_words": "",
        "reason": "a question about the evidence",
        "intent": "comparative_analysis"
        if re.search(r"versus|compare|\bvs\b", question, re.I)
        else "treatment_guideline",
        "entities": {"diseases": by_kind["disease"], "drugs": by_kind["drug"], "procedures": by_kind["procedure"]},
        "abbreviations_expanded": [],
        "search_variants": [f"{words} randomized trial", f"{words} systematic review", f"{words} cohort study"],
        "requires_sources": {"guidelines": False, "pubmed": True, "dailymed": False, "recent_web": False},
        "temporal_markers": [],
        "complexity_score": 0.6 if re.search(r"versus|compare|\bvs\b", question, re.I) else 0.3,
    }


def best_sentences(asked: Asked) -> list[tuple[int, str]]:
    """One telling sentence per source, (number, sentence), in the order of the sources."""
    question = token_set(asked.blocks().get("question", ""))
    chosen = []
    for n, text in asked.sources().items():
        fit = []
        for sentence in split_sentences(text):
            words = _LABEL.sub("", " ".join(sentence.text.split()))
            finds = words.endswith(".") and not _DANGLING.match(words) and not _AIM.search(words)
            if finds and 8 <= len(words.split()) <= 50:
                fit.append((len(question & token_set(words)) + 2 * bool(_RESULT.search(words)), words))
        if fit:
            chosen.append((n, max(fit, key=lambda pair: pair[0])[1]))
    return chosen[:MAX_SENTENCES]


def synthesis(asked: Asked) -> list[Claim]:
    """The sources' own sentences in slightly other words, each with its quotation."""
    chosen = best_sentences(asked)
    parts = ["answer", "answer", *["evidence"] * len(chosen)]
    return [claim(_in_other_words(s), n, s, part=part) for part, (n, s) in zip(parts, chosen, strict=False)]


def claim(text: str, n: int, quote: str, **more: object) -> Claim:
    """A claim as the synthesiser asks for it."""
    return {**more, "text": text, "quotes": [{"source": n, "quote": quote}]}


def revision(asked: Asked) -> list[Claim]:
    """Each sentence that failed in the words of its source that come closest; one that has none is left out."""
    sources, mended = asked.sources(), []
    for number, cited, text in asked.failed():
        n, quote = closest(text, cited, sources)
        if quote:
            mended.append(claim(" ".join(_LABEL.sub("", quote).split()), n, quote, id=number))
    return mended


def _in_other_words(sentence: str) -> str:
    for pattern, word in _PARAPHRASES:
        sentence = pattern.sub(word, sentence)
    return sentence


def _verifier(asked: Asked) -> dict[str, object]:
    """Every question is answered as its claim says, with the sentence nearest to it that holds the number."""
    sources, claims = asked.sources(), asked.claims()
    answers = []
    for (i, question), (kind, suspicion) in asked.questions().items():
        claim, cited = claims[i]
        n, quote = closest(claim, cited, sources, holding=number_in(kind, suspicion))
        said = {"verdict": "entailed", "source": n, "quote": quote}
        answers.append({"claim": i, "question": question, **said, **UNTOLD})
    return {"answers": answers}


def number_in(kind: str, suspicion: str) -> str:
    """The number that a question is about, as the claim prints it; empty for other questions."""
    found = _IN_QUESTION.match(suspicion) if kind == "number" else None
    return found["text"] if found else ""


def closest(claim: str, cited: tuple[int, ...], sources: dict[int, str], *, holding: str = "") -> tuple[int, str]:
    """The sentence of the cited sources that shares most words with the claim; one that holds a text before others."""
    words = token_set(claim)
    found = [
        (holding in s.text, len(words & token_set(s.text)), n, s.text)
        for n in cited
        for s in split_sentences(sources.get(n, ""))
        if s.text
    ]
    *_, n, quote = max(found, default=(False, 0, cited[0] if cited else 0, ""))
    return n, quote
