"""Faithful restatements of a sentence by rule: the meaning stays, the words do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from openwork_language.quantities.compare import QuantityKind, find_quantities

_SYNONYMS = {
    "myocardial infarction": "heart attack",
    "mortality": "death",
    "demonstrated": "showed",
    "decreased": "reduced",
    "reduced": "lowered",
    "increased": "raised",
    "hypertension": "high blood pressure",
    "significantly": "markedly",
    "individuals": "people",
    "participants": "people",
    "subjects": "participants",
    "assessed": "measured",
    "therapy": "treatment",
    "treatment": "therapy",
    "approximately": "about",
    "compared with": "versus",
    "versus": "compared with",
    "compared to": "compared with",
    "efficacy": "effectiveness",
    "hospitalization": "hospital admission",
    "adverse events": "side effects",
    "elderly": "older",
    "received": "were given",
    "similar": "comparable",
    "renal": "kidney",
    "cardiac": "heart",
    "hepatic": "liver",
    "tumor": "tumour",
    "improved": "got better",
    "prevented": "averted",
    "children": "paediatric patients",
    "associated with": "linked to",
    "occurred in": "was seen in",
    "however": "but",
    "although": "though",
    "increase": "rise",
    "decrease": "fall",
    "reduction": "decrease",
    "administered": "given",
    "cancer": "tumour",
    "higher": "greater",
    "vaccine": "vaccination",
    "concluded": "found",
    "identified": "found",
}
_K = QuantityKind


def verbatim(text: str, random: Random, passage: str) -> str | None:
    """The sentence itself."""
    return text


def synonyms(text: str, random: Random, passage: str) -> str | None:
    """One to three words for their synonyms."""
    found = [w for w in _SYNONYMS if re.search(rf"\b{w}\b", text)]
    if not found:
        return None
    for word in random.sample(found, min(len(found), 3)):
        text = re.sub(rf"\b{word}\b", _SYNONYMS[word], text, count=1)
    return text


_SMALL = (
    r"(?:is|are|was|were|be|been|being|has|have|had|not|no|can|could|may|might|also|or|and|by|with|which|that|to|in|on|"
    r"at|"
    r"from|after|during|although|when|while|since|because|if|both|but|this|these|it|they|we|for|over|more|most|"
    r"\w+ly|(?:led|result|show|demonstrat|suggest|reveal|indicat|report|appear)\w*)"
)
_PASSIVE = re.compile(
    rf"(?P<a>(?!{_SMALL}\b)[A-Z][\w-]*(?: (?!{_SMALL}\b)[\w-]+){{0,4}}) (?:(?P<adverb>\w+ly) )?"
    r"(?P<v>reduced|increased|inhibited|improved|suppressed|enhanced|decreased|induced|lowered|prevented) "
    rf"(?P<b>(?!{_SMALL}\b|the more\b|\w+ed\b)[\w-]+"
    r"(?: (?!(?:and|but|while|which|that|was|were|is|are|by|compared|than)\b)[\w-]+){0,9})\."
)


def passive(text: str, random: Random, passage: str) -> str | None:
    """ "A reduced B." to "B was reduced by A."; of whole sentences of that form only."""
    match = _PASSIVE.fullmatch(text)
    if not match:
        return None
    b, a = match["b"], match["a"]
    a = a[0].lower() + a[1:] if a[1:2].islower() else a
    head = re.split(r"\b(?:in|of|for|at|after|during|from|with|on|to|between|among)\b", b)[0].strip()
    was = "were" if re.search(r"[^sui]s$", head) else "was"
    return f"{b[0].upper()}{b[1:]} {was} {match['adverb'] + ' ' if match['adverb'] else ''}{match['v']} by {a}."


def rounding(text: str, random: Random, passage: str) -> str | None:
    """One figure with decimals is rounded by one place."""
    found = [
        q
        for q in find_quantities(text)
        if q.high is None and q.kind is not _K.P_VALUE and re.search(r"\d[.·]\d", q.text) and abs(q.value) >= 1
    ]
    if not found:
        return None
    q = random.choice(found)
    match = re.search(r"\d+[.·]\d+", q.text)
    if match is None:
        return None
    value = Decimal(match.group().replace("·", "."))
    places = -int(value.as_tuple().exponent) - 1
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return text[: q.start] + q.text.replace(match.group(), str(rounded)) + text[q.end :]


def number_format(text: str, random: Random, passage: str) -> str | None:
    """The same numbers in another notation."""
    changed = re.sub(r"(?<=\d)%(?! ?CI| conf)", " percent", text) if random.random() < 0.3 else text
    changed = re.sub(
        r"(?<![\w/.,-])(?<!CA )(?<![-−])(\d+(?:\.\d+)?)\s?[–-]\s?(\d+(?:\.\d+)?)(?![\w/-]|\.\d)", r"\1 to \2", changed
    )
    changed = changed.replace("·", ".").replace("P<", "p < ").replace("P=", "p = ")
    changed = re.sub(r"\b(\d),(\d{3})\b", r"\1\2", changed)
    changed = re.sub(r"\bhazard ratio\b,?", "HR", re.sub(r"\bodds ratio\b,?", "OR", changed))
    changed = changed.replace("confidence interval", "CI")
    return changed if changed != text else None


def abbreviation(text: str, random: Random, passage: str) -> str | None:
    """A long form that the passage abbreviates, or the reverse."""
    for match in re.finditer(r"\b((?:[a-z]+[\s-]){1,4}[a-z]+) \(([A-Z]{2,5})\)", passage):
        words = re.split(r"[\s-]", match.group(1))
        long_form = " ".join(words[-len(match.group(2)) :])
        if len(words) < len(match.group(2)) or [w[0].upper() for w in long_form.split()] != list(match.group(2)):
            continue
        bare = re.sub(rf"\s?\({match.group(2)}\)", "", text)
        if long_form in bare:
            return bare.replace(long_form, match.group(2))
        if re.search(rf"\b{match.group(2)}\b", bare):
            return re.sub(rf"\b{match.group(2)}\b", long_form, bare)
    return None


def trimmed(text: str, random: Random, passage: str) -> str | None:
    """An opening word or a parenthesis is left out."""
    changed = re.sub(
        r"^(?:However|Moreover|Furthermore|In addition|In conclusion|Thus|Overall|Therefore), (\w)",
        lambda m: m.group(1).upper(),
        text,
    )
    changed = re.sub(r"\s\([^()]{3,80}\)", "", changed, count=1)
    return changed if changed != text and len(changed.split()) > 6 else None


def framed(text: str, random: Random, passage: str) -> str | None:
    """The sentence as a report: "In one study, ..."."""
    first = text.split()[0]
    lowered = text if not first[1:].islower() else text[0].lower() + text[1:]
    return random.choice(("In one study, ", "According to the authors, ", "The study found that ")) + lowered


KINDS: dict[str, Callable[[str, Random, str], str | None]] = {
    "verbatim": verbatim,
    "synonyms": synonyms,
    "passive": passive,
    "rounding": rounding,
    "number_format": number_format,
    "abbreviation": abbreviation,
    "trimmed": trimmed,
    "framed": framed,
}
