"""Words that could tell an effect and here do not: parts of names, qualities, sizes that another word tells."""

from __future__ import annotations

import re
from functools import lru_cache

from openwork_language.effects.words import CUE, Direction

_ADJECTIVE = re.compile(
    r"(?:reduced|increased|decreased|elevated|raised|impaired|lower|higher|improved|prolonged|induced|lowered|enhanced|"
    r"poor|delayed|restricted|limited|inhibited|activated)$",
    re.IGNORECASE,
)
_HAVING = re.compile(
    r"(?:\b(?:patients|people|women|men|children|adults|those|subjects|participants|individuals|persons|infants|cases|"
    r"groups?|and|or)\s+(?:who\s+have\s+|having\s+)?(?:with|of)|\bof\s+(?:patients|people|women|"
    r"men)\s+with)\s+(?:an?\s+|the\s+)?$",
    re.IGNORECASE,
)
_AGENT_OF = re.compile(r"\b(?:by|between|despite)\s+(?:the\s+)?$", re.IGNORECASE)
_NOUN = re.compile(r"\s+(?!by\b|in\b|with\b|from\b|to\b|and\b|or\b|than\b|after\b)[A-Za-z]")
_NAMED_LEVEL = re.compile(
    r"\s+(?:doses?|dosage|limbs?|extremit|back|respiratory|urinary\s+tract|abdom|gastrointestinal|income|grade|education|"
    r"socioeconomic|body|lobe|"
    r"teeth|tooth|eyelid|esophag|oesophag|total\s+dose|intensity|risk\s+(?:group|patients)|third|half|quartile|tertile|"
    r"quintile|bound|limit|pole|"
    r"than\s+\d|age\b|levels?\s+of\s+(?:education|care|evidence))",
    re.IGNORECASE,
)
_AGENT = re.compile(
    r"(?:inhibitors?|blockers?|activators?|suppressors?|enhancers?|stimulators?|boosters?|antagonists?)$", re.IGNORECASE
)
_PROCEDURE = re.compile(
    r"(?:stimulation|efficacy|effectiveness|inhibition|activation|prevention|protection|suppression)$", re.IGNORECASE
)
_OF = re.compile(r"\s+(?:of|against|from|in|was|were|is)\b", re.IGNORECASE)
_QUALITY = re.compile(
    r"^(?:effective|useful|successful|safe|unsafe|beneficial|accurate|best|poor|preventi\w+|protecti\w+|toxic)$",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|as|more|most|less|highly|very|equally|an?|proved|found|seems?|appears?|"
    r"remain\w*|not|also)\s+$",
    re.IGNORECASE,
)
_FUNCTION_WORD = re.compile(
    r"\s*(?:$|[.,;:()]|(?:in|for|at|as|than|and|or|but|with|to|of|on|by|when|if|against|compared|treatment|therapy|"
    r"method|option|alternative|way)\b)",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"^(?:leads?|led|leading|caus\w+|to\s+cause|(?:can|may|might|could|not)\s+cause|drives?|confers?|conferred|"
    r"elicit\w*|induc\w+|trigger\w*)",
    re.IGNORECASE,
)
_BOUND = re.compile(r"^(?:more|less|fewer|higher|lower|greater|longer|shorter|better|worse)$", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s+than\s+(?:(?:about|around|nearly|over|just|(?:a|an|the)\s+(?:half|third|quarter|fifth|tenth|dozen|hundred|"
    r"thousand)|one|two|three|four|five|six|seven|eight|nine|ten|half|third|quarter|twice|\d\S*)\b)",
    re.IGNORECASE,
)
_REMAINED = re.compile(
    r"\b(?:is|are|was|were|be|been|remain\w*|stay\w*|about|much|exactly|nearly|almost|roughly|had)\s+$", re.IGNORECASE
)
_RESPONSE = re.compile(
    r"\b(?:achiev\w+|reach\w+|attain\w+|obtain\w+|with|had|having|showing|defined\s+as|experienc\w+)\s+(?:an?\s+)?(?:at\s+least\s+|more\s+than\s+|[\u2265>]\s?)?"
    r"(?:a\s+)?\d[\d.]*\s?%\s+(?:or\s+(?:more|greater|higher)\s+)?$",
    re.IGNORECASE,
)
_OF_A_DRUG = re.compile(r"(?:\w+ing|rescue|preventive|protective)$", re.IGNORECASE)
_DRUG = re.compile(
    r"\s+(?:\w+\s+)?(?:drugs?|agents?|medic\w+|therap\w+|treatments?|analges\w+|inhalers?|antibiotics?|strateg\w+|"
    r"programmes?|programs?|interventions?)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"^(?:more|greater|larger|higher|less|smaller|lower|fewer|lesser|better|highest|largest|greatest)$", re.IGNORECASE
)
CHANGE = re.compile(
    r"\s+(?:\w+\s+){0,2}?(?:reductions?|decreases?|declines?|increases?|improvements?|benefits?|loss|gains?|rise|fall|drop|worsening|deterioration|protection|prevention|relief|recovery)\b",
    re.IGNORECASE,
)
_MORE_THAN = re.compile(r"\s+(?:than|with|in|for|among|compared|over|after|at|during|by)\b", re.IGNORECASE)
_COMPARATIVE = re.compile(r"^(?:more|less|fewer|\w+er)$", re.IGNORECASE)
_OR_MORE = re.compile(r"\d\S*\s*(?:%|\w+)?\s+(?:or|and)\s+$", re.IGNORECASE)
_THE_HIGHER = re.compile(
    r"(?:\s+(?:[\w-]+\s+){0,2}?(?:dose|one|group|arm|target|threshold|limit|level|figure|end|half|third|quartile|"
    r"tertile|quintile|cut-?off|range|class|stage|grade)s?\b|\s*(?:[.,;)]|$))",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:^|[;:]\s*|,\s+(?:and|but|whereas|while)\s+|\b(?:whereas|while|that)\s+)(?:an?\s+|the\s+)?$", re.IGNORECASE
)
_COUNTED_MORE = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|many|few|several|once|no)\s+$", re.IGNORECASE
)
_COMPARES = re.compile(r"\b(?:than|compared|versus|vs|relative)\b", re.IGNORECASE)
_AN_EFFECT = re.compile(r"(?:mortality|risk|rate|incidence|odds|number|proportion|level|score|frequenc)", re.IGNORECASE)
_LATER = re.compile(r"\s+(?:than|onset|with|in)\b|\s*[.,;(]", re.IGNORECASE)
_IS_SAID = re.compile(r"\b(?:was|were|is|are|been|be)\s+(?:\w+ly\s+)*$", re.IGNORECASE)
_NOT_AN_OBJECT = re.compile(
    r"\s*(?:[.,;:()]|$)|\s+(?:or|and|in|at|of|for|was|were|is|are|than|with|over|on|came|stood|by|to|during|after|"
    r"within|between|among|did|had|has|compared|versus|vs|fell|rose|occurred|other)\b",
    re.IGNORECASE,
)
_SPEAKS_IN = re.compile(r"\b(?:speaks?|spoke|argue[sd]?|decided|voted|came\s+(?:down|out))\s+in\s+$", re.IGNORECASE)
_KNOWN = re.compile(r"\b(?:chronic(?:ally)?|known|long-?standing|persistent(?:ly)?)\s+$", re.IGNORECASE)
_CAME = re.compile(
    r"\b(?:was|were|is|are|occurred|came|much|significantly|days?|weeks?|months?|years?)\s+$", re.IGNORECASE
)
_COMPARED = (
    r"(?:was|were|is|are)\s+(?:\w+ly\s+|also\s+|not\s+|much\s+|even\s+)*"
    r"(?P<degree>greater|larger|higher|more|stronger|smaller|less|lower|lesser|weaker)\b"
)
_NOUN_OF_CHANGE = re.compile(
    rf"\b(?P<noun>reductions?|decreases?|declines?|increases?|improvements?|rises?|gains?|loss|fall|drop|worsening|deterioration|protection)\s+"
    rf"(?:in|of|from|against)\b[^.;:]{{1,110}}?\b{_COMPARED}",
    re.IGNORECASE,
)


def is_attribute(sentence: str, cue: re.Match[str]) -> bool:
    """Whether the word names a kind of people, dose, place or agent and states no effect.

    "Patients with reduced ejection fraction", "a lower dose", "lower limb", "radiation-induced", "COX inhibitors",
    "effective contraception", and "leads to" before a word that says where it leads ("leads to less pain").
    """
    word, before, after = cue.group(), sentence[: cue.start()], sentence[cue.end() :]
    if any(m.start("noun") == cue.start() for m in _compared_nouns(sentence)):
        return True  # "the increase in pain was less": the comparative tells it
    if _is_part_of_a_name(word, before, after) or _is_quality(word, before, after) or _is_idiom(word, before, after):
        return True
    told = _IS_SAID.search(before) is not None  # "was higher with": of the subject, not of what was done
    if _DEGREE.match(word) and (CHANGE.match(after) or (_MORE_THAN.match(after) and _acted(before) and not told)):
        return True
    if _COMPARATIVE.match(word) and _is_description(word, before, after):
        return True
    if _LEADS.match(word):
        following = CUE.search(after)
        return following is not None and len(after[: following.start()].split()) <= 3
    return False


def _is_description(word: str, before: str, after: str) -> bool:
    """ "7 or lower", "23 weeks with the higher", "six more tumours", and what a longer wait, named first, leads to."""
    if _OR_MORE.search(before):
        return True
    if re.search(r"\bthe\s+$", before, re.IGNORECASE) and _THE_HIGHER.match(after):
        return True
    if word.lower() == "more" and _COUNTED_MORE.search(before) and not _COMPARES.search(after):
        return True
    if word.lower() == "later":
        return not (_LATER.match(after) and _CAME.search(before)) or bool(re.search(r"\d\s\w+\s+$", before))
    subject = re.split(r"[;:,]", after)[0]
    verb = CUE.search(subject)
    named = subject[: verb.start()] if verb else ""
    return bool(_OPENS.search(before) and named.strip()) and not _AN_EFFECT.search(named.split()[0])


def _is_part_of_a_name(word: str, before: str, after: str) -> bool:
    """ "Radiation-induced", "COX inhibitors", "lower limb", "lower-dose", "rescue drugs"."""
    if before[-1:] in {"-", "\u2010", "\u2011"} and not before.endswith(("non-", "--")):
        return True
    if _AGENT.search(word) or (_PROCEDURE.search(word) and not _OF.match(after)):
        return True
    if _NAMED_LEVEL.match(after) and not re.match(r"(?:more|less|fewer|reduc\w+|increas\w+)$", word, re.IGNORECASE):
        return True
    if re.match(r"[-\u2010\u2011][A-Za-z]", after) and _ADJECTIVE.search(word):
        return True
    if re.match(r"impairments?$", word, re.IGNORECASE):
        return True
    if word.lower().endswith("ing") and re.search(r"(?:^|\bby|\bthrough|\bof)\s*$", before, re.IGNORECASE):
        return True  # "blocking A did not inhibit B", "was curbed by blocking A"
    return _OF_A_DRUG.match(word) is not None and _DRUG.match(after) is not None


def _is_quality(word: str, before: str, after: str) -> bool:
    """ "Patients with reduced ejection fraction", "effective contraception", "the same cohort", who responded."""
    if _ADJECTIVE.search(word) and (_HAVING.search(before) or (_AGENT_OF.search(before) and _NOUN.match(after))):
        return True
    if _QUALITY.match(word) and not _PREDICATE.search(before) and not _FUNCTION_WORD.match(after):
        return True
    if word.lower() == "the same" and not _REMAINED.search(before):
        return True
    # "Achieved a 75% reduction in PASI" tells who responded.
    return CHANGE.match(f" {word}") is not None and _RESPONSE.search(before) is not None


def _is_idiom(word: str, before: str, after: str) -> bool:
    """ "More than half", "nothing less", "Similarly, ...", "dropped out", "at least", "induced abortion"."""
    if _BOUND.match(word) and _COUNTED.match(after):
        return True
    if re.search(r"\b(?:nothing|none|no\s+one)\s+$", before, re.IGNORECASE):
        return True
    if word.lower().startswith("similar") and not before.strip() and after.startswith(","):
        return True
    if re.match(r"\s+out\b", after) and word.lower().startswith("drop"):
        return True
    if _SPEAKS_IN.search(before) and word.lower().startswith(("favour", "favor")):
        return True
    if _KNOWN.search(before) and _ADJECTIVE.search(word):
        return True
    if word.lower() == "causes" and _NOT_AN_OBJECT.match(after):
        return True  # "death from cardiovascular causes"
    if word.lower() == "blocked" and re.match(r"\s+(?:vessel|arter|nose|airway|duct|tube|catheter|vein)", after):
        return True
    if word.lower() == "doubling" and re.match(r"\s+of\b|\s*[,;)]|\s+(?:or|and)\b", after):
        return True  # an outcome, "doubling of creatinine"
    if re.match(r"\s+short\b", after) and word.lower().startswith("f"):
        return True
    if re.search(r"\b(?:at|the)\s$", before, re.IGNORECASE) and word.lower() == "least":
        return True
    return word.lower() == "induced" and not re.match(r"\s+(?:a|an|the|by|in|significant\w*|more|less)\b", after)


def compared_noun(sentence: str, cue: re.Match[str]) -> Direction | None:
    """Which way goes the change whose size a comparative tells: "the increase in pain was less" is lower."""
    for match in _compared_nouns(sentence):
        if match.start("degree") == cue.start():
            noun = CUE.match(match["noun"])
            return Direction(noun.lastgroup) if noun and noun.lastgroup else None
    return None


@lru_cache(maxsize=1024)
def _compared_nouns(sentence: str) -> tuple[re.Match[str], ...]:
    return tuple(_NOUN_OF_CHANGE.finditer(sentence))


def _acted(before: str) -> bool:
    """Whether a verb of change stands before in the clause: "reduced congestion significantly more than placebo"."""
    clause = re.split(r"[;:.]", before[-80:])[-1]
    cues = [m for m in CUE.finditer(clause) if not _DEGREE.match(m.group())]
    return bool(cues) and re.search(r"(?:ed|es|s)$", cues[-1].group()) is not None
