"""Findings with their figures in the sentence: two arms, a share, a level, and what a guideline advises."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.fakes.models.writing.facts import Fact, Family, is_plain
from tests.fakes.models.writing.figures import Figures, read_figures, tidy
from tests.fakes.models.writing.findings import INSIDE, TIME
from tests.fakes.models.writing.words import small

_FIG = (
    r"(?:(?P<k{i}>\d[\d,]*) of (?:the )?(?P<n{i}>\d[\d,]*)(?: \w+)? \((?P<pc{i}>\d+(?:\.\d+)?) ?%\)"
    r"|(?P<m{i}>\d[\d,]*) \w+ \((?P<pm{i}>\d+(?:\.\d+)?) ?%\)"
    r"|(?P<pv{i}>\d+(?:\.\d+)?) ?%(?P<u{i}> per year)?(?: of (?:the )?(?:people|patients|women|men"
    r"|participants|adults|children|cases|subjects))?"
    r"|(?P<v{i}>\d+(?:\.\d+)?) (?P<w{i}>per 100 (?:patient|person|participant)-years|days|weeks|months"
    r"|years|minutes|hours|mm Hg|kg|mg/dL|mmol/L|points))"
)
_ARM = r"(?:(?:with|on|given|in|among|receiving|assigned to|who received|taking|allocated to|under) [^,;()]{2,70}?)"
_PAIR = re.compile(
    r"(?P<o>[^,;()]+?) (?:occurred|was seen|was reported|was reached|developed|was observed|was|were "
    r"reported|were seen|were observed|were)(?: in| at)? "
    + _FIG.replace("{i}", "1")
    + rf" (?P<a>{_ARM})(?:,? and|,? versus|,? compared with|,? vs\.?) "
    + _FIG.replace("{i}", "2")
    + rf" (?P<b>{_ARM})(?: \((?P<stats>[^()]*)\))?(?:,? (?P<time>{TIME}))?"
)


def _figure(slots: dict[str, str | None], i: int) -> tuple[str, str] | None:
    share = slots[f"pc{i}"] or slots[f"pm{i}"] or slots[f"pv{i}"]
    if share:
        return share, f"%{slots[f'u{i}'] or ''}"
    return (slots[f"v{i}"] or "", f" {slots[f'w{i}']}") if slots[f"v{i}"] else None


def read_pair(words: str) -> Fact | None:
    """ "B occurred in 17.0% with A and 19.8% with C (HR ...)"."""
    match = _PAIR.fullmatch(small(words))
    if not match:
        return None
    slots = match.groupdict()
    one, two = _figure(slots, 1), _figure(slots, 2)
    figures = read_figures(tidy(slots["stats"])) if slots["stats"] else Figures()
    if one is None or two is None or figures is None or figures.pair:
        return None
    if slots["u2"] and not slots["u1"]:
        one = (one[0], two[1])
    if one[1] != two[1] or not is_plain(slots["o"] or "") or not _is_arm(slots["a"]) or not _is_arm(slots["b"]):
        return None
    filled = replace(figures, pair=(one[0], two[0]), unit=one[1])
    return Fact(
        Family.PAIR, "", slots["o"] or "", slots["a"] or "", slots["b"] or "", time=slots["time"] or "", figures=filled
    )


def _is_arm(arm: str | None) -> bool:
    return is_plain(re.sub(r"^who received|^assigned|^allocated", "on", arm or ""), opens=True)


_DID = (
    r"(?P<did>(?:were|was|had|died|developed|received|achieved|reported|experienced|showed|underwent|survived"
    r"|completed|remained|required|responded|relapsed)\b.*)"
)
_SHARE = re.compile(
    rf"(?:(?:of|among) (?:the )?(?P<n>\d[\d,]*) (?P<g>[^,()]+?), (?P<k>\d[\d,]*)(?: \((?P<p>\d+(?:\.\d+)?) "
    rf"?%\))? {_DID}"
    rf"|(?P<k2>\d[\d,]*)(?: of|/| out of) (?:the )?(?P<n2>\d[\d,]*) (?P<g2>[^,()]+?) "
    rf"\((?P<p2>\d+(?:\.\d+)?) ?%\) {_DID.replace('P<did>', 'P<did2>')}"
    rf"|(?P<p3>\d+(?:\.\d+)?) ?% (?:\((?P<k3>\d[\d,]*)/(?P<n3>\d[\d,]*)\) )?of (?:all |the "
    rf")?(?P<g3>[^,()]+?) {_DID.replace('P<did>', 'P<did3>')})",
    re.IGNORECASE,
)


def read_share(words: str) -> Fact | None:
    """ "Of 80 patients, 12 (15%) died"."""
    match = _SHARE.fullmatch(words)
    if not match:
        return None
    slots = match.groupdict()
    group, did = (next(slots[f"{k}{i}"] for i in ("", 2, 3) if slots.get(f"did{i}")) or "" for k in ("g", "did"))
    percent = slots["p"] or slots["p2"] or slots["p3"] or ""
    k, n = slots["k"] or slots["k2"] or slots["k3"], slots["n"] or slots["n2"] or slots["n3"]
    verb, _, rest = did.partition(" ")
    if (
        not is_plain(group)
        or "%" in group
        or re.search(r"[\d%;:,()\[\]]", rest)
        or INSIDE.search(rest)
        or len(rest.split()) > 14
    ):
        return None
    if (
        re.search(r"\b(?:and|but|while|whereas|than|compared|versus)\b", rest)
        or verb in {"was"}
        or re.match(r"(?:not|no)\b", rest)
    ):
        return None
    if not rest and verb not in {"died", "survived", "relapsed", "responded"}:
        return None
    counts = (k, n) if k and n else None
    return Fact(Family.SHARE, "", did, group, percent=percent, counts=counts)


_LEVEL = re.compile(
    r"(?:the )?(?P<kind>mean|median|average) (?P<o>[^,;()\d]+?) (?:was|were) (?P<v>\d[\d,]*(?:\.\d+)?)(?: "
    r"(?P<u>[A-Za-z/%]+(?: Hg)?))?"
    r"(?: \((?:range|IQR|SD|±|95% CI|interquartile)[^()]*\))?(?P<arm> (?:in|among|for) [^,;()]{3,60})?"
)


def read_level(words: str) -> Fact | None:
    """ "The median survival was 14 months in A"."""
    match = _LEVEL.fullmatch(small(words))
    if not match or not is_plain(match["o"]) or match["o"].startswith("difference"):
        return None
    arm = (match["arm"] or "").strip()
    if (arm and not is_plain(arm, opens=True)) or (match["u"] or "") in {
        "in",
        "for",
        "and",
        "to",
        "vs",
        "versus",
        "per",
        "lower",
        "higher",
    }:
        return None
    unit = f" {match['u']}" if match["u"] else ""
    return Fact(
        Family.LEVEL, "", match["o"], word=match["kind"], place=arm, figures=Figures(pair=(match["v"], ""), unit=unit)
    )


_ADVISES = re.compile(
    r"(?P<place>(?:In|For) [^,]{5,120}, )?(?P<g>(?:the |The )?[\w/ ,-]*?(?:guideline|statement|consensus"
    r"|KDIGO|recommendations?)[\w ]{0,40}?) recommends (?P<o>[^;]+)"
)


def read_advice(words: str) -> Fact | None:
    """ "The 2018 guideline recommends B (class 1)"."""
    match = _ADVISES.fullmatch(words)
    if (
        not match
        or re.search(r"\b(?:against|not|only|unless|but|that|over|when|if|except|or)\b|\. ", match["o"])
        or len(match["o"].split()) > 30
    ):
        return None
    place = small(match["place"].rstrip(", ")) if match["place"] else ""
    return Fact(Family.ADVICE, "", match["o"], small(match["g"]), place=place)
