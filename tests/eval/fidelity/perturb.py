"""Injected hallucinations: one rule-made error in a sentence that its source bears out."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from openwork_language.quantities.compare import QuantityKind, find_quantities

_K = QuantityKind
_DRUG_LIST = (
    "apixaban rivaroxaban dabigatran warfarin aspirin clopidogrel ticagrelor prasugrel metformin "
    "empagliflozin dapagliflozin semaglutide liraglutide sitagliptin insulin atorvastatin rosuvastatin "
    "simvastatin ezetimibe evolocumab amlodipine lisinopril ramipril losartan valsartan spironolactone "
    "eplerenone furosemide metoprolol bisoprolol carvedilol digoxin amiodarone dexamethasone prednisone "
    "prednisolone hydrocortisone methotrexate adalimumab infliximab rituximab trastuzumab bevacizumab "
    "pembrolizumab nivolumab tamoxifen letrozole cisplatin carboplatin paclitaxel docetaxel doxorubicin "
    "gemcitabine imatinib erlotinib sertraline fluoxetine citalopram escitalopram venlafaxine olanzapine "
    "risperidone quetiapine haloperidol lithium valproate lamotrigine carbamazepine levodopa donepezil "
    "memantine ibuprofen naproxen celecoxib paracetamol morphine fentanyl ketamine propofol midazolam "
    "amoxicillin azithromycin ciprofloxacin vancomycin meropenem oseltamivir remdesivir "
    "hydroxychloroquine ivermectin omeprazole ondansetron denosumab alendronate zoledronate "
    "norepinephrine dopamine vasopressin epinephrine salbutamol tiotropium budesonide montelukast "
    "omalizumab allopurinol colchicine finasteride oxytocin misoprostol magnesium heparin enoxaparin "
    "placebo"
)
DRUGS = tuple(_DRUG_LIST.split())
_DISEASE_LIST = (
    "atrial fibrillation|heart failure|myocardial infarction|stroke|hypertension|type 2 diabetes|"
    "type 1 diabetes|asthma|chronic obstructive pulmonary disease|pneumonia|sepsis|septic shock|"
    "breast cancer|lung cancer|prostate cancer|colorectal cancer|melanoma|leukemia|lymphoma|"
    "multiple sclerosis|parkinson's disease|alzheimer's disease|epilepsy|depression|schizophrenia|"
    "bipolar disorder|rheumatoid arthritis|osteoarthritis|osteoporosis|psoriasis|crohn's disease|"
    "ulcerative colitis|cirrhosis|hepatitis c|hepatitis b|chronic kidney disease|migraine|malaria|"
    "tuberculosis|obesity|anemia|endometriosis|preeclampsia|glaucoma|cystic fibrosis"
)
DISEASES = tuple(_DISEASE_LIST.split("|"))
FLIPS = {
    "reduced": "increased",
    "increased": "reduced",
    "lower": "higher",
    "higher": "lower",
    "decreased": "increased",
    "reduces": "increases",
    "increases": "reduces",
    "decrease": "increase",
    "increase": "decrease",
    "fewer": "more",
    "improved": "worsened",
    "improves": "worsens",
    "lowered": "raised",
    "reduction": "increase",
    "greater": "smaller",
    "better": "worse",
    "longer": "shorter",
    "shorter": "longer",
    "inhibits": "activates",
    "promotes": "inhibits",
    "enhanced": "suppressed",
    "suppressed": "enhanced",
    "inhibited": "stimulated",
    "prevented": "caused",
    "less": "more",
    "more frequent": "less frequent",
    "elevated": "reduced",
    "reducing": "increasing",
    "increasing": "reducing",
}
POPULATIONS = {
    "women": "men",
    "men": "women",
    "children": "adults",
    "adults": "children",
    "infants": "adults",
    "mice": "patients",
    "rats": "patients",
    "boys": "girls",
    "girls": "boys",
    "adolescents": "elderly people",
    "older adults": "children",
    "pregnant women": "elderly men",
    "neonates": "adults",
    "females": "males",
    "males": "females",
}
_UNITS = {
    "mg": "g",
    "g": "mg",
    "μg": "mg",
    "µg": "mg",
    "mcg": "mg",
    "weeks": "months",
    "months": "years",
    "days": "weeks",
    "years": "months",
    "hours": "days",
    "week": "month",
    "month": "year",
    "year": "month",
    "day": "week",
    "minutes": "hours",
    "ml": "L",
    "mL": "L",
    "mmol/L": "mg/dL",
    "mg/dL": "mmol/L",
    "mg/kg": "mg",
    "kg": "g",
    "mmHg": "kPa",
    "mm Hg": "kPa",
    "cm": "mm",
    "mm": "cm",
}
CERTAIN = (
    (r"\bmay be\b", "is"),
    (r"\bmight be\b", "is"),
    (r"\bcould be\b", "is"),
    (r"\bmay (?=\w)", "will always "),
    (r"\bmight (?=\w)", "will "),
    (r"\bcould (?=\w)", "will "),
    (r"\bsuggests? that\b", "proves that"),
    (r"\bindicates? that\b", "conclusively proves that"),
    (r"\b(?:is|was|were|are) associated with\b", "caused"),
    (r"\bappears? to\b", "is proven to"),
    (r"\bseems? to\b", "is proven to"),
    (r"\bshowed that\b", "definitively proved that"),
    (r"\bpossible\b", "certain"),
    (r"\bpotential\b", "proven"),
    (r"\bpotentially\b", "always"),
)


def number(text: str, random: Random) -> str | None:
    """One number that is no interval end or p value gets another value."""
    return _alter(text, random, lambda q: q.high is None and q.kind not in {_K.P_VALUE, _K.YEAR} and not q.in_words)


def p_value(text: str, random: Random) -> str | None:
    """A p value gets another value on the other side of 0.05."""
    found = [q for q in find_quantities(text) if q.kind is _K.P_VALUE and q.value > 0]
    if not found:
        return None
    q = random.choice(found)
    new = "P=0.64" if q.value < 0.05 or q.operator == "<" else "P<0.001"
    return text[: q.start] + new + text[q.end :]


def interval_bound(text: str, random: Random) -> str | None:
    """One end of an interval or range gets another value."""
    found = [q for q in find_quantities(text) if q.kind is _K.INTERVAL]
    return _alter_digits(text, random.choice(found), random, last=random.random() < 0.5) if found else None


def unit(text: str, random: Random) -> str | None:
    """A number keeps its value and gets another unit."""
    found = [
        (q, w) for q in find_quantities(text) for w in (re.sub(r"^[−\-\d.,·\s]+", "", q.text).strip(),) if w in _UNITS
    ]
    percents = [q for q in find_quantities(text) if q.kind is _K.PERCENT and q.text.endswith("%")]
    if found:
        q, word = random.choice(found)
        return text[: q.start] + q.text[: -len(word)] + _UNITS[word] + text[q.end :]
    if percents:
        q = random.choice(percents)
        return text[: q.start] + q.text[:-1].strip() + " mg" + text[q.end :]
    return None


def direction(text: str, random: Random) -> str | None:
    """Lower becomes higher; a difference becomes none, or the reverse."""
    no_difference = re.search(
        r"\bno (?:statistically )?(?:significant )?(differences?|effect|association|change)\b", text
    )
    if no_difference:
        return text[: no_difference.start()] + f"a significant {no_difference.group(1)}" + text[no_difference.end() :]
    if re.search(r"\bdid not\b", text):
        return text.replace("did not ", "did ", 1)
    found = [m for word in FLIPS for m in re.finditer(rf"\b{word}\b", text)]
    if not found:
        return None
    match = random.choice(found)
    return text[: match.start()] + FLIPS[match.group()] + text[match.end() :]


def swapped_arms(text: str, random: Random) -> str | None:
    """The two drugs or arms that a sentence compares change places."""
    if not re.search(r"\b(?:than|versus|vs\.?|compared (?:with|to)|relative to)\b", text):
        return None
    named = list(dict.fromkeys(m.group() for m in re.finditer(_DRUG_PATTERN, text, re.IGNORECASE)))
    if len(named) != 2 or not re.search(
        r"\b(?:lower|higher|reduc|increas|more|less|better|superior|fewer|greater|longer|shorter|%)", text
    ):
        return None
    first, second = named
    connector = r"\b(?:than|versus|vs\.?|compared (?:with|to)|relative to)\b"
    between = text[text.find(first) : text.find(second)]
    if re.search(r"\b(?:not|no|similar|plus|combin\w+)\b", text) or not (
        re.search(connector, between) or re.match(r"(?:Compared with|Relative to)", text)
    ):
        return None
    return re.sub(
        rf"\b(?:{re.escape(first)}|{re.escape(second)})\b", lambda m: second if m.group() == first else first, text
    )


def drug(text: str, random: Random) -> str | None:
    """One drug becomes another one."""
    found = [m for m in re.finditer(_DRUG_PATTERN, text, re.IGNORECASE) if m.group().lower() != "placebo"]
    if not found:
        return None
    match = random.choice(found)
    other = random.choice([d for d in DRUGS if d not in text.lower() and d != "placebo"])
    return re.sub(rf"\b{re.escape(match.group())}\b", other, text)


def disease(text: str, random: Random) -> str | None:
    """One disease becomes another one."""
    found = list(re.finditer(rf"\b(?:{'|'.join(DISEASES)})\b", text, re.IGNORECASE))
    if not found:
        return None
    match = random.choice(found)
    other = random.choice([d for d in DISEASES if d not in text.lower()])
    return re.sub(rf"\b{re.escape(match.group())}\b", other, text)


def population(text: str, random: Random) -> str | None:
    """One group of people becomes another one."""
    found = [m for word in POPULATIONS for m in re.finditer(rf"\b{word}\b", text)]
    if not found:
        return None
    match = random.choice(found)
    return text[: match.start()] + POPULATIONS[match.group()] + text[match.end() :]


def certainty(text: str, random: Random) -> str | None:
    """A hedge becomes a proof, an association a cause."""
    found = [(p, r) for p, r in CERTAIN if re.search(p, text)]
    if not found:
        return None
    pattern, replacement = random.choice(found)
    return re.sub(pattern, replacement, text, count=1)


KINDS: dict[str, Callable[[str, Random], str | None]] = {
    "number": number,
    "p_value": p_value,
    "interval": interval_bound,
    "unit": unit,
    "direction": direction,
    "swapped_arms": swapped_arms,
    "drug": drug,
    "disease": disease,
    "population": population,
    "certainty": certainty,
}
_DRUG_PATTERN = rf"\b(?:{'|'.join(DRUGS)})\b"


def _alter(text: str, random: Random, eligible: Callable[..., bool]) -> str | None:
    found = [q for q in find_quantities(text) if eligible(q) and re.search(r"\d", q.text)]
    return _alter_digits(text, random.choice(found), random, last=False) if found else None


def _alter_digits(text: str, q: object, random: Random, *, last: bool) -> str | None:
    start, end = q.start, q.end  # type: ignore[attr-defined]
    numbers = list(re.finditer(r"\d+(?:[.·]\d+)?", text[start:end]))
    numbers = [
        m for m in numbers if not re.match(r"\s?%?\s?(?:CI|confidence)", text[start + m.end() : start + m.end() + 14])
    ]
    if not numbers:
        return None
    chosen = numbers[-1] if last else numbers[0 if len(numbers) == 1 else len(numbers) - 2]
    digits = [i for i, c in enumerate(chosen.group()) if c.isdigit() and not (i == 0 and c == "0")]
    if not digits:
        return None
    i = random.choice(digits)
    old = chosen.group()[i]
    new = random.choice([d for d in "123456789" if d != old])
    at = start + chosen.start() + i
    return text[:at] + new + text[at + 1 :]
