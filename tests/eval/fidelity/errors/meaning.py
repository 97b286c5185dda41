"""What a sentence says of an effect: its direction, whether there is one, how sure, how often, from what design."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.eval.fidelity import perturb

Swap = tuple[str, str]
_NULLS: tuple[Swap, ...] = (
    (r"\bno (?:statistically )?significant (differences?|effects?|associations?|changes?|correlations?)\b",
     r"a significant \1"),
    (r"\b(did|do|does) not (?:significantly )?(differ)(?: significantly)?\b", r"\1 significantly \2"),
    (r"\b(was|were|is|are) not significantly (different|higher|lower|associated|greater|increased|reduced|related)\b",
     r"\1 significantly \2"),
    (r"\b(was|were) not (associated|different|increased|reduced|affected|improved)\b", r"\1 significantly \2"),
    (r"\bno (differences?|effects?|associations?|benefits?|improvements?|increase|reduction)\b", r"a significant \1"),
    (r"\b(did|do|does) not (?:significantly )?(affect|reduce|improve|increase|change|alter|prevent|influence)\b",
     r"\1 significantly \2"),
    (r"\b(was|were|is|are) (?:similar|comparable)\b", r"\1 significantly different"),
    (r"\b(?:non-?significant|not (?:statistically )?significant|insignificant)\b", "statistically significant"),
    (r"\bno (?:evidence|indication) (of|that|for)\b", r"clear evidence \1"),
)  # fmt: skip
_QUANTIFIERS: tuple[Swap, ...] = (
    (
        r"(?<!the )(?<!The )(?<!a )(?<!are )(?<!is )\b[Mm]ost "
        r"(?=(?:\w+ )?(?:patients|children|cases|women|studies|trials|of)\b)",
        "all ",
    ),
    (r"\b[Tt]he majority of\b", "all"),
    (r"\b[Ss]ome (?=\w+s\b|of\b)", "all "),
    (r"(?<!as )\b[Mm]any (?!years|times|as)(?=\w+s\b|of\b)", "all "),
    (r"\b[Ss]everal (?=\w+s\b|of\b)", "all "),
    (r"(?<!a )(?<!A )\b[Ff]ew (?=\w+s\b)", "most "),
    (r"\b[Aa] (?:subset|minority|fraction) of\b", "all"),
    (r"\b(?:[Aa]bout |[Aa]pproximately |[Nn]early )?(?:half|one[ -]third|two[ -]thirds|a third) of\b", "all of"),
    (r"(?<!less )(?<!more )(?<!most )(?<!as )(?<!so )\b(?:often|frequently|usually|generally|commonly)\b", "always"),
    (r"\b(?:sometimes|occasionally)\b", "always"),
    (r"\brarely\b", "usually"),
    (r"\bnearly all\b|\balmost all\b", "all"),
    (r"\bat least one of\b", "all of"),
    (r"\bpartially\b|\bpartly\b", "completely"),
)
_DESIGNS: tuple[Swap, ...] = (
    (r"\b[Rr]etrospective(?:ly)? (cohort stud|stud|analys|review|chart)", r"randomised \1"),
    (r"\b[Oo]bservational\b", "randomised"),
    (r"\b(?:prospective |retrospective |population-based )?cohort stud(y|ies)\b", r"randomised stud\1"),
    (r"\b(?:nested )?case[- ]control\b", "randomised controlled"),
    (r"\b[Cc]ross-sectional\b", "randomised"),
    (r"\b[Oo]pen[- ]label(?:led)?\b", "double-blind"),
    (r"\b[Ss]ingle[- ]blind(?:ed)?\b", "double-blind"),
    (r"\b[Uu]ncontrolled\b", "placebo-controlled"),
    (r"\b[Cc]ase (?:report|series)\b", "randomised trial"),
    (r"\b[Pp]rospective(?:ly)?\b", "retrospective"),
    (r"\b[Rr]etrospective(?:ly)?\b", "prospective"),
    (r"\b[Rr]andomi[sz]ed(?:,)? (?:controlled |clinical |placebo-controlled |double-blind )*(trials?|stud\w+)\b",
     r"observational \1"),
    (r"\b[Cc]rossover\b", "parallel-group"),
    (r"\b[Mm]eta-analys[ie]s\b", "randomised trial"),
    (r"\b[Ss]ystematic review\b", "randomised trial"),
    (r"\b[Ii]n vitro(?=[.,;])", "in patients"),
    (r"\b[Ss]ingle[- ]cent(?:er|re)\b", "multicentre"),
)  # fmt: skip
_MARGINS: tuple[Swap, ...] = (
    (r"\bnon-?inferior to\b", "superior to"),
    (r"\bnon-?inferior\b", "superior"),
    (r"\bnon-?inferiority\b", "superiority"),
    (r"\bnot inferior to\b", "superior to"),
    (r"\bequivalent to\b", "superior to"),
    (r"\bequivalence\b", "superiority"),
    (r"(?<!at least )(?<!twice )(?<!times )\b(?:as|equally) (effective|safe|efficacious) (?:as|to)\b", r"more \1 than"),
    (r"\bat least as (effective|safe|efficacious) as\b", r"more \1 than"),
    (r"\b(was|were|is|are) (?:similar|comparable) (?:to|with)\b", r"\1 superior to"),
    (r"\bsimilar efficacy\b", "superior efficacy"),
)
_OBSERVED = re.compile(
    r"\b(?:cohort|retrospective|case[- ]control|cross-sectional|observational|registry|survey)\b", re.IGNORECASE
)
_BEGINS = re.compile(
    r"(?!In (?:this|our|contrast|addition|conclusion)|The (?:present|findings|results|aim)|A wider)"
    r"(?:The|In|Among|Patients|Women|Men|Children|Mortality|Risk|Higher|Lower|Increased|There|After|Compared|A|An|Of|"
    r"Most|Both|Age|Smoking|Obesity)\b"
)
_RESULT = re.compile(r"\b(?:associat|reduc|increas|lower|higher|risk|improv|decreas|predict|more|less|differ)\w*")


def direction(text: str, abstract: str, random: Random) -> str | None:
    """Lower becomes higher, reduced increased."""
    found = [m for word in perturb.FLIPS for m in re.finditer(rf"\b{word}\b", text)]
    if not found or re.search(r"\b(?:no|not|nor|without|whether)\b", text):
        return None
    m = random.choice(found)
    return text[: m.start()] + perturb.FLIPS[m.group()] + text[m.end() :]


def null_made_significant(text: str, abstract: str, random: Random) -> str | None:
    """No difference becomes a significant one."""
    return _swapped(text, random, _NULLS)


def certainty(text: str, abstract: str, random: Random) -> str | None:
    """A hedge becomes a proof, an association a cause."""
    if re.search(r"\b(?:may|might|could) not\b", text):
        return None
    return _swapped(text, random, perturb.CERTAIN)


def quantifier(text: str, abstract: str, random: Random) -> str | None:
    """Most becomes all, often always."""
    return _swapped(text, random, _QUANTIFIERS)


def design(text: str, abstract: str, random: Random) -> str | None:
    """One study design becomes another, of which the abstract says nothing."""
    changed = _swapped(text, random, _DESIGNS)
    return changed if changed and _new_words(text, changed).isdisjoint(_words(abstract)) else None


def design_added(text: str, abstract: str, random: Random) -> str | None:
    """A result of an observational study is told as one of a randomised trial."""
    if not _OBSERVED.search(abstract) or re.search(r"random|trial", abstract, re.IGNORECASE) or not _BEGINS.match(text):
        return None
    if not _RESULT.search(text) or re.search(
        r"\b(?:may|might|should|aim\w*|were (?:collected|reviewed)|guideline)\b", text
    ):
        return None
    frame = random.choice(("In a randomised controlled trial, ", "A randomised trial found that "))
    return frame + text[0].lower() + text[1:]


def margin(text: str, abstract: str, random: Random) -> str | None:
    """Noninferior, equivalent or similar becomes superior."""
    treats = re.search(r"\b(?:treatments?|therap(?:y|ies)|placebo|drugs?|efficacy|effective|mg)\b", text, re.IGNORECASE)
    if not treats or re.search(r"\bsuperior", abstract) or re.search(r"\b(?:not|nor|whether|if)\b", text):
        return None
    return _swapped(text, random, _MARGINS)


KINDS: dict[str, Callable[[str, str, Random], str | None]] = {
    "direction": direction,
    "null result made significant": null_made_significant,
    "certainty": certainty,
    "quantifier": quantifier,
    "design replaced": design,
    "design added": design_added,
    "noninferior or similar made superior": margin,
}


def _swapped(text: str, random: Random, swaps: tuple[Swap, ...]) -> str | None:
    """One of the swaps that apply, at one of its places."""
    found = [(m, new) for pattern, new in swaps for m in re.finditer(pattern, text)]
    if not found:
        return None
    m, new = random.choice(found)
    told = m.expand(new)
    if m.start() == 0:
        told = told[0].upper() + told[1:]
    return text[: m.start()] + told + text[m.end() :]


def _words(text: str) -> set[str]:
    return {w[:6] for w in re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower().replace("z", "s")) if len(w) > 3}


def _new_words(text: str, changed: str) -> set[str]:
    return _words(changed) - _words(text)
