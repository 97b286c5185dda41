"""Findings of one sentence, by light and strict patterns; what is not wholly understood gives `None`."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fakes.models.writing.facts import Fact, Family, is_plain
from tests.fakes.models.writing.words import own

_UNIT_TIME = r"(?:days?|weeks?|months?|years?|hours?|minutes?|h)"
_COUNT = r"(?:\d+(?:\.\d+)?|one|two|three|four|five|six|eight|ten|twelve)"
TIME = (
    rf"(?:at|after|over|within|for|through|throughout|during|by) (?:a |an |the )?(?:(?:median|mean|average"
    rf"|maximum|first) )?(?:follow-up )?(?:of )?(?:{_COUNT}[ -]{_UNIT_TIME}"
    rf"|(?:day|week|month|year) \d+)(?: (?:of follow-up|of treatment|after \w+|follow-up|of age))?"
)
WHO = (
    r"(?:the )?(?:\w+[ -]){0,3}?(?:patients|people|adults|women|men|children|mice|rats|participants"
    r"|subjects|individuals|infants|boys|girls|"
    r"adolescents|cells|smokers|nonsmokers|volunteers|neonates|runners|athletes|students|residents"
    r"|survivors|outpatients|carriers|animals)"
)
_PLACE_END = re.compile(
    rf"^(?P<rest>.{{4,}}?) (?P<place>(?:in|among) {WHO}(?: (?:with|who|undergoing|taking|receiving|aged"
    rf"|without) [^,;]{{3,70}})?)$"
)
_ADVERB = (
    r"(?:(?:also|significantly|markedly|substantially|strongly|greatly|considerably|clearly|statistically "
    r"significantly|dramatically|still) )*"
)
_ALL_VERBS = "|".join(
    f"{stem}"
    for base in own("class")
    for stem in ([f"{base}(?:d|s)?"] if base.endswith("e") else [f"{base}(?:ed|s|es)?"])
)
_SIG = r"(?P<sig>(?:statistically |clinically )?(?:significant|significantly) )?"
PREP = r"(?:in|with|among|for|on|after|under|at|given|receiving)"


INSIDE = re.compile(
    r"\b(?:we|our|us|the latter|the former|these|those|this|such|respectively|above|below-mentioned|herein"
    r"|they|it|its|them|resultant|their|and (?:further )?(?:suggests?|suggested|implied|imply|indicates?|indicated))\b",
    re.I,
)

Reader = Callable[[str], Fact | None]


def _split_place(outcome: str) -> tuple[str, str]:
    match = _PLACE_END.match(outcome)
    if match and is_plain(match["place"], opens=True) and is_plain(match["rest"]):
        return match["rest"], match["place"]
    return outcome, ""


_AGAINST = (
    r"(?:,? (?:compared with|compared to|versus|as compared with|as compared to|relative to|vs\.?|in "
    r"comparison with|in comparison to) (?P<other>[^,;]+))?"
)
_EFFECT = re.compile(
    rf"(?P<a>.+?) (?P<modal>may |might |could )?{_ADVERB}(?P<verb>{_ALL_VERBS}) {_ADVERB}(?P<o>.+?)(?: by "
    rf"(?:about |approximately )?(?P<by>\d+(?:\.\d+)?)%)?{_AGAINST}"
)
_NO_EFFECT = re.compile(
    rf"(?P<a>.+?) (?:did not|does not) (?P<sig>significantly )?(?P<verb>{_ALL_VERBS}|affect|change|alter"
    rf"|influence) (?P<o>.+?){_AGAINST}"
    rf"|(?P<a2>.+?) (?:had|has|showed) no (?P<sig2>(?:statistically )?significant |)(?:effects?|impact"
    rf"|influence) on (?P<o2>.+?){_AGAINST.replace('other', 'other2')}"
)


def _class_of(verb: str) -> str | None:
    base = next((b for b in own("class") if verb in {b, f"{b}s", f"{b}d", f"{b}ed", f"{b}es"}), None)
    return own("class")[base][0] if base else None


def _bad_agent(agent: str) -> bool:
    return bool(
        re.search(
            r"\b(?:patients|people|women|men|children|participants|mice|animals|subjects|individuals|group"
            r"|cells|who)\b",
            agent,
        )
    )


def read_effect(words: str) -> Fact | None:
    """ "A reduced B compared with C"."""
    match = _EFFECT.fullmatch(words)
    if not match or not is_plain(match["a"]) or _bad_agent(match["a"]) or ", and" in match["a"]:
        return None
    verb, present = match["verb"], match["verb"].endswith("s")
    kind = _class_of(verb)
    bare_form = verb in own("class")
    if kind is None or bool(match["modal"]) != bare_form or (match["modal"] and match["by"]):
        return None
    outcome, place = _split_place(match["o"])
    other = match["other"] or ""
    if other and not place:
        other, place = _split_place(other)
    if not is_plain(outcome) or (other and not is_plain(other)) or _loose(outcome):
        return None
    return Fact(
        Family.EFFECT,
        "",
        outcome,
        match["a"],
        other,
        kind,
        (match["modal"] or "").strip(),
        present,
        by=match["by"] or "",
        place=place,
    )


def _loose(outcome: str) -> bool:
    """Whether more than one thing hangs on it: a list, a further verb, a way or an end."""
    return bool(
        re.search(
            r",|\b(?:by|via|through|as|to|from|in (?:part|turn)|when|after|at least|independent\w*|upon"
            r"|resulting|leading|thereby|per)\b",
            outcome,
        )
    )


def read_no_effect(words: str) -> Fact | None:
    """ "A did not reduce B", "A had no effect on B"."""
    match = _NO_EFFECT.fullmatch(words)
    if not match:
        return None
    agent, whole = match["a"] or match["a2"], match["o"] or match["o2"]
    verb = match["verb"] or ""
    kind = _class_of(verb) if verb else ""
    if (
        not is_plain(agent)
        or _bad_agent(agent)
        or (kind is None and verb not in {"affect", "change", "alter", "influence"})
    ):
        return None
    outcome, place = _split_place(whole)
    other = match["other"] or match["other2"] or ""
    if other and not place:
        other, place = _split_place(other)
    if not is_plain(outcome) or (other and not is_plain(other)) or _loose(outcome):
        return None
    significant = bool((match["sig"] or match["sig2"] or "").strip())
    return Fact(
        Family.NO_EFFECT,
        "",
        outcome,
        agent,
        other,
        kind or "",
        significant=significant,
        place=place,
        present="does not" in words,
    )


_THAN = re.compile(
    rf"(?P<o>.+?) (?P<be>was|were|is|are) (?P<adv>(?:statistically )?significantly |slightly |much "
    rf"|substantially |markedly |considerably )?"
    rf"(?P<adj>{'|'.join(own('reverse'))}) (?P<a>{PREP} .+?) (?:than|compared with|compared to|versus) "
    rf"(?P<b>(?:{PREP} )?.+)"
)


def read_comparison(words: str) -> Fact | None:
    """ "B was higher in A than in C"."""
    match = _THAN.fullmatch(words)
    if not match or not is_plain(match["o"]) or "," in match["o"]:
        return None
    arm, other = match["a"], match["b"]
    preposition = arm.split()[0]
    if not re.match(rf"{PREP}\b", other):
        other = f"{preposition} {other}"
    if not (is_plain(arm, opens=True) and is_plain(other, opens=True)) or "," in arm + other or " for " in other:
        return None
    return Fact(Family.COMPARISON, "", match["o"], arm, other, match["adj"], present=match["be"] in {"is", "are"})


_BETWEEN = (
    r"(?:between (?P<a>.+?) and (?P<b>.+)|(?P<g>(?:between|among|across) (?:the )?(?:two |three |four "
    r")?(?:study |treatment )?(?:groups|arms)))"
)
_DIFFERENCE = re.compile(
    rf"(?:there (?:was|were) )?no {_SIG}differences? (?:was |were )?(?:(?:found|observed|seen|noted"
    rf"|detected) )?in (?P<o>.+?) (?:(?:was|were) (?:found|observed|seen|noted|detected) )?{_BETWEEN}"
    rf"|(?P<o2>.+?) did not (?:differ (?P<sig2>significantly )?|(?P<sig3>significantly )differ "
    rf"){_BETWEEN.replace('P<a>', 'P<a2>').replace('P<b>', 'P<b2>').replace('P<g>', 'P<g2>')}"
    r"|(?P<o4>.+?) (?:was|were) not (?P<sig4>(?:statistically )?significantly )different between "
    r"(?P<a4>.+?) and (?P<b4>.+)"
    r"|(?P<o3>.+?) (?:was|were) (?P<alike>similar|comparable) (?:between|in|with) (?P<a3>.+?) and (?P<b3>.+)"
    r"|(?P<o5>.+?) (?:was|were) (?P<alike5>similar|comparable) (?P<g5>(?:between|in|among|across) (?:the "
    r")?(?:two|both|all|three) (?:\w+ )?(?:groups|arms))"
)


def read_no_difference(words: str) -> Fact | None:
    """ "No significant difference in B between A and C", "B was similar in A and C"."""
    match = _DIFFERENCE.fullmatch(words[0].lower() + words[1:] if words.startswith(("There", "No ")) else words)
    if not match:
        return None
    slots = match.groupdict()
    outcome = next(slots[k] for k in ("o", "o2", "o3", "o4", "o5") if slots[k])
    group = slots["g"] or slots["g2"] or slots["g5"] or ""
    arm = next((slots[k] for k in ("a", "a2", "a3", "a4") if slots[k]), "")
    other = next((slots[k] for k in ("b", "b2", "b3", "b4") if slots[k]), "")
    other, place = _split_place(other)
    if (
        not is_plain(outcome, most=16)
        or (not group and not (is_plain(arm) and is_plain(other)))
        or re.search(r"\b(?:and|or)\b", arm)
    ):
        return None
    if arm and not _stands_alone(arm, other):
        arm, other, group = "", "", f"between {arm} and {other}"
    significant = any((slots[k] or "").strip() for k in ("sig", "sig2", "sig3", "sig4"))
    alike = bool(slots["alike"] or slots["alike5"])
    place = place or ""
    return Fact(
        Family.NO_DIFFERENCE,
        "",
        outcome,
        arm,
        other,
        group.replace("the ", ""),
        significant=significant,
        alike=alike,
        place=place,
    )


def _stands_alone(arm: str, other: str) -> bool:
    """Whether the first of two arms is whole without the second: not "poor" of "poor and good collateral groups"."""
    head = other.split()[-1]
    shared = re.fullmatch(r"groups?|arms?|controls?|conditions?|patients|phases?|treatments?|therapy|[a-z]+s", head)
    return (
        arm.split()[-1] == head
        or (not shared and len(arm.split()) <= 6)
        or (arm.endswith("s") and not arm.startswith("the "))
    )


_LINK = re.compile(
    rf"(?P<a>.+?) (?P<be>was|were|is|are) (?P<no>not )?(?P<sig>{_ADVERB})(?P<adv>independently |inversely "
    rf"|positively |negatively )?associated with (?P<o>.+)"
)


def _unsigned(words: str) -> str:
    """A noun phrase without its words of comparison: "higher levels of education", "a reduced risk"."""
    bare = re.sub(
        r"\b(?:higher|lower|greater|increased|reduced|decreased|improved|better|worse|longer|shorter"
        r"|elevated|smaller|prolonged)\b",
        "",
        words,
        flags=re.IGNORECASE,
    )
    return " ".join(bare.split())


def read_link(words: str) -> Fact | None:
    """ "A was associated with B"."""
    match = _LINK.fullmatch(words)
    if not match:
        return None
    outcome, place = _split_place(match["o"])
    if not is_plain(_unsigned(match["a"])) or not is_plain(_unsigned(outcome)) or _loose(outcome):
        return None
    family = Family.NO_LINK if match["no"] else Family.LINK
    if match["no"] and match["adv"]:
        return None
    return Fact(
        family,
        "",
        outcome,
        match["a"],
        word=(match["adv"] or "").strip(),
        present=match["be"] in {"is", "are"},
        significant="significantly" in match["sig"],
        place=place,
    )
