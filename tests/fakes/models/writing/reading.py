"""Sentences of a source into facts, by light and strict patterns: what is not wholly understood is left alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from openwork_language.sentences import split_sentences

from tests.fakes.models.writing.counted import read_advice, read_level, read_pair, read_share
from tests.fakes.models.writing.facts import Fact, Family, is_plain
from tests.fakes.models.writing.figures import Figures, read_figures, tidy
from tests.fakes.models.writing.findings import (
    INSIDE,
    TIME,
    WHO,
    Reader,
    read_comparison,
    read_effect,
    read_link,
    read_no_difference,
    read_no_effect,
)
from tests.fakes.models.writing.words import small

_LABEL = re.compile(
    r"^(?:AUTHORS['’] CONCLUSIONS:? |[A-Z][A-Z /&,-]{3,}[:.]? (?=[A-Z0-9])|(?:Results?|Findings"
    r"|Conclusions?|Interpretation|Methods?|Background|Objectives?|Aims?"
    r"|Main results|Main outcome measures?|Purpose|Design|Setting|Participants|Discussion|Summary|Study "
    r"selection|Introduction)"
    r"(?:: | (?=[A-Z])))"
)
_NO_RESULT = re.compile(
    r"METHOD|OBJECTIVE|\bAIM|PURPOSE|BACKGROUND|SETTING|DESIGN|PARTICIPANTS|CONTEXT|MEASURES|INTRODUCTION"
    r"|HYPOTHES|SELECTION",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Additionally|Thus|Therefore|Hence|Importantly"
    r"|Interestingly|Notably|Finally|"
    r"Consistently|Overall|In conclusion|In summary|Surprisingly|As expected|Accordingly|Consequently"
    r"|Remarkably|Specifically|Indeed|"
    r"Unexpectedly|Collectively|Taken together|Of note|Strikingly|To conclude|Also|First|Second|Third|Last"
    r"|Lastly|Nevertheless|Nonetheless|"
    r"Together|Previously|Again|Meanwhile|Secondly|Intriguingly|Altogether|Yet),? (?!the\b.{0,9},)"
)
_SAID = re.compile(
    r"^(?:(?:Here|In this study|In the present study|Using [^,]{4,60}),? )?(?:We|Our (?:results|data"
    r"|findings|study|analysis)|"
    r"(?:These|The|Present|This) (?:results|data|findings|study|analysis|meta-analysis|authors|review|work"
    r"|trial)|It (?:was|is)) "
    r"(?:also |further |thus |therefore |now |here |have |has |clearly |strongly )*"
    r"(?P<verb>found|find|show|shows|showed|shown|observed|demonstrate|demonstrates|demonstrated|report"
    r"|reports|reported|"
    r"suggest|suggests|suggested|indicate|indicates|indicated|conclude|concluded|concludes) that ",
)
_FRAMES = {"suggest": "suggest", "indicate": "indicate", "conclude": "conclude"}
_NO_FINDING = re.compile(
    r"\b(?:aim|aims|aimed|objective|purpose|hypothes\w+|whether|investigate[ds]?|examined|to (?:determine"
    r"|assess|evaluate|test|compare"
    r"|examine|clarify|identify|explore|estimate)|we (?:used|compared|measured|conducted|performed"
    r"|enrolled|included|sought|studied|analy[sz]ed)|"
    r"previous\w*|asked (?:whether|how|if|which)|copyright|trial registration|funded|searched|research is "
    r"needed|studies are needed|needed to)\b|[?©]|\bClinicalTrials",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\b(?:was|were|are|is) (?:then |also |randomly |prospectively |retrospectively )?(?:compared|measured"
    r"|performed|carried out|assessed|evaluated|"
    r"randomi[sz]ed|allocated|assigned|monitored|calculated|excluded|included|conducted|collected"
    r"|recruited|enrolled|analy[sz]ed|studied|obtained|"
    r"recorded|described|reviewed|used|selected|identified|determined)\b(?! in (?:all|most|many))"
    r"|\b(?:completed|systematic review of)\b"
)
"""What was done rather than found."""
_LEANS = re.compile(
    r"^(?:it|they|this|these|those|such|both|he|she|however|there(?!\s(?:was|were|is|are)\b)|another"
    r"|others|the (?:latter|former|same|other|others)|"
    r"in (?:this|these|both|contrast)|as such|each|then|because|although|while|but|and|so|by contrast"
    r"|similarly|conversely|here|to|(?:all|one|two|three|four|some|most|many|several) \w+ed)\b",
    re.IGNORECASE,
)
_TRIAL = re.compile(
    r"^(?:In (?P<t>(?:the )?[A-Z][\w'’-]*[A-Z\d][\w'’-]*(?: (?:[A-Z\d][\w-]*|[A-Z]\w+ \d{4}))*|[A-Z][a-z]+ "
    r"\d{4}|the \d{4} Cochrane review[\w ]*), |"
    r"(?P<f>[A-Z][\w-]*[A-Z\d][\w-]*(?: [A-Z\d][\w-]*)*) (?:found|showed|reported) that )"
)
_TIME_END = re.compile(rf"^(?P<rest>.{{12,}}?),? (?P<time>{TIME})$", re.IGNORECASE)
_TIME_START = re.compile(rf"^(?P<time>{TIME}),? (?P<rest>\S.{{12,}})$", re.IGNORECASE)
_PLACE_START = re.compile(rf"^(?P<place>(?:In|Among) {WHO}(?: [^,;]{{3,90}})?), (?P<rest>.{{15,}})$")
_BRACKET = re.compile(r"\s?[(\[]([^()\[\]]*(?:[(\[][^()\[\]]*[)\]][^()\[\]]*)*)[)\]]")
_LIMITS = re.compile(
    r"\b(?:not|no|except|exclud\w+|only|without|unless|but|although|though|lesser|mainly|mostly)\b", re.IGNORECASE
)


def sentences_of(source: str) -> Iterator[tuple[str, str]]:
    """(as printed, without label and lead) of sentences that could hold a finding and stand alone."""
    for sentence in split_sentences(source):
        printed = " ".join(sentence.text.split())
        label = _LABEL.match(printed)
        words = printed[label.end() :] if label else printed
        if (label and _NO_RESULT.search(label[0])) or not 6 <= len(words.split()) <= 48 or not words.endswith("."):
            continue
        words = tidy(words).rstrip(".").strip()
        while lead := _LEAD.match(words):
            words = words[lead.end() :]
            words = words[:1].upper() + words[1:]
        if words.count("(") == words.count(")") and not _NO_FINDING.search(words):
            yield printed, words


def facts_of(source: str) -> list[Fact]:
    """The facts of a source, in its order; sentences that lean on others are left out."""
    facts = []
    for printed, words in sentences_of(source):
        if (fact := read(printed, words)) is not None:
            facts.append(fact)
    return facts


def read(printed: str, words: str) -> Fact | None:
    """The finding of one sentence."""
    frame, trial = "", ""
    if said := _SAID.match(words):
        frame = next((f for stem, f in _FRAMES.items() if said["verb"].startswith(stem)), "found")
        words = words[said.end() :]
    elif named := _TRIAL.match(words):
        trial, words = named["t"] or named["f"], words[named.end() :]
    if _LEANS.match(words):
        return None
    if frame in _FRAMES.values():
        return _hint(printed, words, frame)
    for reader in READERS:
        fact = _framed(reader, printed, words)
        if fact is not None:
            return replace(fact, trial=trial)
    return _plain(printed, words, trial)


def _hint(printed: str, words: str, frame: str) -> Fact | None:
    bare = _without_brackets(words)
    if bare is None or INSIDE.search(bare) or not 6 <= len(bare.split()) <= 30:
        return None
    return Fact(Family.HINT, printed, small(bare), word=frame)


def _plain(printed: str, words: str, trial: str) -> Fact | None:
    bare = _without_brackets(words)
    if bare is None or INSIDE.search(bare) or not 8 <= len(bare.split()) <= 32 or bare.count(",") > 2:
        return None
    if re.search(r"\b\d|[:;\"“]", bare) or _SAID.match(bare) or _METHOD.search(bare):
        return None
    return Fact(Family.PLAIN, printed, small(bare), trial=trial)


def _without_brackets(words: str) -> str | None:
    """The words without their brackets; `None` when one of these limits what is said."""
    if re.search(r"[^\s(](?:\(|\[)|[)\]]\w|\[[^\]]*[a-zA-Z]{2}", words):
        return None  # a bracket that is part of a name, "CD4(+)", or that is the authors' own remark
    if any(_LIMITS.search(match[1]) for match in _BRACKET.finditer(words)) or words.count("[") != words.count("]"):
        return None
    return re.sub(r"\s+(?=[,;])", "", " ".join(_BRACKET.sub("", words).split()))


def _framed(reader: Reader, printed: str, words: str) -> Fact | None:
    """A reader's fact with time, place and the figures of the last bracket; `None` when anything is left over."""
    if reader in WITH_BRACKETS:
        fact = reader(words)
        return replace(fact, source=printed) if fact else None
    figures = Figures()
    tail = re.search(r"\s?(?P<b>\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])(?P<after> [^()\[\]]{3,60})?$", words)
    after = ""
    if tail:
        known = read_figures(tail["b"][1:-1])
        after = tail["after"] or ""
        if known is not None:
            figures, words = known, words[: tail.start()] + after
    bare = _without_brackets(words)
    if bare is None or (re.search(r"\d", "".join(m[0] for m in _BRACKET.finditer(words))) and figures != Figures()):
        return None
    if re.search(r"(?:HR|OR|RR|CI|[Pp]) ?[=<]|%", bare) and not re.search(r"by (?:about )?\d", bare):
        return None
    place, time = "", ""
    if match := _PLACE_START.match(bare):
        place, bare = small(match["place"]), match["rest"]
    for pattern in (_TIME_END, _TIME_START):
        if not time and (match := pattern.match(bare)):
            time, bare = small(match["time"]), match["rest"]
    if place and not is_plain(place, opens=True, most=18):
        return None
    fact = reader(small(bare))
    return replace(fact, source=printed, figures=figures, place=fact.place or place, time=time) if fact else None


WITH_BRACKETS: tuple[Reader, ...] = (read_pair, read_share, read_level, read_advice)
READERS: tuple[Reader, ...] = (
    *WITH_BRACKETS,
    read_no_difference,
    read_no_effect,
    read_comparison,
    read_link,
    read_effect,
)
