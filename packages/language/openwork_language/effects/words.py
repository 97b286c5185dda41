"""The words that state an effect: which way it goes, how sure its author is, what it is compared with."""

from __future__ import annotations

import re
from enum import StrEnum


class Direction(StrEnum):
    """Which way an effect goes."""

    LOWER = "lower"
    HIGHER = "higher"
    NO_DIFFERENCE = "no_difference"
    BETTER = "better"
    WORSE = "worse"
    NON_INFERIOR = "non_inferior"
    DIFFERENT = "different"
    """A difference or an association, its sign not said."""


class Certainty(StrEnum):
    """How sure the author is."""

    ASSERTED = "asserted"
    SUGGESTED = "suggested"
    """suggests, appears, probably, tends to: stated with reserve."""
    HEDGED = "hedged"
    """may, might, could, potential, preliminary: only possible."""
    OPEN = "open"
    """A question, an aim, "unclear": nothing is stated."""


_NO = r"(?:no|not(?:\s+\w+ly)?(?:\s+(?:a|any|find|have|show))?|without(?:\s+(?:a|any))?|neither)"
_ADVERB = (
    r"(?:\s+(?:statistically|clinically|significant(?:ly)?|clear|meaningful|important|apparent|major|overall|such|obvious|"
    r"appreciable|detectable|consistent|independent|substantial|relevant|between-group|direct|known|further|additional|evidence\s+of(?:\s+an?)?|evidence\s+for(?:\s+an?)?|evidence\s+that))*"
)
_CUES: tuple[tuple[Direction, str], ...] = (
    (
        Direction.NON_INFERIOR,
        r"non-?\s?inferior(?:ity)?|noninferior(?:ity)?|(?:not|no)\s+(?:\w+\s+)?(?:inferior|worse)\b",
    ),
    (
        Direction.NO_DIFFERENCE,
        rf"{_NO}{_ADVERB}\s+(?:differences?|different|effects?|changes?|associations?|associated|correlations?|correlated|"
        r"relationships?|related|impact|influence|interactions?|benefits?|advantage)\b"
        r"|(?:did|do|does|was|were)\s?n[o']t\s+(?:\w+ly\s+)?(?:differ|change|affect|influence|alter|impact|vary)\w*"
        r"|(?:lack|absence)\s+of\s+(?:an?\s+|any\s+)?(?:association|difference|effect|correlation|relationship|benefit)"
        r"|neither\b[^.;]{0,60}?\b(?:differ|affect|chang)\w*"
        r"|\bsimilar(?:ly)?\b|\bcomparable\b|\bunchanged\b|\b(?:was|were|is|are)\s+equivalent\b|\bequivalent\s+(?:to|in|efficacy)\b|\bequal(?:ly)?\b|\bunaffected\b|\bunrelated\b"
        r"|\b(?:little|minimal|negligible)(?:\s+or\s+no)?\s+(?:effects?|difference|impact|influence|benefit|change)\b|\bplays?\s+no\b"
        r"|\bindependent\s+of\b|\bindependently\s+of\b|\birrespective\s+of\b|\bthe\s+same\b|\bineffective\b|\bfutil\w+",
    ),
    (
        Direction.LOWER,
        r"\b(?:lower(?:ed|s|ing)?|reduc(?:es?|ed|ing|tions?)|decreas(?:es?|ed|ing)|declin(?:es?|ed|ing)|fewer|less(?!\s+than\s+[\d.])|"
        r"lesser|diminish\w*|drop(?:s|ped)?|fell|falls?\s+in|attenuat\w+|suppress\w*|inhibit\w*|prevent(?:s|ed|ing|ion)?|"
        r"protect(?:s|ed|ing|ive|ion)?|block(?:s|ed|ing|ade)|short(?:er|ened|ens|ening)|smaller|downregulat\w+|down-regulat\w+|"
        r"deplet\w+|abolish\w*|abrogat\w+|mitigat\w+|minimi[sz]\w+|slow(?:er|ed|s|ing)|delay(?:s|ed|ing)?|curb\w*|halv(?:es|ed|ing)|"
        r"restrict(?:s|ed|ing)|limit(?:s|ed|ing)|antagoni[sz]\w+|eliminat\w+|rarer|lowest|least|unlikely)\b",
    ),
    (
        Direction.HIGHER,
        r"\b(?:higher|increas\w+|greater|more(?!\s+than\s+[\d.])(?!over)|elevat\w+|rais(?:es?|ed|ing)|rose|risen|rising|"
        r"long(?:er|est)|prolong\w*|larger|promot\w+|induc(?:es?|ed|ing)|enhanc\w+|activat(?:es?|ed|ing)|stimulat\w+|upregulat\w+|"
        r"up-regulat\w+|doubl(?:es?|ed|ing)(?![-\s]blind)|tripl(?:es?|ed|ing)|boost\w*|accelerat\w+|facilitat\w+|amplif\w+|augment\w+|"
        r"trigger\w*|causes|caused|causing|(?:to|can|may|might|could|not)\s+cause|lead(?:s|ing)?\s+to|led\s+to|drives?|elicit\w*|highest|extend(?:s|ed)|predispos\w+|confers?|conferred|catalyz\w+|catalys\w+|worsens?(?=\s+the\s+risk))\b",
    ),
    (
        Direction.BETTER,
        r"\b(?:improv\w+|better|superior(?:ity)?|benefi(?:t|ts|ted|cial|cially)|effective(?:ly|ness)?|efficac\w+|favou?r(?:s|ed|able|ably|ing)?|"
        r"alleviat\w+|ameliorat\w+|reliev\w+|rescu(?:es?|ed|ing)|restor(?:es?|ed|ing)|preferable|accurate(?:ly)?|safe(?:ly|r)?|well\s+tolerated|best|useful|successful(?:ly)?)\b",
    ),
    (
        Direction.WORSE,
        r"\b(?:wors\w+|inferior|harm(?:s|ed|ful)?|deteriorat\w+|detriment\w*|exacerbat\w+|aggravat\w+|impair\w*|adverse(?:ly)\b|"
        r"poor(?:er|ly)?|unsafe|damag(?:es?|ed|ing)|toxic|inaccurate|negative\s+(?:effects?|outcomes?|impact))\b",
    ),
    (
        Direction.DIFFERENT,
        r"\b(?:associat(?:ed|ion|ions|es)|correlat\w+|link(?:ed|s)|relat(?:ed\s+to|ionship)|predict(?:s|ed|or|ors|ive)|differ(?:s|ed|ent|ence|ences)|"
        r"affect(?:s|ed|ing)?|influenc\w+|impact(?:s|ed)?|contribut\w+|determin(?:es|ant))\b",
    ),
)
CUE = re.compile("|".join(f"(?P<{direction.value}>{pattern})" for direction, pattern in _CUES), re.IGNORECASE)
"""One cue per match; the name of the group that matched is its `Direction`."""

NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|fail(?:s|ed|ure|ing)?\s+to|unable\s+to|lack(?:s|ed|ing)?(?:\s+of)?|absence\s+of|"
    r"rather\s+than|instead\s+of|n[o']t|little|hardly|insufficient\s+to|unlikely\s+to)\b(?!\s+only)|n['’]t\b",
    re.IGNORECASE,
)
CLAUSE_BREAK = re.compile(r"[;:,()]|\b(?:but|whereas|while|although|however|though|which|because|and)\b", re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:may(?!\s+\d)|might|could|possibl[ey]|potential(?:ly)?|perhaps|hypothesi[sz]ed?|presum\w+|speculat\w+|preliminary|putative(?:ly)?|"
    r"conceivabl[ey]|uncertain|limited\s+evidence|low[-\s]certainty|not\s+(?:yet\s+)?(?:proven|established|conclusive))\b",
    re.IGNORECASE,
)
SUGGEST = re.compile(
    r"\b(?:suggest(?:s|ed|ing|ive)?|appear(?:s|ed)?\s+to|seem(?:s|ed)?|(?<!more\s)(?<!less\s)(?<!as\s)likely(?!\s+to\s+have)|probabl[ey]|"
    r"tend(?:s|ed)\s+to|tendency|(?<!for\s)trend(?:s|ed)?\s+(?:to|toward))\b",
    re.IGNORECASE,
)
OPEN = re.compile(
    r"\b(?:whether|unclear|unknown|not\s+known|remains?\s+(?:controversial|uncertain|unclear|debated|to\s+be)|"
    r"(?:we|study|trial|objective|aim|purpose|sought|designed|undertaken|conducted|hypothes\w+)\b[^.;]{0,40}\b(?:to\s+"
    r"(?:assess|evaluate|determine|investigate|examine|compare|explore|test|identify|study|establish)|aimed)|"
    r"further\s+(?:studies|research|trials|investigation)|to\s+(?:assess|evaluate|determine|investigate|examine|compare|explore)\b)",
    re.IGNORECASE,
)
STRONG = re.compile(
    r"\b(?:prove[sdn]?|proof|definitive(?:ly)?|conclusive(?:ly)?|unequivocal(?:ly)?|certain(?:ly)?|always|never|guarantee[sd]?|"
    r"cure[sd]?|eliminate[sd]?|eradicate[sd]?|undoubtedly|invariably|completely|entirely|all\s+patients|every\s+patient|"
    r"dramatic(?:ally)?|established\s+that|clearly)\b",
    re.IGNORECASE,
)
CAUSAL = re.compile(
    r"\b(?:caus(?:es?|ed|ing)|leads?\s+to|led\s+to|results?\s+in|resulted\s+in|due\s+to|because\s+of|responsible\s+for|"
    r"prevent(?:s|ed|ing)?|protect(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
ASSOCIATION = re.compile(
    r"\b(?:associat(?:ed|ion|ions)|correlat\w+|link(?:ed|s)?|observational|relationship|predict\w*|risk\s+factors?)\b",
    re.IGNORECASE,
)
COMPARATOR = re.compile(
    r"\b(?:compared\s+(?:with|to)|comparison\s+(?:with|to)|in\s+contrast\s+(?:with|to)|relative\s+to|versus|vs\b\.?|than(?:\s+(?:with|in|for|those|that|among|did))*|"
    r"(?:superior|inferior|noninferior|non-inferior|similar|comparable|equivalent|preferable)\s+to|rather\s+than|as\s+opposed\s+to|over(?=\s+(?:placebo|usual|standard|control|warfarin|aspirin)))\b\.?\s*",
    re.IGNORECASE,
)
INVERTER = re.compile(
    r"\b(?:loss|lack(?:s|ing)?|absence|deficien\w+|deplet\w+|knock-?(?:out|down|ed)|delet\w+|inhibition|inhibiting|inhibitors?\s+of|blockade|blocking|"
    r"interrupt\w+|silenc\w+|ablat\w+|disrupt\w+|abolish\w*|suppression|removal|withdrawal|discontinu\w+|"
    r"reduc\w+|decreas\w+|lower(?:ed|ing)?|low\s+levels?|declin\w+|diminish\w*|fall(?:s|ing)?|fell|drop(?:s|ped)?)\b|-/-|[\u2212-]null\b",
    re.IGNORECASE,
)
"""Words before a cue that turn its subject round: "loss of X reduces Y" says that X raises Y."""
SUBGROUP = re.compile(r"\b(?:subgroups?|subsets?|post[\s-]hoc|exploratory|stratum|strata)\b", re.IGNORECASE)
SURROGATE = re.compile(
    r"\b(?:biomarkers?|surrogate|serum\s+levels?|plasma\s+levels?|LDL|HbA1c|A1C|blood\s+pressure|bone\s+mineral\s+density|"
    r"viral\s+load|tumou?r\s+markers?|cholesterol|proteinuria|albuminuria)\b",
    re.IGNORECASE,
)
CLINICAL_OUTCOME = re.compile(
    r"\b(?:mortality|deaths?|survival|strokes?|myocardial\s+infarctions?|heart\s+attacks?|fractures?|hospitali[sz]ations?|"
    r"cardiovascular\s+events|amputations?|kidney\s+failure)\b",
    re.IGNORECASE,
)
